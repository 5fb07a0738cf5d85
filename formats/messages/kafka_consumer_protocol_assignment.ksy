meta:
  id: kafka_consumer_protocol_assignment
  -orig-id: ConsumerProtocolAssignment
  -versions: 0-3
  title: Apache Kafka consumer protocol assignment
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
  Partitions that a consumer of a classic group is to read, `assignment` in
  `kafka_group_metadata_value`.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerProtocolAssignment.json ConsumerProtocolAssignment
-webide-representation: '{num_assigned_partitions} topics'
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
    doc: |
      Version of this message's layout. Kafka reads later ones as the last one that
      it knows
  - id: num_assigned_partitions
    type: kafka_array_length(false, false)
    doc: Number of `assigned_partitions`
  - id: assigned_partitions
    -orig-id: AssignedPartitions
    type: topic_partition
    repeat: expr
    repeat-expr: num_assigned_partitions.value
    doc: Partitions that the member has, by topic
  - id: user_data
    -orig-id: UserData
    type: kafka_bytes(false, true)
    doc: Data of the assignor
types:
  topic_partition:
    doc: Partitions of a topic
    -webide-representation: '{topic}'
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(false, false)
        doc: Name of the topic
      - id: num_partitions
        type: kafka_array_length(false, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
        doc: Numbers of its partitions
