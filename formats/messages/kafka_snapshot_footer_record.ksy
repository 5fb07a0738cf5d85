meta:
  id: kafka_snapshot_footer_record
  -orig-id: SnapshotFooterRecord
  -versions: 0-0
  title: Apache Kafka snapshot footer record
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
  Value of the control record of type `snapshot_footer`, the last record of a
  snapshot of the metadata log (a `.checkpoint` file). A snapshot without one is
  incomplete.
doc-ref:
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-630%3A+Kafka+Raft+Snapshot KIP-630
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SnapshotFooterRecord.json SnapshotFooterRecord
-webide-representation: 'end of the snapshot'
seq:
  - id: version
    -orig-id: Version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
