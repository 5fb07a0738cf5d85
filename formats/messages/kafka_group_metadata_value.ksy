meta:
  id: kafka_group_metadata_value
  -orig-id: GroupMetadataValue
  -versions: 0-4
  title: Apache Kafka group metadata value
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
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
  A classic consumer group as it was after a rebalance, or when its last member
  had left.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/GroupMetadataValue.json GroupMetadataValue
-webide-representation: 'generation {generation:dec}, {num_members} members'
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 4
    doc: Version of this message's layout
  - id: protocol_type
    -orig-id: protocolType
    type: kafka_string(message_version >= 4, false)
    doc: |
      "consumer", or "connect" and the like; empty for a group that only commits
      offsets
  - id: generation
    type: s4
    doc: Number of the rebalance
  - id: protocol
    type: kafka_string(message_version >= 4, true)
    doc: Name of the assignor that all members agreed on
  - id: leader
    type: kafka_string(message_version >= 4, true)
    doc: Id of the member that computed the assignment
  - id: current_state_timestamp
    -orig-id: currentStateTimestamp
    type: s8
    if: message_version >= 2
    doc: When the group entered its state, in ms since 1970-01-01 UTC
  - id: num_members
    type: kafka_array_length(message_version >= 4, false)
    doc: Number of `members`
  - id: members
    type: member_metadata
    repeat: expr
    repeat-expr: num_members.value
    doc: The members of the group
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  member_metadata:
    doc: A member of the group
    -webide-representation: '{member_id}'
    seq:
      - id: member_id
        -orig-id: memberId
        type: kafka_string(_root.message_version >= 4, false)
        doc: Id of the member
      - id: group_instance_id
        -orig-id: groupInstanceId
        type: kafka_string(_root.message_version >= 4, true)
        if: _root.message_version >= 3
        doc: Id of a static member (KIP-345)
      - id: client_id
        -orig-id: clientId
        type: kafka_string(_root.message_version >= 4, false)
        doc: The member's `client.id`
      - id: client_host
        -orig-id: clientHost
        type: kafka_string(_root.message_version >= 4, false)
        doc: Address from which the member connects
      - id: rebalance_timeout
        -orig-id: rebalanceTimeout
        type: s4
        if: _root.message_version >= 1
        doc: How long a rebalance waits for the member, in ms
      - id: session_timeout
        -orig-id: sessionTimeout
        type: s4
        doc: Time without a heartbeat after which the member is removed, in ms
      - id: subscription
        type: kafka_bytes(_root.message_version >= 4, false)
        doc: |
          Data that the member sent when it joined; in groups of consumers a
          `kafka_consumer_protocol_subscription`
      - id: assignment
        type: kafka_bytes(_root.message_version >= 4, false)
        doc: |
          Data that the leader sent for it; in groups of consumers a
          `kafka_consumer_protocol_assignment`
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
