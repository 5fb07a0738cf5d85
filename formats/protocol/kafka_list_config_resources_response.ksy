meta:
  id: kafka_list_config_resources_response
  -orig-id: ListConfigResourcesResponse
  -versions: 0-1
  title: Apache Kafka list config resources response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `ListConfigResourcesResponse`: a response of the API with key 74, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListConfigResourcesResponse.json ListConfigResourcesResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_config_resources
    type: kafka_array_length(true, false)
    doc: Number of `config_resources`
  - id: config_resources
    -orig-id: ConfigResources
    type: config_resource
    repeat: expr
    repeat-expr: num_config_resources.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  config_resource:
    seq:
      - id: resource_name
        -orig-id: ResourceName
        type: kafka_string(true, false)
      - id: resource_type
        -orig-id: ResourceType
        type: s1
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
