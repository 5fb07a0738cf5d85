meta:
  id: kafka_list_transactions_request
  -orig-id: ListTransactionsRequest
  -versions: 0-2
  title: Apache Kafka list transactions request
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
  `ListTransactionsRequest`: a request of the API with key 66, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListTransactionsRequest.json ListTransactionsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_state_filters
    type: kafka_array_length(true, false)
    doc: Number of `state_filters`
  - id: state_filters
    -orig-id: StateFilters
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_state_filters.value
  - id: num_producer_id_filters
    type: kafka_array_length(true, false)
    doc: Number of `producer_id_filters`
  - id: producer_id_filters
    -orig-id: ProducerIdFilters
    type: s8
    repeat: expr
    repeat-expr: num_producer_id_filters.value
  - id: duration_filter
    -orig-id: DurationFilter
    type: s8
    if: message_version >= 1
  - id: transactional_id_pattern
    -orig-id: TransactionalIdPattern
    type: kafka_string(true, true)
    if: message_version >= 2
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
