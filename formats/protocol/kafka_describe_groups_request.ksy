meta:
  id: kafka_describe_groups_request
  -orig-id: DescribeGroupsRequest
  -versions: 0-6
  title: Apache Kafka describe groups request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `DescribeGroupsRequest`: a request of the API with key 15, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeGroupsRequest.json DescribeGroupsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_groups
    type: kafka_array_length(message_version >= 5, false)
    doc: Number of `groups`
  - id: groups
    -orig-id: Groups
    type: kafka_string(message_version >= 5, false)
    repeat: expr
    repeat-expr: num_groups.value
  - id: include_authorized_operations
    -orig-id: IncludeAuthorizedOperations
    type: kafka_boolean
    if: message_version >= 3
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 5
    doc: None is known
