meta:
  id: kafka_add_partitions_to_txn_response
  -orig-id: AddPartitionsToTxnResponse
  -versions: 0-5
  title: Apache Kafka add partitions to txn response
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
  `AddPartitionsToTxnResponse`: a response of the API with key 24, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AddPartitionsToTxnResponse.json AddPartitionsToTxnResponse
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
    if: message_version >= 4
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_results_by_transaction
    type: kafka_array_length(true, false)
    if: message_version >= 4
    doc: Number of `results_by_transaction`
  - id: results_by_transaction
    -orig-id: ResultsByTransaction
    type: add_partitions_to_txn_result
    repeat: expr
    repeat-expr: num_results_by_transaction.value
    if: message_version >= 4
  - id: num_results_by_topic_v3_and_below
    type: kafka_array_length(message_version >= 3, false)
    if: message_version <= 3
    doc: Number of `results_by_topic_v3_and_below`
  - id: results_by_topic_v3_and_below
    -orig-id: ResultsByTopicV3AndBelow
    type: add_partitions_to_txn_topic_result
    repeat: expr
    repeat-expr: num_results_by_topic_v3_and_below.value
    if: message_version <= 3
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
types:
  add_partitions_to_txn_result:
    seq:
      - id: transactional_id
        -orig-id: TransactionalId
        type: kafka_string(true, false)
        if: _root.message_version >= 4
        doc: The producer's `transactional.id`
      - id: num_topic_results
        type: kafka_array_length(true, false)
        if: _root.message_version >= 4
        doc: Number of `topic_results`
      - id: topic_results
        -orig-id: TopicResults
        type: add_partitions_to_txn_topic_result
        repeat: expr
        repeat-expr: num_topic_results.value
        if: _root.message_version >= 4
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
  add_partitions_to_txn_topic_result:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 3, false)
      - id: num_results_by_partition
        type: kafka_array_length(_root.message_version >= 3, false)
        doc: Number of `results_by_partition`
      - id: results_by_partition
        -orig-id: ResultsByPartition
        type: add_partitions_to_txn_partition_result
        repeat: expr
        repeat-expr: num_results_by_partition.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
  add_partitions_to_txn_partition_result:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: partition_error_code
        -orig-id: PartitionErrorCode
        type: s2
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
