meta:
  id: kafka_read_share_group_state_summary_response
  -orig-id: ReadShareGroupStateSummaryResponse
  -versions: 0-1
  title: Apache Kafka read share group state summary response
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
  `ReadShareGroupStateSummaryResponse`: a response of the API with key 87, after
  its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ReadShareGroupStateSummaryResponse.json ReadShareGroupStateSummaryResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: num_results
    type: kafka_array_length(true, false)
    doc: Number of `results`
  - id: results
    -orig-id: Results
    type: read_state_summary_result
    repeat: expr
    repeat-expr: num_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  read_state_summary_result:
    seq:
      - id: topic_id
        -orig-id: TopicId
        size: 16
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: partition_result
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  partition_result:
    seq:
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: state_epoch
        -orig-id: StateEpoch
        type: s4
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: start_offset
        -orig-id: StartOffset
        type: s8
      - id: delivery_complete_count
        -orig-id: DeliveryCompleteCount
        type: s4
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
