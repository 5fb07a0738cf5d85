meta:
  id: kafka_consumer_group_heartbeat_request
  -orig-id: ConsumerGroupHeartbeatRequest
  -versions: 0-1
  title: Apache Kafka consumer group heartbeat request
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
  `ConsumerGroupHeartbeatRequest`: a request of the API with key 68, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerGroupHeartbeatRequest.json ConsumerGroupHeartbeatRequest
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
  - id: instance_id
    -orig-id: InstanceId
    type: kafka_string(true, true)
    doc: Id of a static member (KIP-345)
  - id: rack_id
    -orig-id: RackId
    type: kafka_string(true, true)
    doc: The `client.rack`, if it is set
  - id: rebalance_timeout_ms
    -orig-id: RebalanceTimeoutMs
    type: s4
    doc: How long a rebalance waits for a member, in ms
  - id: num_subscribed_topic_names
    type: kafka_array_length(true, true)
    doc: Number of `subscribed_topic_names`
  - id: subscribed_topic_names
    -orig-id: SubscribedTopicNames
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_subscribed_topic_names.value
    doc: Names of the topics that the member has subscribed to
  - id: subscribed_topic_regex
    -orig-id: SubscribedTopicRegex
    type: kafka_string(true, true)
    if: message_version >= 1
  - id: server_assignor
    -orig-id: ServerAssignor
    type: kafka_string(true, true)
  - id: num_topic_partitions
    type: kafka_array_length(true, true)
    doc: Number of `topic_partitions`
  - id: topic_partitions
    -orig-id: TopicPartitions
    type: topic_partitions
    repeat: expr
    repeat-expr: num_topic_partitions.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topic_partitions:
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
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
