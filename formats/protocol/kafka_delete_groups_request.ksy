meta:
  id: kafka_delete_groups_request
  -orig-id: DeleteGroupsRequest
  -versions: 0-3
  title: Apache Kafka delete groups request
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
  `DeleteGroupsRequest`: a request of the API with key 42, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DeleteGroupsRequest.json DeleteGroupsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_groups_names
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `groups_names`
  - id: groups_names
    -orig-id: GroupsNames
    type: kafka_string(message_version >= 2, false)
    repeat: expr
    repeat-expr: num_groups_names.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
