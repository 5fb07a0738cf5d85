meta:
  id: kafka_write_txn_markers_request
  -orig-id: WriteTxnMarkersRequest
  -versions: 1-2
  title: Apache Kafka write txn markers request
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
  `WriteTxnMarkersRequest`: a request of the API with key 27, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/WriteTxnMarkersRequest.json WriteTxnMarkersRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_markers
    type: kafka_array_length(true, false)
    doc: Number of `markers`
  - id: markers
    -orig-id: Markers
    type: writable_txn_marker
    repeat: expr
    repeat-expr: num_markers.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  writable_txn_marker:
    seq:
      - id: producer_id
        -orig-id: ProducerId
        type: s8
        doc: Id that the broker has given the producer
      - id: producer_epoch
        -orig-id: ProducerEpoch
        type: s2
        doc: Epoch of the producer, higher than those of its predecessors
      - id: transaction_result
        -orig-id: TransactionResult
        type: kafka_boolean
      - id: num_topics
        type: kafka_array_length(true, false)
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: writable_txn_marker_topic
        repeat: expr
        repeat-expr: num_topics.value
      - id: coordinator_epoch
        -orig-id: CoordinatorEpoch
        type: s4
      - id: transaction_version
        -orig-id: TransactionVersion
        type: s1
        if: _root.message_version >= 2
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  writable_txn_marker_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: num_partition_indexes
        type: kafka_array_length(true, false)
        doc: Number of `partition_indexes`
      - id: partition_indexes
        -orig-id: PartitionIndexes
        type: s4
        repeat: expr
        repeat-expr: num_partition_indexes.value
        doc: Numbers of partitions
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
