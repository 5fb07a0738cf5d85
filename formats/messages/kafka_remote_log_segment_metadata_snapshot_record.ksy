meta:
  id: kafka_remote_log_segment_metadata_snapshot_record
  -orig-id: RemoteLogSegmentMetadataSnapshotRecord
  -versions: 0-0
  title: Apache Kafka remote log segment metadata snapshot record
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
    - kafka_boolean
    - kafka_bytes
    - kafka_tagged_fields
    - kafka_unsigned_varint
  endian: be
doc: |
  A segment in remote storage, in the snapshots that brokers keep of this topic
  in files.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemoteLogSegmentMetadataSnapshotRecord.json RemoteLogSegmentMetadataSnapshotRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: segment_id
    -orig-id: SegmentId
    size: 16
    doc: UUID of the copy
  - id: start_offset
    -orig-id: StartOffset
    type: s8
    doc: Offset of the first record
  - id: end_offset
    -orig-id: EndOffset
    type: s8
    doc: Offset of the last record
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: max_timestamp_ms
    -orig-id: MaxTimestampMs
    type: s8
    doc: Largest timestamp of its records, in ms since 1970-01-01 UTC
  - id: event_timestamp_ms
    -orig-id: EventTimestampMs
    type: s8
    doc: When the broker wrote this, in ms since 1970-01-01 UTC
  - id: num_segment_leader_epochs
    type: kafka_array_length(true, false)
    doc: Number of `segment_leader_epochs`
  - id: segment_leader_epochs
    -orig-id: SegmentLeaderEpochs
    type: segment_leader_epoch_entry
    repeat: expr
    repeat-expr: num_segment_leader_epochs.value
    doc: Leader epochs in the segment
  - id: segment_size_in_bytes
    -orig-id: SegmentSizeInBytes
    type: s4
    doc: Size of the `.log` file
  - id: custom_metadata
    -orig-id: CustomMetadata
    type: kafka_bytes(true, true)
    doc: Data of the plug-in that stores segments
  - id: remote_log_segment_state
    -orig-id: RemoteLogSegmentState
    type: s1
    doc: |
      0: copying; 1: copied; 2: deleting; 3: deleted
  - id: tagged_fields
    type: tagged_fields
    doc: Fields that may be missing
types:
  segment_leader_epoch_entry:
    doc: A leader epoch, and its first offset in the segment
    seq:
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Epoch of the partition's leader
      - id: offset
        -orig-id: Offset
        type: s8
        doc: First offset of the epoch in the segment
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
            0: txn_index_empty_tag
        doc: The field itself, or bytes if its tag is not known
  txn_index_empty_tag:
    doc: Field of tag 0
    seq:
      - id: txn_index_empty
        -orig-id: TxnIndexEmpty
        -index: 10
        -versions: 0-0
        type: kafka_boolean
        doc: Whether the segment has no aborted transactions
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
