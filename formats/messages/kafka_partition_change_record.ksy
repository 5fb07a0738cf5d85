meta:
  id: kafka_partition_change_record
  -orig-id: PartitionChangeRecord
  -versions: 0-2
  title: Apache Kafka partition change record
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
doc: Change of a partition. Fields that did not change are left out.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/PartitionChangeRecord.json PartitionChangeRecord
-webide-representation: 'partition {partition_id:dec}'
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
          (tag.value != 8 or _root.message_version >= 1) and
          (tag.value != 6 or _root.message_version >= 2) and
          (tag.value != 7 or _root.message_version >= 2) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: isr_tag
            1: leader_tag
            2: replicas_tag
            3: removing_replicas_tag
            4: adding_replicas_tag
            5: leader_recovery_state_tag
            8: directories_tag
            6: eligible_leader_replicas_tag
            7: last_known_elr_tag
        doc: The field itself, or bytes if its tag is not known
  isr_tag:
    doc: Field of tag 0
    seq:
      - id: num_isr
        type: kafka_array_length(true, true)
        doc: Number of `isr`
      - id: isr
        -orig-id: Isr
        -index: 2
        -versions: 0-2
        type: s4
        repeat: expr
        repeat-expr: num_isr.value
        doc: The new in-sync replicas
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  leader_tag:
    doc: Field of tag 1
    seq:
      - id: leader
        -orig-id: Leader
        -index: 3
        -versions: 0-2
        type: s4
        doc: |
          The new leader, -1 if there is none; with it the leader epoch goes up
          by one
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  replicas_tag:
    doc: Field of tag 2
    seq:
      - id: num_replicas
        type: kafka_array_length(true, true)
        doc: Number of `replicas`
      - id: replicas
        -orig-id: Replicas
        -index: 4
        -versions: 0-2
        type: s4
        repeat: expr
        repeat-expr: num_replicas.value
        doc: Brokers that the partition is assigned to
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  removing_replicas_tag:
    doc: Field of tag 3
    seq:
      - id: num_removing_replicas
        type: kafka_array_length(true, true)
        doc: Number of `removing_replicas`
      - id: removing_replicas
        -orig-id: RemovingReplicas
        -index: 5
        -versions: 0-2
        type: s4
        repeat: expr
        repeat-expr: num_removing_replicas.value
        doc: Replicas that a reassignment is removing
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  adding_replicas_tag:
    doc: Field of tag 4
    seq:
      - id: num_adding_replicas
        type: kafka_array_length(true, true)
        doc: Number of `adding_replicas`
      - id: adding_replicas
        -orig-id: AddingReplicas
        -index: 6
        -versions: 0-2
        type: s4
        repeat: expr
        repeat-expr: num_adding_replicas.value
        doc: Replicas that a reassignment is adding
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  leader_recovery_state_tag:
    doc: Field of tag 5
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
  directories_tag:
    doc: Field of tag 8
    seq:
      - id: num_directories
        type: kafka_array_length(true, true)
        doc: Number of `directories`
      - id: directories
        -orig-id: Directories
        -index: 8
        -versions: 1-2
        size: 16
        repeat: expr
        repeat-expr: num_directories.value
        doc: Directory id of each replica
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  eligible_leader_replicas_tag:
    doc: Field of tag 6
    seq:
      - id: num_eligible_leader_replicas
        type: kafka_array_length(true, true)
        doc: Number of `eligible_leader_replicas`
      - id: eligible_leader_replicas
        -orig-id: EligibleLeaderReplicas
        -index: 9
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
    doc: Field of tag 7
    seq:
      - id: num_last_known_elr
        type: kafka_array_length(true, true)
        doc: Number of `last_known_elr`
      - id: last_known_elr
        -orig-id: LastKnownElr
        -index: 10
        -versions: 2-2
        type: s4
        repeat: expr
        repeat-expr: num_last_known_elr.value
        doc: Replicas that were last eligible and went down uncleanly (KIP-966)
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
