meta:
  id: kafka_streams_group_target_assignment_member_value
  -orig-id: StreamsGroupTargetAssignmentMemberValue
  -versions: 0-0
  title: Apache Kafka streams group target assignment member value
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
  endian: be
doc: Target assignment of a member of a streams group.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTargetAssignmentMemberValue.json StreamsGroupTargetAssignmentMemberValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
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
        type: kafka_tagged_fields
        doc: None is known
