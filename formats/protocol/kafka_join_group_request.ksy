meta:
  id: kafka_join_group_request
  -orig-id: JoinGroupRequest
  -versions: 0-9
  title: Apache Kafka join group request
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
  `JoinGroupRequest`: a request of the API with key 11, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/JoinGroupRequest.json JoinGroupRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(message_version >= 6, false)
    doc: The `group.id`
  - id: session_timeout_ms
    -orig-id: SessionTimeoutMs
    type: s4
    doc: Time without a heartbeat after which the member is removed, in ms
  - id: rebalance_timeout_ms
    -orig-id: RebalanceTimeoutMs
    type: s4
    if: message_version >= 1
    doc: How long a rebalance waits for a member, in ms
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(message_version >= 6, false)
    doc: Id of the member
  - id: group_instance_id
    -orig-id: GroupInstanceId
    type: kafka_string(message_version >= 6, true)
    if: message_version >= 5
    doc: Id of a static member (KIP-345)
  - id: protocol_type
    -orig-id: ProtocolType
    type: kafka_string(message_version >= 6, false)
    doc: |
      "consumer", or "connect" and the like
  - id: num_protocols
    type: kafka_array_length(message_version >= 6, false)
    doc: Number of `protocols`
  - id: protocols
    -orig-id: Protocols
    type: join_group_request_protocol
    repeat: expr
    repeat-expr: num_protocols.value
  - id: reason
    -orig-id: Reason
    type: kafka_string(true, true)
    if: message_version >= 8
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 6
    doc: None is known
types:
  join_group_request_protocol:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 6, false)
      - id: metadata
        -orig-id: Metadata
        type: kafka_bytes(_root.message_version >= 6, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
