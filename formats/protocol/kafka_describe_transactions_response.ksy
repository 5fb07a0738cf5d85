meta:
  id: kafka_describe_transactions_response
  -orig-id: DescribeTransactionsResponse
  -versions: 0-0
  title: Apache Kafka describe transactions response
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
  `DescribeTransactionsResponse`: a response of the API with key 65, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeTransactionsResponse.json DescribeTransactionsResponse
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
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: transactional_id
        -orig-id: TransactionalId
        type: kafka_string(true, false)
        doc: The producer's `transactional.id`
      - id: transaction_state
        -orig-id: TransactionState
        type: kafka_string(true, false)
      - id: transaction_timeout_ms
        -orig-id: TransactionTimeoutMs
        type: s4
      - id: transaction_start_time_ms
        -orig-id: TransactionStartTimeMs
        type: s8
      - id: producer_id
        -orig-id: ProducerId
        type: s8
        doc: Id that the broker has given the producer
      - id: producer_epoch
        -orig-id: ProducerEpoch
        type: s2
        doc: Epoch of the producer, higher than those of its predecessors
      - id: num_topics
        type: kafka_array_length(true, false)
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: topic_data
        repeat: expr
        repeat-expr: num_topics.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topic_data:
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(true, false)
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
