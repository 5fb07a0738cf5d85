meta:
  id: kafka_heartbeat_request
  -orig-id: HeartbeatRequest
  -versions: 0-4
  title: Apache Kafka heartbeat request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `HeartbeatRequest`: a request of the API with key 12, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/HeartbeatRequest.json HeartbeatRequest
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
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
