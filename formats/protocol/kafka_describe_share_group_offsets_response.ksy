meta:
  id: kafka_describe_share_group_offsets_response
  -orig-id: DescribeShareGroupOffsetsResponse
  -versions: 0-1
  title: Apache Kafka describe share group offsets response
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
  `DescribeShareGroupOffsetsResponse`: a response of the API with key 90, after
  its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeShareGroupOffsetsResponse.json DescribeShareGroupOffsetsResponse
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
  - id: num_groups
    type: kafka_array_length(true, false)
    doc: Number of `groups`
  - id: groups
    -orig-id: Groups
    type: describe_share_group_offsets_response_group
    repeat: expr
    repeat-expr: num_groups.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  describe_share_group_offsets_response_group:
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
        type: describe_share_group_offsets_response_topic
        repeat: expr
        repeat-expr: num_topics.value
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  describe_share_group_offsets_response_topic:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(true, false)
        doc: Name of the topic
      - id: topic_id
        -orig-id: TopicId
        size: 16
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: describe_share_group_offsets_response_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  describe_share_group_offsets_response_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: start_offset
        -orig-id: StartOffset
        type: s8
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: lag
        -orig-id: Lag
        type: s8
        if: _root.message_version >= 1
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
