meta:
  id: kafka_elect_leaders_request
  -orig-id: ElectLeadersRequest
  -versions: 0-2
  title: Apache Kafka elect leaders request
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
  `ElectLeadersRequest`: a request of the API with key 43, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ElectLeadersRequest.json ElectLeadersRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: election_type
    -orig-id: ElectionType
    type: s1
    if: message_version >= 1
  - id: num_topic_partitions
    type: kafka_array_length(message_version >= 2, true)
    doc: Number of `topic_partitions`
  - id: topic_partitions
    -orig-id: TopicPartitions
    type: topic_partitions
    repeat: expr
    repeat-expr: num_topic_partitions.value
  - id: timeout_ms
    -orig-id: TimeoutMs
    type: s4
    doc: How long the broker may take, in ms
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  topic_partitions:
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(_root.message_version >= 2, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
