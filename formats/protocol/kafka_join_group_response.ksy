meta:
  id: kafka_join_group_response
  -orig-id: JoinGroupResponse
  -versions: 0-9
  title: Apache Kafka join group response
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
    - kafka_bytes
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `JoinGroupResponse`: a response of the API with key 11, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/JoinGroupResponse.json JoinGroupResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 2
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: generation_id
    -orig-id: GenerationId
    type: s4
    doc: Number of the rebalance
  - id: protocol_type
    -orig-id: ProtocolType
    type: kafka_string(true, true)
    if: message_version >= 7
    doc: |
      "consumer", or "connect" and the like
  - id: protocol_name
    -orig-id: ProtocolName
    type: kafka_string(message_version >= 6, message_version >= 7)
  - id: leader
    -orig-id: Leader
    type: kafka_string(message_version >= 6, false)
  - id: skip_assignment
    -orig-id: SkipAssignment
    type: kafka_boolean
    if: message_version >= 9
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(message_version >= 6, false)
    doc: Id of the member
  - id: num_members
    type: kafka_array_length(message_version >= 6, false)
    doc: Number of `members`
  - id: members
    -orig-id: Members
    type: join_group_response_member
    repeat: expr
    repeat-expr: num_members.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 6
    doc: None is known
types:
  join_group_response_member:
    seq:
      - id: member_id
        -orig-id: MemberId
        type: kafka_string(_root.message_version >= 6, false)
        doc: Id of the member
      - id: group_instance_id
        -orig-id: GroupInstanceId
        type: kafka_string(_root.message_version >= 6, true)
        if: _root.message_version >= 5
        doc: Id of a static member (KIP-345)
      - id: metadata
        -orig-id: Metadata
        type: kafka_bytes(_root.message_version >= 6, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
