meta:
  id: kafka_streams_group_describe_request
  -orig-id: StreamsGroupDescribeRequest
  -versions: 0-1
  title: Apache Kafka streams group describe request
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
  `StreamsGroupDescribeRequest`: a request of the API with key 89, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupDescribeRequest.json StreamsGroupDescribeRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_group_ids
    type: kafka_array_length(true, false)
    doc: Number of `group_ids`
  - id: group_ids
    -orig-id: GroupIds
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_group_ids.value
  - id: include_authorized_operations
    -orig-id: IncludeAuthorizedOperations
    type: kafka_boolean
  - id: include_topology_description
    -orig-id: IncludeTopologyDescription
    type: kafka_boolean
    if: message_version >= 1
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
