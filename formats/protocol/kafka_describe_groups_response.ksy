meta:
  id: kafka_describe_groups_response
  -orig-id: DescribeGroupsResponse
  -versions: 0-6
  title: Apache Kafka describe groups response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_bytes
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `DescribeGroupsResponse`: a response of the API with key 15, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeGroupsResponse.json DescribeGroupsResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 1
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: num_groups
    type: kafka_array_length(message_version >= 5, false)
    doc: Number of `groups`
  - id: groups
    -orig-id: Groups
    type: described_group
    repeat: expr
    repeat-expr: num_groups.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 5
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
        if: _root.message_version >= 6
        doc: Text of the error
      - id: group_id
        -orig-id: GroupId
        type: kafka_string(_root.message_version >= 5, false)
        doc: The `group.id`
      - id: group_state
        -orig-id: GroupState
        type: kafka_string(_root.message_version >= 5, false)
        doc: State of the group, as Kafka names it
      - id: protocol_type
        -orig-id: ProtocolType
        type: kafka_string(_root.message_version >= 5, false)
        doc: |
          "consumer", or "connect" and the like
      - id: protocol_data
        -orig-id: ProtocolData
        type: kafka_string(_root.message_version >= 5, false)
      - id: num_members
        type: kafka_array_length(_root.message_version >= 5, false)
        doc: Number of `members`
      - id: members
        -orig-id: Members
        type: described_group_member
        repeat: expr
        repeat-expr: num_members.value
      - id: authorized_operations
        -orig-id: AuthorizedOperations
        type: s4
        if: _root.message_version >= 3
        doc: |
          One bit for each allowed operation, by its number in Kafka's
          `AclOperation`; -2147483648 if they were not asked for
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 5
        doc: None is known
  described_group_member:
    seq:
      - id: member_id
        -orig-id: MemberId
        type: kafka_string(_root.message_version >= 5, false)
        doc: Id of the member
      - id: group_instance_id
        -orig-id: GroupInstanceId
        type: kafka_string(_root.message_version >= 5, true)
        if: _root.message_version >= 4
        doc: Id of a static member (KIP-345)
      - id: client_id
        -orig-id: ClientId
        type: kafka_string(_root.message_version >= 5, false)
        doc: The `client.id`
      - id: client_host
        -orig-id: ClientHost
        type: kafka_string(_root.message_version >= 5, false)
        doc: Address from which the member connects
      - id: member_metadata
        -orig-id: MemberMetadata
        type: kafka_bytes(_root.message_version >= 5, false)
      - id: member_assignment
        -orig-id: MemberAssignment
        type: kafka_bytes(_root.message_version >= 5, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 5
        doc: None is known
