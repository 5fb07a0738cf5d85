meta:
  id: kafka_list_config_resources_request
  -orig-id: ListConfigResourcesRequest
  -versions: 0-1
  title: Apache Kafka list config resources request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_tagged_fields
  endian: be
doc: |
  `ListConfigResourcesRequest`: a request of the API with key 74, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListConfigResourcesRequest.json ListConfigResourcesRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_resource_types
    type: kafka_array_length(true, false)
    if: message_version >= 1
    doc: Number of `resource_types`
  - id: resource_types
    -orig-id: ResourceTypes
    type: s1
    repeat: expr
    repeat-expr: num_resource_types.value
    if: message_version >= 1
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
