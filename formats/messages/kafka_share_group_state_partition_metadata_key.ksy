meta:
  id: kafka_share_group_state_partition_metadata_key
  -orig-id: ShareGroupStatePartitionMetadataKey
  -versions: 0-0
  title: Apache Kafka share group state partition metadata key
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
doc: Key of the partitions for which a share group keeps state.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupStatePartitionMetadataKey.json ShareGroupStatePartitionMetadataKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
