meta:
  id: kafka_leave_group_response
  -orig-id: LeaveGroupResponse
  -versions: 0-5
  title: Apache Kafka leave group response
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
  `LeaveGroupResponse`: a response of the API with key 13, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/LeaveGroupResponse.json LeaveGroupResponse
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
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_members
    type: kafka_array_length(message_version >= 4, false)
    if: message_version >= 3
    doc: Number of `members`
  - id: members
    -orig-id: Members
    type: member_response
    repeat: expr
    repeat-expr: num_members.value
    if: message_version >= 3
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  member_response:
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
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        if: _root.message_version >= 3
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
