meta:
  id: kafka_group_metadata_key
  -orig-id: GroupMetadataKey
  -versions: 0-0
  title: Apache Kafka group metadata key
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
doc: Key of a classic consumer group.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/GroupMetadataKey.json GroupMetadataKey
-webide-representation: '{group}'
seq:
  - id: group
    type: kafka_string(false, false)
    doc: The group's `group.id`
