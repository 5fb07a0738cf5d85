meta:
  id: kafka_consumer_group_member_metadata_value
  -orig-id: ConsumerGroupMemberMetadataValue
  -versions: 0-0
  title: Apache Kafka consumer group member metadata value
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
    - kafka_unsigned_varint
  endian: be
doc: A member of a consumer group of the new protocol, and its subscription.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupMemberMetadataValue.json ConsumerGroupMemberMetadataValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: instance_id
    -orig-id: InstanceId
    type: kafka_string(true, true)
    doc: Id of a static member (KIP-345)
  - id: rack_id
    -orig-id: RackId
    type: kafka_string(true, true)
    doc: The member's `client.rack`, if it is set
  - id: client_id
    -orig-id: ClientId
    type: kafka_string(true, false)
    doc: The member's `client.id`
  - id: client_host
    -orig-id: ClientHost
    type: kafka_string(true, false)
    doc: Address from which the member connects
  - id: num_subscribed_topic_names
    type: kafka_array_length(true, false)
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
    doc: |
      Regular expression, evaluated by the broker
      (`kafka_consumer_group_regular_expression_value` has the result)
  - id: rebalance_timeout_ms
    -orig-id: RebalanceTimeoutMs
    type: s4
    doc: How long a rebalance waits for the member, in ms
  - id: server_assignor
    -orig-id: ServerAssignor
    type: kafka_string(true, true)
    doc: Assignor that the member prefers
  - id: tagged_fields
    type: tagged_fields
    doc: Fields that may be missing
types:
  tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  tagged_field:
    doc: A field that may be missing
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: classic_member_metadata_tag
        doc: The field itself, or bytes if its tag is not known
  classic_member_metadata:
    doc: Only of a member that still speaks the classic protocol
    seq:
      - id: session_timeout_ms
        -orig-id: SessionTimeoutMs
        type: s4
        doc: Time without a heartbeat after which the member is removed, in ms
      - id: num_supported_protocols
        type: kafka_array_length(true, false)
        doc: Number of `supported_protocols`
      - id: supported_protocols
        -orig-id: SupportedProtocols
        type: classic_protocol
        repeat: expr
        repeat-expr: num_supported_protocols.value
        doc: Assignors that the member supports
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  classic_protocol:
    doc: An assignor that the member supports
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        doc: Name of the assignor
      - id: metadata
        -orig-id: Metadata
        type: kafka_bytes(true, false)
        doc: A `kafka_consumer_protocol_subscription`
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  classic_member_metadata_tag:
    doc: Field of tag 0
    seq:
      - id: is_classic_member_metadata_present
        type: kafka_unsigned_varint
        doc: 0 if `classic_member_metadata` is null
      - id: classic_member_metadata
        -orig-id: ClassicMemberMetadata
        -index: 8
        -versions: 0-0
        type: classic_member_metadata
        if: is_classic_member_metadata_present.value > 0
        doc: Only of a member that still speaks the classic protocol
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
