meta:
  id: kafka_share_group_current_member_assignment_value
  -orig-id: ShareGroupCurrentMemberAssignmentValue
  -versions: 0-0
  title: Apache Kafka share group current member assignment value
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
doc: Current assignment of a member of a share group.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupCurrentMemberAssignmentValue.json ShareGroupCurrentMemberAssignmentValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: member_epoch
    -orig-id: MemberEpoch
    type: s4
    doc: Epoch of the member, which it sends in its heartbeats
  - id: previous_member_epoch
    -orig-id: PreviousMemberEpoch
    type: s4
    doc: |
      The epoch before; the member sends it again if the response with the new
      one was lost
  - id: state
    -orig-id: State
    type: s1
    doc: |
      0: stable
  - id: num_assigned_partitions
    type: kafka_array_length(true, false)
    doc: Number of `assigned_partitions`
  - id: assigned_partitions
    -orig-id: AssignedPartitions
    type: topic_partitions
    repeat: expr
    repeat-expr: num_assigned_partitions.value
    doc: Partitions that the member has, by topic
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topic_partitions:
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
