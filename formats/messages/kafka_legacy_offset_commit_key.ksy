meta:
  id: kafka_legacy_offset_commit_key
  -orig-id: LegacyOffsetCommitKey
  -versions: 0-0
  title: Apache Kafka legacy offset commit key
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
  Key of an offset that a consumer group has committed for a partition, as Kafka
  0.8.2 wrote it. It has the layout of a `kafka_offset_commit_key`.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/LegacyOffsetCommitKey.json LegacyOffsetCommitKey
-webide-representation: '{group} {topic} {partition:dec}'
seq:
  - id: group
    type: kafka_string(false, false)
    doc: The group's `group.id`
  - id: topic
    type: kafka_string(false, false)
    doc: Name of the topic
  - id: partition
    type: s4
    doc: Number of the partition
