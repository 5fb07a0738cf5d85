meta:
  id: kafka_sticky_assignor_user_data
  -orig-id: StickyAssignorUserData
  -versions: 0-1
  title: Apache Kafka user data of the sticky assignor
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
  endian: be
doc: |
  What a consumer with the assignor `sticky` puts into the `user_data` of its
  `kafka_consumer_protocol_subscription`: what it got last. No version stands in
  front; later ones end with `generation`.
doc-ref:
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-54+-+Sticky+Partition+Assignment+Strategy KIP-54
  - https://github.com/apache/kafka/blob/4.3.1/clients/src/main/java/org/apache/kafka/clients/consumer/StickyAssignor.java StickyAssignor
-webide-representation: '{num_previous_assignment} topics, generation {generation:dec}'
seq:
  - id: num_previous_assignment
    type: kafka_array_length(false, false)
    doc: Number of topics
  - id: previous_assignment
    -orig-id: previousAssignment
    type: topic_assignment
    repeat: expr
    repeat-expr: num_previous_assignment.value
    doc: Partitions that the consumer had, by topic
  - id: generation
    -versions: 1-1
    type: s4
    if: _io.size - _io.pos >= 4
    doc: In which generation of the group it got them, -1 if in none
types:
  topic_assignment:
    doc: Partitions of a topic
    -webide-representation: '{topic}'
    seq:
      - id: topic
        type: kafka_string(false, false)
        doc: Name of the topic
      - id: num_partitions
        type: kafka_array_length(false, false)
        doc: Number of `partitions`
      - id: partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
        doc: Numbers of its partitions
