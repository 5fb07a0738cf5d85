meta:
  id: kafka_alter_share_group_offsets_request
  -orig-id: AlterShareGroupOffsetsRequest
  -versions: 0-0
  title: Apache Kafka alter share group offsets request
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
  `AlterShareGroupOffsetsRequest`: a request of the API with key 91, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterShareGroupOffsetsRequest.json AlterShareGroupOffsetsRequest
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
    type: alter_share_group_offsets_request_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  alter_share_group_offsets_request_topic:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(true, false)
        doc: Name of the topic
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: alter_share_group_offsets_request_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  alter_share_group_offsets_request_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: start_offset
        -orig-id: StartOffset
        type: s8
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
