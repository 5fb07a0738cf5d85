meta:
  id: kafka_share_group_heartbeat_response
  -orig-id: ShareGroupHeartbeatResponse
  -versions: 1-1
  title: Apache Kafka share group heartbeat response
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
  `ShareGroupHeartbeatResponse`: a response of the API with key 76, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareGroupHeartbeatResponse.json ShareGroupHeartbeatResponse
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
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(true, true)
    doc: Text of the error
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(true, true)
    doc: Id of the member
  - id: member_epoch
    -orig-id: MemberEpoch
    type: s4
    doc: Epoch of the member, which it sends in its heartbeats
  - id: heartbeat_interval_ms
    -orig-id: HeartbeatIntervalMs
    type: s4
    doc: How long the member waits between heartbeats, in ms
  - id: is_assignment_present
    type: s1
    doc: Negative if `assignment` is null
  - id: assignment
    -orig-id: Assignment
    type: assignment
    if: is_assignment_present >= 0
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  assignment:
    seq:
      - id: num_topic_partitions
        type: kafka_array_length(true, false)
        doc: Number of `topic_partitions`
      - id: topic_partitions
        -orig-id: TopicPartitions
        type: topic_partitions
        repeat: expr
        repeat-expr: num_topic_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topic_partitions:
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
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
