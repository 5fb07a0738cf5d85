meta:
  id: kafka_consumer_group_partition_metadata_value
  -orig-id: ConsumerGroupPartitionMetadataValue
  -versions: 0-0
  title: Apache Kafka consumer group partition metadata value
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
doc: |
  Topics as a consumer group of the new protocol knew them when it last computed
  an assignment.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupPartitionMetadataValue.json ConsumerGroupPartitionMetadataValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: topic_metadata
    repeat: expr
    repeat-expr: num_topics.value
    doc: The topics
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topic_metadata:
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
      - id: num_partitions
        -orig-id: NumPartitions
        type: s4
        doc: How many partitions it had
      - id: num_partition_metadata
        type: kafka_array_length(true, false)
        doc: Number of `partition_metadata`
      - id: partition_metadata
        -orig-id: PartitionMetadata
        type: partition_metadata
        repeat: expr
        repeat-expr: num_partition_metadata.value
        doc: Where its replicas were
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  partition_metadata:
    doc: Where the replicas of a partition were
    seq:
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
      - id: num_racks
        type: kafka_array_length(true, false)
        doc: Number of `racks`
      - id: racks
        -orig-id: Racks
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_racks.value
        doc: Racks of the partition's replicas
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
