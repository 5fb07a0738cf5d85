meta:
  id: kafka_consumer_group_current_member_assignment_key
  -orig-id: ConsumerGroupCurrentMemberAssignmentKey
  -versions: 0-0
  title: Apache Kafka consumer group current member assignment key
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
  Key of the current assignment of a member of a consumer group of the new
  protocol.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupCurrentMemberAssignmentKey.json ConsumerGroupCurrentMemberAssignmentKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(false, false)
    doc: Id of the member
