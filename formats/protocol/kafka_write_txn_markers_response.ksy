meta:
  id: kafka_write_txn_markers_response
  -orig-id: WriteTxnMarkersResponse
  -versions: 1-2
  title: Apache Kafka write txn markers response
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
  `WriteTxnMarkersResponse`: a response of the API with key 27, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/WriteTxnMarkersResponse.json WriteTxnMarkersResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: num_markers
    type: kafka_array_length(true, false)
    doc: Number of `markers`
  - id: markers
    -orig-id: Markers
    type: writable_txn_marker_result
    repeat: expr
    repeat-expr: num_markers.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  writable_txn_marker_result:
    seq:
      - id: producer_id
        -orig-id: ProducerId
        type: s8
        doc: Id that the broker has given the producer
      - id: num_topics
        type: kafka_array_length(true, false)
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: writable_txn_marker_topic_result
        repeat: expr
        repeat-expr: num_topics.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  writable_txn_marker_topic_result:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: writable_txn_marker_partition_result
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  writable_txn_marker_partition_result:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
