meta:
  id: kafka_legacy_offset_commit_value
  -orig-id: LegacyOffsetCommitValue
  -versions: 0-0
  title: Apache Kafka legacy offset commit value
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
  Offset that a consumer group has committed for a partition, as Kafka 0.8.2
  wrote it. It has the layout of a `kafka_offset_commit_value` of version 0.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/LegacyOffsetCommitValue.json LegacyOffsetCommitValue
-webide-representation: 'offset {offset:dec}'
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: offset
    type: s8
    doc: Offset of the next record that the group wants to read
  - id: metadata
    type: kafka_string(false, false)
    doc: Text that the consumer committed with the offset, mostly empty
  - id: commit_timestamp
    -orig-id: commitTimestamp
    type: s8
    doc: When it was committed, in ms since 1970-01-01 UTC
