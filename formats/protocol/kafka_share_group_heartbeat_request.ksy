meta:
  id: kafka_share_group_heartbeat_request
  -orig-id: ShareGroupHeartbeatRequest
  -versions: 1-1
  title: Apache Kafka share group heartbeat request
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
  `ShareGroupHeartbeatRequest`: a request of the API with key 76, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareGroupHeartbeatRequest.json ShareGroupHeartbeatRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(true, false)
    doc: The `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(true, false)
    doc: Id of the member
  - id: member_epoch
    -orig-id: MemberEpoch
    type: s4
    doc: Epoch of the member, which it sends in its heartbeats
  - id: rack_id
    -orig-id: RackId
    type: kafka_string(true, true)
    doc: The `client.rack`, if it is set
  - id: num_subscribed_topic_names
    type: kafka_array_length(true, true)
    doc: Number of `subscribed_topic_names`
  - id: subscribed_topic_names
    -orig-id: SubscribedTopicNames
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_subscribed_topic_names.value
    doc: Names of the topics that the member has subscribed to
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
