meta:
  id: kafka_streams_group_current_member_assignment_value
  -orig-id: StreamsGroupCurrentMemberAssignmentValue
  -versions: 0-0
  title: Apache Kafka streams group current member assignment value
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
    - kafka_unsigned_varint
  endian: be
doc: |
  Current assignment of a member of a streams group, on its way to the target
  assignment.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupCurrentMemberAssignmentValue.json StreamsGroupCurrentMemberAssignmentValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: member_epoch
    -orig-id: MemberEpoch
    type: s4
    doc: Epoch of the member, which it sends in its heartbeats
  - id: previous_member_epoch
    -orig-id: PreviousMemberEpoch
    type: s4
    doc: |
      The epoch before; the member sends it again if the response with the new
      one was lost
  - id: state
    -orig-id: State
    type: s1
    doc: |
      0: stable; 1: it must give up tasks; 2: tasks assigned to it are not free
      yet
  - id: num_active_tasks
    type: kafka_array_length(true, false)
    doc: Number of `active_tasks`
  - id: active_tasks
    -orig-id: ActiveTasks
    type: task_ids
    repeat: expr
    repeat-expr: num_active_tasks.value
    doc: Tasks that process records
  - id: num_standby_tasks
    type: kafka_array_length(true, false)
    doc: Number of `standby_tasks`
  - id: standby_tasks
    -orig-id: StandbyTasks
    type: task_ids
    repeat: expr
    repeat-expr: num_standby_tasks.value
    doc: Tasks that keep a copy of the state
  - id: num_warmup_tasks
    type: kafka_array_length(true, false)
    doc: Number of `warmup_tasks`
  - id: warmup_tasks
    -orig-id: WarmupTasks
    type: task_ids
    repeat: expr
    repeat-expr: num_warmup_tasks.value
    doc: Tasks that build up their state, to become active elsewhere
  - id: num_active_tasks_pending_revocation
    type: kafka_array_length(true, false)
    doc: Number of `active_tasks_pending_revocation`
  - id: active_tasks_pending_revocation
    -orig-id: ActiveTasksPendingRevocation
    type: task_ids
    repeat: expr
    repeat-expr: num_active_tasks_pending_revocation.value
    doc: Active tasks that the member must give up
  - id: num_standby_tasks_pending_revocation
    type: kafka_array_length(true, false)
    doc: Number of `standby_tasks_pending_revocation`
  - id: standby_tasks_pending_revocation
    -orig-id: StandbyTasksPendingRevocation
    type: task_ids
    repeat: expr
    repeat-expr: num_standby_tasks_pending_revocation.value
    doc: Standby tasks that the member must give up
  - id: num_warmup_tasks_pending_revocation
    type: kafka_array_length(true, false)
    doc: Number of `warmup_tasks_pending_revocation`
  - id: warmup_tasks_pending_revocation
    -orig-id: WarmupTasksPendingRevocation
    type: task_ids
    repeat: expr
    repeat-expr: num_warmup_tasks_pending_revocation.value
    doc: Warm-up tasks that the member must give up
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  task_ids:
    doc: Tasks of a part of the topology, one for each partition
    seq:
      - id: subtopology_id
        -orig-id: SubtopologyId
        type: kafka_string(true, false)
        doc: Id of the part of the topology
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
        doc: Numbers of its partitions
      - id: tagged_fields
        type: task_ids_tagged_fields
        doc: Fields that may be missing
  task_ids_tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: task_ids_tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  task_ids_tagged_field:
    doc: A field that may be missing
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: task_ids_assignment_epochs_tag
        doc: The field itself, or bytes if its tag is not known
  task_ids_assignment_epochs_tag:
    doc: Field of tag 0
    seq:
      - id: num_assignment_epochs
        type: kafka_array_length(true, true)
        doc: Number of `assignment_epochs`
      - id: assignment_epochs
        -orig-id: AssignmentEpochs
        -index: 2
        -versions: 0-0
        type: s4
        repeat: expr
        repeat-expr: num_assignment_epochs.value
        doc: |
          For each active task, the epoch of the member in which it was assigned
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
