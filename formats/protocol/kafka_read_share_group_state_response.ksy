meta:
  id: kafka_read_share_group_state_response
  -orig-id: ReadShareGroupStateResponse
  -versions: 0-0
  title: Apache Kafka read share group state response
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
  `ReadShareGroupStateResponse`: a response of the API with key 84, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ReadShareGroupStateResponse.json ReadShareGroupStateResponse
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
    type: read_state_result
    repeat: expr
    repeat-expr: num_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  read_state_result:
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
      - id: start_offset
        -orig-id: StartOffset
        type: s8
      - id: num_state_batches
        type: kafka_array_length(true, false)
        doc: Number of `state_batches`
      - id: state_batches
        -orig-id: StateBatches
        type: state_batch
        repeat: expr
        repeat-expr: num_state_batches.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  state_batch:
    seq:
      - id: first_offset
        -orig-id: FirstOffset
        type: s8
        doc: Offset of the first record
      - id: last_offset
        -orig-id: LastOffset
        type: s8
        doc: Offset of the last record
      - id: delivery_state
        -orig-id: DeliveryState
        type: s1
      - id: delivery_count
        -orig-id: DeliveryCount
        type: s2
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
