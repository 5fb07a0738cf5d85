meta:
  id: kafka_add_partitions_to_txn_request
  -orig-id: AddPartitionsToTxnRequest
  -versions: 0-5
  title: Apache Kafka add partitions to txn request
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
  `AddPartitionsToTxnRequest`: a request of the API with key 24, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AddPartitionsToTxnRequest.json AddPartitionsToTxnRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_transactions
    type: kafka_array_length(true, false)
    if: message_version >= 4
    doc: Number of `transactions`
  - id: transactions
    -orig-id: Transactions
    type: add_partitions_to_txn_transaction
    repeat: expr
    repeat-expr: num_transactions.value
    if: message_version >= 4
  - id: v3_and_below_transactional_id
    -orig-id: V3AndBelowTransactionalId
    type: kafka_string(message_version >= 3, false)
    if: message_version <= 3
  - id: v3_and_below_producer_id
    -orig-id: V3AndBelowProducerId
    type: s8
    if: message_version <= 3
  - id: v3_and_below_producer_epoch
    -orig-id: V3AndBelowProducerEpoch
    type: s2
    if: message_version <= 3
  - id: num_v3_and_below_topics
    type: kafka_array_length(message_version >= 3, false)
    if: message_version <= 3
    doc: Number of `v3_and_below_topics`
  - id: v3_and_below_topics
    -orig-id: V3AndBelowTopics
    type: add_partitions_to_txn_topic
    repeat: expr
    repeat-expr: num_v3_and_below_topics.value
    if: message_version <= 3
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
types:
  add_partitions_to_txn_transaction:
    seq:
      - id: transactional_id
        -orig-id: TransactionalId
        type: kafka_string(true, false)
        if: _root.message_version >= 4
        doc: The producer's `transactional.id`
      - id: producer_id
        -orig-id: ProducerId
        type: s8
        if: _root.message_version >= 4
        doc: Id that the broker has given the producer
      - id: producer_epoch
        -orig-id: ProducerEpoch
        type: s2
        if: _root.message_version >= 4
        doc: Epoch of the producer, higher than those of its predecessors
      - id: verify_only
        -orig-id: VerifyOnly
        type: kafka_boolean
        if: _root.message_version >= 4
      - id: num_topics
        type: kafka_array_length(true, false)
        if: _root.message_version >= 4
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: add_partitions_to_txn_topic
        repeat: expr
        repeat-expr: num_topics.value
        if: _root.message_version >= 4
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
  add_partitions_to_txn_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 3, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 3, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
