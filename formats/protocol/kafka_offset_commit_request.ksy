meta:
  id: kafka_offset_commit_request
  -orig-id: OffsetCommitRequest
  -versions: 2-10
  title: Apache Kafka offset commit request
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
  `OffsetCommitRequest`: a request of the API with key 8, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetCommitRequest.json OffsetCommitRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(message_version >= 8, false)
    doc: The `group.id`
  - id: generation_id_or_member_epoch
    -orig-id: GenerationIdOrMemberEpoch
    type: s4
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(message_version >= 8, false)
    doc: Id of the member
  - id: group_instance_id
    -orig-id: GroupInstanceId
    type: kafka_string(message_version >= 8, true)
    if: message_version >= 7
    doc: Id of a static member (KIP-345)
  - id: retention_time_ms
    -orig-id: RetentionTimeMs
    type: s8
    if: message_version <= 4
  - id: num_topics
    type: kafka_array_length(message_version >= 8, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: offset_commit_request_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 8
    doc: None is known
types:
  offset_commit_request_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 8, false)
        if: _root.message_version <= 9
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 10
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 8, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: offset_commit_request_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 8
        doc: None is known
  offset_commit_request_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: committed_offset
        -orig-id: CommittedOffset
        type: s8
        doc: Offset of the next record that the group wants to read
      - id: committed_leader_epoch
        -orig-id: CommittedLeaderEpoch
        type: s4
        if: _root.message_version >= 6
        doc: |
          Leader epoch of the record before the committed offset, -1 if the
          consumer did not send it
      - id: committed_metadata
        -orig-id: CommittedMetadata
        type: kafka_string(_root.message_version >= 8, true)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 8
        doc: None is known
