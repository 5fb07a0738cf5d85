meta:
  id: kafka_share_group_describe_response
  -orig-id: ShareGroupDescribeResponse
  -versions: 1-1
  title: Apache Kafka share group describe response
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
  `ShareGroupDescribeResponse`: a response of the API with key 77, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareGroupDescribeResponse.json ShareGroupDescribeResponse
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
    type: described_group
    repeat: expr
    repeat-expr: num_groups.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  described_group:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: group_id
        -orig-id: GroupId
        type: kafka_string(true, false)
        doc: The `group.id`
      - id: group_state
        -orig-id: GroupState
        type: kafka_string(true, false)
        doc: State of the group, as Kafka names it
      - id: group_epoch
        -orig-id: GroupEpoch
        type: s4
        doc: Epoch of the group
      - id: assignment_epoch
        -orig-id: AssignmentEpoch
        type: s4
      - id: assignor_name
        -orig-id: AssignorName
        type: kafka_string(true, false)
      - id: num_members
        type: kafka_array_length(true, false)
        doc: Number of `members`
      - id: members
        -orig-id: Members
        type: member
        repeat: expr
        repeat-expr: num_members.value
      - id: authorized_operations
        -orig-id: AuthorizedOperations
        type: s4
        doc: |
          One bit for each allowed operation, by its number in Kafka's
          `AclOperation`; -2147483648 if they were not asked for
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  member:
    seq:
      - id: member_id
        -orig-id: MemberId
        type: kafka_string(true, false)
        doc: Id of the member
      - id: rack_id
        -orig-id: RackId
        type: kafka_string(true, true)
        doc: The `client.rack`, if it is set
      - id: member_epoch
        -orig-id: MemberEpoch
        type: s4
        doc: Epoch of the member, which it sends in its heartbeats
      - id: client_id
        -orig-id: ClientId
        type: kafka_string(true, false)
        doc: The `client.id`
      - id: client_host
        -orig-id: ClientHost
        type: kafka_string(true, false)
        doc: Address from which the member connects
      - id: num_subscribed_topic_names
        type: kafka_array_length(true, false)
        doc: Number of `subscribed_topic_names`
      - id: subscribed_topic_names
        -orig-id: SubscribedTopicNames
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_subscribed_topic_names.value
        doc: Names of the topics that the member has subscribed to
      - id: assignment
        -orig-id: Assignment
        type: assignment
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
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
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
