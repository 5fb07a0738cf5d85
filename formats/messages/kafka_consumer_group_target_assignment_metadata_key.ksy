meta:
  id: kafka_consumer_group_target_assignment_metadata_key
  -orig-id: ConsumerGroupTargetAssignmentMetadataKey
  -versions: 0-0
  title: Apache Kafka consumer group target assignment metadata key
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
  Key of the epoch of the target assignment of a consumer group of the new
  protocol.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupTargetAssignmentMetadataKey.json ConsumerGroupTargetAssignmentMetadataKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
