meta:
  id: kafka_consumer_group_regular_expression_value
  -orig-id: ConsumerGroupRegularExpressionValue
  -versions: 0-0
  title: Apache Kafka consumer group regular expression value
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
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: Topics that a regular expression matched when the broker last evaluated it.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupRegularExpressionValue.json ConsumerGroupRegularExpressionValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_topics.value
    doc: Names of the topics
  - id: version
    -orig-id: Version
    type: s8
    doc: Version of the cluster's metadata in which it was evaluated
  - id: timestamp
    -orig-id: Timestamp
    type: s8
    doc: When it was evaluated, in ms since 1970-01-01 UTC
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
