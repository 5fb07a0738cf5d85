meta:
  id: kafka_list_transactions_response
  -orig-id: ListTransactionsResponse
  -versions: 0-2
  title: Apache Kafka list transactions response
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
  `ListTransactionsResponse`: a response of the API with key 66, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListTransactionsResponse.json ListTransactionsResponse
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
  - id: num_unknown_state_filters
    type: kafka_array_length(true, false)
    doc: Number of `unknown_state_filters`
  - id: unknown_state_filters
    -orig-id: UnknownStateFilters
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_unknown_state_filters.value
  - id: num_transaction_states
    type: kafka_array_length(true, false)
    doc: Number of `transaction_states`
  - id: transaction_states
    -orig-id: TransactionStates
    type: transaction_state
    repeat: expr
    repeat-expr: num_transaction_states.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  transaction_state:
    seq:
      - id: transactional_id
        -orig-id: TransactionalId
        type: kafka_string(true, false)
        doc: The producer's `transactional.id`
      - id: producer_id
        -orig-id: ProducerId
        type: s8
        doc: Id that the broker has given the producer
      - id: transaction_state
        -orig-id: TransactionState
        type: kafka_string(true, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
