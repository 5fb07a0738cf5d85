meta:
  id: kafka_no_op_record
  -orig-id: NoOpRecord
  -versions: 0-0
  title: Apache Kafka no op record
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
doc: No change; the active controller appends it to show that it can.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/NoOpRecord.json NoOpRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
