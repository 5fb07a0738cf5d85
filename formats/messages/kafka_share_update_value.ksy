meta:
  id: kafka_share_update_value
  -orig-id: ShareUpdateValue
  -versions: 0-0
  title: Apache Kafka share update value
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
    - kafka_tagged_fields
    - kafka_unsigned_varint
  endian: be
doc: |
  Change of a share group's state for a partition since the snapshot before it.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/share-coordinator/src/main/resources/common/message/ShareUpdateValue.json ShareUpdateValue
-webide-representation: 'from {start_offset:dec}'
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: snapshot_epoch
    -orig-id: SnapshotEpoch
    type: s4
    doc: Number of the snapshot that it changes
  - id: leader_epoch
    -orig-id: LeaderEpoch
    type: s4
    doc: Leader epoch of the partition
  - id: start_offset
    -orig-id: StartOffset
    type: s8
    doc: All records below it are done; -1 for no change
  - id: num_state_batches
    type: kafka_array_length(true, false)
    doc: Number of `state_batches`
  - id: state_batches
    -orig-id: StateBatches
    type: state_batch
    repeat: expr
    repeat-expr: num_state_batches.value
    doc: States of records, by ranges of offsets
  - id: tagged_fields
    type: tagged_fields
    doc: Fields that may be missing
types:
  state_batch:
    doc: Records of the same state
    -webide-representation: '{first_offset:dec} to {last_offset:dec}'
    seq:
      - id: first_offset
        -orig-id: FirstOffset
        type: s8
        doc: Offset of the first of these records
      - id: last_offset
        -orig-id: LastOffset
        type: s8
        doc: Offset of the last of these records
      - id: delivery_state
        -orig-id: DeliveryState
        type: s1
        doc: |
          0: available; 2: acknowledged; 4: archived, not delivered again
      - id: delivery_count
        -orig-id: DeliveryCount
        type: s2
        doc: How often they were delivered
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
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
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: delivery_complete_count_tag
        doc: The field itself, or bytes if its tag is not known
  delivery_complete_count_tag:
    doc: Field of tag 0
    seq:
      - id: delivery_complete_count
        -orig-id: DeliveryCompleteCount
        -index: 3
        -versions: 0-0
        type: s4
        doc: |
          How many records at or above `start_offset` are done, -1 if that is
          not known
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
