meta:
  id: kafka_consumer_protocol_subscription
  -orig-id: ConsumerProtocolSubscription
  -versions: 0-3
  title: Apache Kafka consumer protocol subscription
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
  endian: be
doc: |
  Subscription that a consumer of a classic group sends when it joins,
  `subscription` in `kafka_group_metadata_value`.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerProtocolSubscription.json ConsumerProtocolSubscription
-webide-representation: '{num_topics} topics'
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
    doc: |
      Version of this message's layout. Kafka reads later ones as the last one that
      it knows
  - id: num_topics
    type: kafka_array_length(false, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: kafka_string(false, false)
    repeat: expr
    repeat-expr: num_topics.value
    doc: The topics
  - id: user_data
    -orig-id: UserData
    type: kafka_bytes(false, true)
    doc: |
      Data of the assignor; that of the sticky one is a
      `kafka_sticky_assignor_user_data`
  - id: num_owned_partitions
    type: kafka_array_length(false, false)
    if: message_version >= 1
    doc: Number of `owned_partitions`
  - id: owned_partitions
    -orig-id: OwnedPartitions
    type: topic_partition
    repeat: expr
    repeat-expr: num_owned_partitions.value
    if: message_version >= 1
    doc: |
      Partitions that the consumer still has from the last assignment, for
      cooperative rebalances (KIP-429)
  - id: generation_id
    -orig-id: GenerationId
    type: s4
    if: message_version >= 2
    doc: Generation of the group in which it got these, -1 if unknown (KIP-792)
  - id: rack_id
    -orig-id: RackId
    type: kafka_string(false, true)
    if: message_version >= 3
    doc: The consumer's `client.rack` (KIP-881)
types:
  topic_partition:
    doc: Partitions of a topic
    -webide-representation: '{topic}'
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(false, false)
        if: _root.message_version >= 1
        doc: Name of the topic
      - id: num_partitions
        type: kafka_array_length(false, false)
        if: _root.message_version >= 1
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
        if: _root.message_version >= 1
        doc: Numbers of its partitions
