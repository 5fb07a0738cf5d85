meta:
  id: kafka_consumer_group_partition_metadata_key
  -orig-id: ConsumerGroupPartitionMetadataKey
  -versions: 0-0
  title: Apache Kafka consumer group partition metadata key
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
  Key of the topics as a consumer group of the new protocol knew them. Kafka 4.1
  and later only write tombstones for it.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupPartitionMetadataKey.json ConsumerGroupPartitionMetadataKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
