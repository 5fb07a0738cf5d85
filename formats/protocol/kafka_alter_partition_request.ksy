meta:
  id: kafka_alter_partition_request
  -orig-id: AlterPartitionRequest
  -versions: 2-3
  title: Apache Kafka alter partition request
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
  `AlterPartitionRequest`: a request of the API with key 56, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterPartitionRequest.json AlterPartitionRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: broker_epoch
    -orig-id: BrokerEpoch
    type: s8
    doc: Epoch of the broker's registration
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
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: num_new_isr
        type: kafka_array_length(true, false)
        if: _root.message_version <= 2
        doc: Number of `new_isr`
      - id: new_isr
        -orig-id: NewIsr
        type: s4
        repeat: expr
        repeat-expr: num_new_isr.value
        if: _root.message_version <= 2
      - id: num_new_isr_with_epochs
        type: kafka_array_length(true, false)
        if: _root.message_version >= 3
        doc: Number of `new_isr_with_epochs`
      - id: new_isr_with_epochs
        -orig-id: NewIsrWithEpochs
        type: broker_state
        repeat: expr
        repeat-expr: num_new_isr_with_epochs.value
        if: _root.message_version >= 3
      - id: leader_recovery_state
        -orig-id: LeaderRecoveryState
        type: s1
      - id: partition_epoch
        -orig-id: PartitionEpoch
        type: s4
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  broker_state:
    seq:
      - id: broker_id
        -orig-id: BrokerId
        type: s4
        if: _root.message_version >= 3
        doc: The broker's `node.id`
      - id: broker_epoch
        -orig-id: BrokerEpoch
        type: s8
        if: _root.message_version >= 3
        doc: Epoch of the broker's registration
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
