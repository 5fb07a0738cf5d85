meta:
  id: kafka_leave_group_request
  -orig-id: LeaveGroupRequest
  -versions: 0-5
  title: Apache Kafka leave group request
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
  `LeaveGroupRequest`: a request of the API with key 13, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/LeaveGroupRequest.json LeaveGroupRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(message_version >= 4, false)
    doc: The `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(false, false)
    if: message_version <= 2
    doc: Id of the member
  - id: num_members
    type: kafka_array_length(message_version >= 4, false)
    if: message_version >= 3
    doc: Number of `members`
  - id: members
    -orig-id: Members
    type: member_identity
    repeat: expr
    repeat-expr: num_members.value
    if: message_version >= 3
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  member_identity:
    seq:
      - id: member_id
        -orig-id: MemberId
        type: kafka_string(_root.message_version >= 4, false)
        if: _root.message_version >= 3
        doc: Id of the member
      - id: group_instance_id
        -orig-id: GroupInstanceId
        type: kafka_string(_root.message_version >= 4, true)
        if: _root.message_version >= 3
        doc: Id of a static member (KIP-345)
      - id: reason
        -orig-id: Reason
        type: kafka_string(true, true)
        if: _root.message_version >= 5
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
