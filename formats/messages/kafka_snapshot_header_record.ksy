meta:
  id: kafka_snapshot_header_record
  -orig-id: SnapshotHeaderRecord
  -versions: 0-0
  title: Apache Kafka snapshot header record
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
  Value of the control record of type `snapshot_header`, the first record of a
  snapshot of the metadata log (a `.checkpoint` file).
doc-ref:
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-630%3A+Kafka+Raft+Snapshot KIP-630
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SnapshotHeaderRecord.json SnapshotHeaderRecord
-webide-representation: 'log up to {last_contained_log_timestamp:dec}'
seq:
  - id: version
    -orig-id: Version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: last_contained_log_timestamp
    -orig-id: LastContainedLogTimestamp
    type: s8
    doc: |
      Append time of the last record of the log that has gone into the snapshot,
      in ms since 1970-01-01 UTC; 0 in a snapshot that came before any log
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
