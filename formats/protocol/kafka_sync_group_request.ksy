meta:
  id: kafka_sync_group_request
  -orig-id: SyncGroupRequest
  -versions: 0-5
  title: Apache Kafka sync group request
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
  `SyncGroupRequest`: a request of the API with key 14, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SyncGroupRequest.json SyncGroupRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(message_version >= 4, false)
    doc: The `group.id`
  - id: generation_id
    -orig-id: GenerationId
    type: s4
    doc: Number of the rebalance
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(message_version >= 4, false)
    doc: Id of the member
  - id: group_instance_id
    -orig-id: GroupInstanceId
    type: kafka_string(message_version >= 4, true)
    if: message_version >= 3
    doc: Id of a static member (KIP-345)
  - id: protocol_type
    -orig-id: ProtocolType
    type: kafka_string(true, true)
    if: message_version >= 5
    doc: |
      "consumer", or "connect" and the like
  - id: protocol_name
    -orig-id: ProtocolName
    type: kafka_string(true, true)
    if: message_version >= 5
  - id: num_assignments
    type: kafka_array_length(message_version >= 4, false)
    doc: Number of `assignments`
  - id: assignments
    -orig-id: Assignments
    type: sync_group_request_assignment
    repeat: expr
    repeat-expr: num_assignments.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  sync_group_request_assignment:
    seq:
      - id: member_id
        -orig-id: MemberId
        type: kafka_string(_root.message_version >= 4, false)
        doc: Id of the member
      - id: assignment
        -orig-id: Assignment
        type: kafka_bytes(_root.message_version >= 4, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
