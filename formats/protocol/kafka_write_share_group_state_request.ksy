meta:
  id: kafka_write_share_group_state_request
  -orig-id: WriteShareGroupStateRequest
  -versions: 0-1
  title: Apache Kafka write share group state request
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
  `WriteShareGroupStateRequest`: a request of the API with key 85, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/WriteShareGroupStateRequest.json WriteShareGroupStateRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(true, false)
    doc: The `group.id`
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: write_state_data
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  write_state_data:
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
        type: partition_data
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  partition_data:
    seq:
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
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
