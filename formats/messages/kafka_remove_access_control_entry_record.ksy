meta:
  id: kafka_remove_access_control_entry_record
  -orig-id: RemoveAccessControlEntryRecord
  -versions: 0-0
  title: Apache Kafka remove access control entry record
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
doc: An ACL was removed.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RemoveAccessControlEntryRecord.json RemoveAccessControlEntryRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: id
    -orig-id: Id
    size: 16
    doc: UUID of the ACL
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
