meta:
  id: kafka_share_group_target_assignment_member_key
  -orig-id: ShareGroupTargetAssignmentMemberKey
  -versions: 0-0
  title: Apache Kafka share group target assignment member key
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
doc: Key of the target assignment of a member of a share group.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupTargetAssignmentMemberKey.json ShareGroupTargetAssignmentMemberKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(false, false)
    doc: Id of the member
