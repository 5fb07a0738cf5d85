meta:
  id: kafka_consumer_group_regular_expression_key
  -orig-id: ConsumerGroupRegularExpressionKey
  -versions: 0-0
  title: Apache Kafka consumer group regular expression key
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
  endian: be
doc: |
  Key of a regular expression that members of a consumer group have subscribed
  to.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupRegularExpressionKey.json ConsumerGroupRegularExpressionKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
  - id: regular_expression
    -orig-id: RegularExpression
    type: kafka_string(false, false)
    doc: The expression, in the syntax of RE2
