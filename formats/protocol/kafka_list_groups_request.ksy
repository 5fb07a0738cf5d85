meta:
  id: kafka_list_groups_request
  -orig-id: ListGroupsRequest
  -versions: 0-5
  title: Apache Kafka list groups request
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
  `ListGroupsRequest`: a request of the API with key 16, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListGroupsRequest.json ListGroupsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_states_filter
    type: kafka_array_length(true, false)
    if: message_version >= 4
    doc: Number of `states_filter`
  - id: states_filter
    -orig-id: StatesFilter
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_states_filter.value
    if: message_version >= 4
  - id: num_types_filter
    type: kafka_array_length(true, false)
    if: message_version >= 5
    doc: Number of `types_filter`
  - id: types_filter
    -orig-id: TypesFilter
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_types_filter.value
    if: message_version >= 5
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
