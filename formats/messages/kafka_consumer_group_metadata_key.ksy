meta:
  id: kafka_consumer_group_metadata_key
  -orig-id: ConsumerGroupMetadataKey
  -versions: 0-0
  title: Apache Kafka consumer group metadata key
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
doc: Key of a consumer group of the new protocol (KIP-848).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupMetadataKey.json ConsumerGroupMetadataKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
