meta:
  id: kafka_consumer_group_target_assignment_member_value
  -orig-id: ConsumerGroupTargetAssignmentMemberValue
  -versions: 0-0
  title: Apache Kafka consumer group target assignment member value
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_tagged_fields
  endian: be
doc: Target assignment of a member of a consumer group of the new protocol.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupTargetAssignmentMemberValue.json ConsumerGroupTargetAssignmentMemberValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: num_topic_partitions
    type: kafka_array_length(true, false)
    doc: Number of `topic_partitions`
  - id: topic_partitions
    -orig-id: TopicPartitions
    type: topic_partition
    repeat: expr
    repeat-expr: num_topic_partitions.value
    doc: Partitions of a topic
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topic_partition:
    doc: Partitions of a topic
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
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
        doc: Numbers of its partitions
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
