meta:
  id: kafka_clear_elr_record
  -orig-id: ClearElrRecord
  -versions: 0-0
  title: Apache Kafka clear elr record
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
doc: The eligible leader replicas were cleared (KIP-966).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ClearElrRecord.json ClearElrRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: topic_name
    -orig-id: TopicName
    type: kafka_string(true, false)
    doc: Name of the topic; empty for all
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
