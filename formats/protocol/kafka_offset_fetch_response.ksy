meta:
  id: kafka_offset_fetch_response
  -orig-id: OffsetFetchResponse
  -versions: 1-10
  title: Apache Kafka offset fetch response
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
  `OffsetFetchResponse`: a response of the API with key 9, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetFetchResponse.json OffsetFetchResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 3
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: num_topics
    type: kafka_array_length(message_version >= 6, false)
    if: message_version <= 7
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: offset_fetch_response_topic
    repeat: expr
    repeat-expr: num_topics.value
    if: message_version <= 7
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    if: message_version >= 2 and message_version <= 7
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_groups
    type: kafka_array_length(true, false)
    if: message_version >= 8
    doc: Number of `groups`
  - id: groups
    -orig-id: Groups
    type: offset_fetch_response_group
    repeat: expr
    repeat-expr: num_groups.value
    if: message_version >= 8
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 6
    doc: None is known
types:
  offset_fetch_response_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 6, false)
        if: _root.message_version <= 7
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 6, false)
        if: _root.message_version <= 7
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: offset_fetch_response_partition
        repeat: expr
        repeat-expr: num_partitions.value
        if: _root.message_version <= 7
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
  offset_fetch_response_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        if: _root.message_version <= 7
        doc: Number of the partition
      - id: committed_offset
        -orig-id: CommittedOffset
        type: s8
        if: _root.message_version <= 7
        doc: Offset of the next record that the group wants to read
      - id: committed_leader_epoch
        -orig-id: CommittedLeaderEpoch
        type: s4
        if: _root.message_version >= 5 and _root.message_version <= 7
        doc: |
          Leader epoch of the record before the committed offset, -1 if the
          consumer did not send it
      - id: metadata
        -orig-id: Metadata
        type: kafka_string(_root.message_version >= 6, true)
        if: _root.message_version <= 7
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        if: _root.message_version <= 7
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
  offset_fetch_response_group:
    seq:
      - id: group_id
        -orig-id: GroupId
        type: kafka_string(true, false)
        if: _root.message_version >= 8
        doc: The `group.id`
      - id: num_topics
        type: kafka_array_length(true, false)
        if: _root.message_version >= 8
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: offset_fetch_response_topics
        repeat: expr
        repeat-expr: num_topics.value
        if: _root.message_version >= 8
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        if: _root.message_version >= 8
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
  offset_fetch_response_topics:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        if: _root.message_version >= 8 and _root.message_version <= 9
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 10
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(true, false)
        if: _root.message_version >= 8
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: offset_fetch_response_partitions
        repeat: expr
        repeat-expr: num_partitions.value
        if: _root.message_version >= 8
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
  offset_fetch_response_partitions:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        if: _root.message_version >= 8
        doc: Number of the partition
      - id: committed_offset
        -orig-id: CommittedOffset
        type: s8
        if: _root.message_version >= 8
        doc: Offset of the next record that the group wants to read
      - id: committed_leader_epoch
        -orig-id: CommittedLeaderEpoch
        type: s4
        if: _root.message_version >= 8
        doc: |
          Leader epoch of the record before the committed offset, -1 if the
          consumer did not send it
      - id: metadata
        -orig-id: Metadata
        type: kafka_string(true, true)
        if: _root.message_version >= 8
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        if: _root.message_version >= 8
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
