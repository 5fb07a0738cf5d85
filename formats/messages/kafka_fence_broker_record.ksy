meta:
  id: kafka_fence_broker_record
  -orig-id: FenceBrokerRecord
  -versions: 0-0
  title: Apache Kafka fence broker record
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
doc: |
  A broker was fenced. Since 3.3 Kafka writes a
  `kafka_broker_registration_change_record` instead.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/FenceBrokerRecord.json FenceBrokerRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: id
    -orig-id: Id
    type: s4
    doc: The broker's `node.id`
  - id: epoch
    -orig-id: Epoch
    type: s8
    doc: Epoch of the broker's registration
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
