meta:
  id: kafka_streams_group_target_assignment_member_key
  -orig-id: StreamsGroupTargetAssignmentMemberKey
  -versions: 0-0
  title: Apache Kafka streams group target assignment member key
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
doc: Key of the target assignment of a member of a streams group.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTargetAssignmentMemberKey.json StreamsGroupTargetAssignmentMemberKey
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The group's `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(false, false)
    doc: Id of the member
