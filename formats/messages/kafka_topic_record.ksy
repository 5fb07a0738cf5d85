meta:
  id: kafka_topic_record
  -orig-id: TopicRecord
  -versions: 0-0
  title: Apache Kafka topic record
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
    - kafka_tagged_fields
  endian: be
doc: |
  A topic was created. Its partitions follow, as a `kafka_partition_record`
  each.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/TopicRecord.json TopicRecord
-webide-representation: '{name}'
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: name
    -orig-id: Name
    type: kafka_string(true, false)
    doc: Name of the topic
  - id: topic_id
    -orig-id: TopicId
    size: 16
    doc: UUID of the topic
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
