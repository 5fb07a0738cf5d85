meta:
  id: kafka_partition_record
  -orig-id: PartitionRecord
  -versions: 0-2
  title: Apache Kafka partition record
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
    - kafka_unsigned_varint
  endian: be
doc: A partition, new or in a snapshot.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/PartitionRecord.json PartitionRecord
-webide-representation: 'partition {partition_id:dec}, leader {leader:dec}'
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: partition_id
    -orig-id: PartitionId
    type: s4
    doc: Number of the partition
  - id: topic_id
    -orig-id: TopicId
    size: 16
    doc: UUID of the topic
  - id: num_replicas
    type: kafka_array_length(true, false)
    doc: Number of `replicas`
  - id: replicas
    -orig-id: Replicas
    type: s4
    repeat: expr
    repeat-expr: num_replicas.value
    doc: Brokers in order of preference
  - id: num_isr
    type: kafka_array_length(true, false)
    doc: Number of `isr`
  - id: isr
    -orig-id: Isr
    type: s4
    repeat: expr
    repeat-expr: num_isr.value
    doc: In-sync replicas
  - id: num_removing_replicas
    type: kafka_array_length(true, false)
    doc: Number of `removing_replicas`
  - id: removing_replicas
    -orig-id: RemovingReplicas
    type: s4
    repeat: expr
    repeat-expr: num_removing_replicas.value
    doc: Those that a reassignment is removing
  - id: num_adding_replicas
    type: kafka_array_length(true, false)
    doc: Number of `adding_replicas`
  - id: adding_replicas
    -orig-id: AddingReplicas
    type: s4
    repeat: expr
    repeat-expr: num_adding_replicas.value
    doc: Those that a reassignment is adding
  - id: leader
    -orig-id: Leader
    type: s4
    doc: The leader, -1 if there is none
  - id: leader_epoch
    -orig-id: LeaderEpoch
    type: s4
    doc: Epoch of the partition's leader
  - id: partition_epoch
    -orig-id: PartitionEpoch
    type: s4
    doc: Number of changes of the partition
  - id: num_directories
    type: kafka_array_length(true, false)
    if: message_version >= 1
    doc: Number of `directories`
  - id: directories
    -orig-id: Directories
    size: 16
    repeat: expr
    repeat-expr: num_directories.value
    if: message_version >= 1
    doc: Directory id of each replica
  - id: tagged_fields
    type: tagged_fields
    doc: Fields that may be missing
types:
  tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  tagged_field:
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
        size: |
          (tag.value != 1 or _root.message_version >= 2) and
          (tag.value != 2 or _root.message_version >= 2) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: leader_recovery_state_tag
            1: eligible_leader_replicas_tag
            2: last_known_elr_tag
        doc: The field itself, or bytes if its tag is not known
  leader_recovery_state_tag:
    doc: Field of tag 0
    seq:
      - id: leader_recovery_state
        -orig-id: LeaderRecoveryState
        -index: 7
        -versions: 0-2
        type: s1
        doc: |
          0: recovered; 1: the leader was elected uncleanly and has not
          recovered yet
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  eligible_leader_replicas_tag:
    doc: Field of tag 1
    seq:
      - id: num_eligible_leader_replicas
        type: kafka_array_length(true, true)
        doc: Number of `eligible_leader_replicas`
      - id: eligible_leader_replicas
        -orig-id: EligibleLeaderReplicas
        -index: 11
        -versions: 2-2
        type: s4
        repeat: expr
        repeat-expr: num_eligible_leader_replicas.value
        doc: Replicas out of sync that have all committed records (KIP-966)
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  last_known_elr_tag:
    doc: Field of tag 2
    seq:
      - id: num_last_known_elr
        type: kafka_array_length(true, true)
        doc: Number of `last_known_elr`
      - id: last_known_elr
        -orig-id: LastKnownElr
        -index: 12
        -versions: 2-2
        type: s4
        repeat: expr
        repeat-expr: num_last_known_elr.value
        doc: Replicas that were last eligible and went down uncleanly (KIP-966)
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
