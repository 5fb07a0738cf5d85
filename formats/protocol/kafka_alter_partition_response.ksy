meta:
  id: kafka_alter_partition_response
  -orig-id: AlterPartitionResponse
  -versions: 2-3
  title: Apache Kafka alter partition response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_tagged_fields
  endian: be
doc: |
  `AlterPartitionResponse`: a response of the API with key 56, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterPartitionResponse.json AlterPartitionResponse
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
types:
  topic_data:
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
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: leader_id
        -orig-id: LeaderId
        type: s4
        doc: |
          `node.id` of the leader
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: num_isr
        type: kafka_array_length(true, false)
        doc: Number of `isr`
      - id: isr
        -orig-id: Isr
        type: s4
        repeat: expr
        repeat-expr: num_isr.value
      - id: leader_recovery_state
        -orig-id: LeaderRecoveryState
        type: s1
      - id: partition_epoch
        -orig-id: PartitionEpoch
        type: s4
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
