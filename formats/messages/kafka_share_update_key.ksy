meta:
  id: kafka_share_update_key
  -orig-id: ShareUpdateKey
  -versions: 0-0
  title: Apache Kafka share update key
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
doc: Key of a change of a share group's state for a partition.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/share-coordinator/src/main/resources/common/message/ShareUpdateKey.json ShareUpdateKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
  - id: topic_id
    -orig-id: TopicId
    size: 16
    doc: UUID of the topic
  - id: partition
    -orig-id: Partition
    type: s4
    doc: Number of the partition
