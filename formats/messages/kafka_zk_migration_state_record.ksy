meta:
  id: kafka_zk_migration_state_record
  -orig-id: ZkMigrationStateRecord
  -versions: 0-0
  title: Apache Kafka zk migration state record
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
doc: State of the migration from ZooKeeper.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ZkMigrationRecord.json ZkMigrationStateRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: zk_migration_state
    -orig-id: ZkMigrationState
    type: s1
    doc: |
      0: none; 1: under way; 2: not begun yet; 3: completed; 4: not asked for
      yet
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
