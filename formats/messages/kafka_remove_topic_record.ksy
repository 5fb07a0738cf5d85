meta:
  id: kafka_remove_topic_record
  -orig-id: RemoveTopicRecord
  -versions: 0-0
  title: Apache Kafka remove topic record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_tagged_fields
  endian: be
doc: A topic was deleted, with all its partitions.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RemoveTopicRecord.json RemoveTopicRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: topic_id
    -orig-id: TopicId
    size: 16
    doc: UUID of the topic
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
