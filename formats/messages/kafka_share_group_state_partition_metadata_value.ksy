meta:
  id: kafka_share_group_state_partition_metadata_value
  -orig-id: ShareGroupStatePartitionMetadataValue
  -versions: 0-0
  title: Apache Kafka share group state partition metadata value
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
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: Partitions for which a share group keeps state in `__share_group_state`.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupStatePartitionMetadataValue.json ShareGroupStatePartitionMetadataValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: num_initializing_topics
    type: kafka_array_length(true, false)
    doc: Number of `initializing_topics`
  - id: initializing_topics
    -orig-id: InitializingTopics
    type: topic_partitions_info
    repeat: expr
    repeat-expr: num_initializing_topics.value
    doc: Partitions whose state is being made
  - id: num_initialized_topics
    type: kafka_array_length(true, false)
    doc: Number of `initialized_topics`
  - id: initialized_topics
    -orig-id: InitializedTopics
    type: topic_partitions_info
    repeat: expr
    repeat-expr: num_initialized_topics.value
    doc: Partitions that have state
  - id: num_deleting_topics
    type: kafka_array_length(true, false)
    doc: Number of `deleting_topics`
  - id: deleting_topics
    -orig-id: DeletingTopics
    type: topic_info
    repeat: expr
    repeat-expr: num_deleting_topics.value
    doc: Topics whose state is being deleted
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topic_partitions_info:
    doc: Partitions of a topic
    seq:
      - id: topic_id
        -orig-id: TopicId
        size: 16
        doc: UUID of the topic
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(true, false)
        doc: Name of the topic
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
  topic_info:
    doc: A topic
    seq:
      - id: topic_id
        -orig-id: TopicId
        size: 16
        doc: UUID of the topic
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(true, false)
        doc: Name of the topic
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
