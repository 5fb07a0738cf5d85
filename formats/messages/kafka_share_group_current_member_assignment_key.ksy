meta:
  id: kafka_share_group_current_member_assignment_key
  -orig-id: ShareGroupCurrentMemberAssignmentKey
  -versions: 0-0
  title: Apache Kafka share group current member assignment key
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
doc: Key of the current assignment of a member of a share group.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupCurrentMemberAssignmentKey.json ShareGroupCurrentMemberAssignmentKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(false, false)
    doc: Id of the member
