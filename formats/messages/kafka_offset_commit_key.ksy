meta:
  id: kafka_offset_commit_key
  -orig-id: OffsetCommitKey
  -versions: 0-0
  title: Apache Kafka offset commit key
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
doc: Key of an offset that a consumer group has committed for a partition.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/OffsetCommitKey.json OffsetCommitKey
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
