meta:
  id: kafka_consumer_group_target_assignment_member_key
  -orig-id: ConsumerGroupTargetAssignmentMemberKey
  -versions: 0-0
  title: Apache Kafka consumer group target assignment member key
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
  Key of the target assignment of a member of a consumer group of the new
  protocol.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupTargetAssignmentMemberKey.json ConsumerGroupTargetAssignmentMemberKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(false, false)
    doc: Id of the member
