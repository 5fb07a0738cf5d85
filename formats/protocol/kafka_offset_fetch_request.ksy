meta:
  id: kafka_offset_fetch_request
  -orig-id: OffsetFetchRequest
  -versions: 1-10
  title: Apache Kafka offset fetch request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `OffsetFetchRequest`: a request of the API with key 9, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetFetchRequest.json OffsetFetchRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(message_version >= 6, false)
    if: message_version <= 7
    doc: The `group.id`
  - id: num_topics
    type: kafka_array_length(message_version >= 6, message_version >= 2)
    if: message_version <= 7
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: offset_fetch_request_topic
    repeat: expr
    repeat-expr: num_topics.value
    if: message_version <= 7
  - id: num_groups
    type: kafka_array_length(true, false)
    if: message_version >= 8
    doc: Number of `groups`
  - id: groups
    -orig-id: Groups
    type: offset_fetch_request_group
    repeat: expr
    repeat-expr: num_groups.value
    if: message_version >= 8
  - id: require_stable
    -orig-id: RequireStable
    type: kafka_boolean
    if: message_version >= 7
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 6
    doc: None is known
types:
  offset_fetch_request_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 6, false)
        if: _root.message_version <= 7
      - id: num_partition_indexes
        type: kafka_array_length(_root.message_version >= 6, false)
        if: _root.message_version <= 7
        doc: Number of `partition_indexes`
      - id: partition_indexes
        -orig-id: PartitionIndexes
        type: s4
        repeat: expr
        repeat-expr: num_partition_indexes.value
        if: _root.message_version <= 7
        doc: Numbers of partitions
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
  offset_fetch_request_group:
    seq:
      - id: group_id
        -orig-id: GroupId
        type: kafka_string(true, false)
        if: _root.message_version >= 8
        doc: The `group.id`
      - id: member_id
        -orig-id: MemberId
        type: kafka_string(true, true)
        if: _root.message_version >= 9
        doc: Id of the member
      - id: member_epoch
        -orig-id: MemberEpoch
        type: s4
        if: _root.message_version >= 9
        doc: Epoch of the member, which it sends in its heartbeats
      - id: num_topics
        type: kafka_array_length(true, true)
        if: _root.message_version >= 8
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: offset_fetch_request_topics
        repeat: expr
        repeat-expr: num_topics.value
        if: _root.message_version >= 8
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
  offset_fetch_request_topics:
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
      - id: num_partition_indexes
        type: kafka_array_length(true, false)
        if: _root.message_version >= 8
        doc: Number of `partition_indexes`
      - id: partition_indexes
        -orig-id: PartitionIndexes
        type: s4
        repeat: expr
        repeat-expr: num_partition_indexes.value
        if: _root.message_version >= 8
        doc: Numbers of partitions
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
