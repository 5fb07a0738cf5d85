meta:
  id: kafka_record_batch
  title: Apache Kafka record batch (message format 2)
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_record
  endian: be
doc: |
  A record batch, which Apache Kafka writes since version 0.11: a header of 49
  bytes and a number of records, without its offset and size, which are part of
  the entry in a `kafka_log_segment`. The records are compressed together or not
  at all; the header never is.

  The log cleaner, which compacts topics, removes records from batches, but
  keeps the offset of the entry and `last_offset_delta`. So a batch may have
  fewer records than offsets, its first record need not have the offset of the
  entry, and a batch with the last sequence number of a producer is kept even
  without records.
doc-ref:
  - https://kafka.apache.org/documentation/#recordbatch
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging KIP-98
-webide-representation: '{num_records:dec} records {attributes}'
seq:
  - id: partition_leader_epoch
    -orig-id: partitionLeaderEpoch
    type: s4
    doc: |
      Epoch of the partition's leader that appended the batch (KIP-101), -1 if
      unknown. The CRC does not cover it, as the leader sets it in a batch that
      the producer has made.
    doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-101+-+Alter+Replication+Protocol+to+use+Leader+Epoch+rather+than+High+Watermark+for+Truncation KIP-101
  - id: magic
    type: s1
    valid: 2
    doc: Number of the message format. The CRC does not cover it
  - id: crc
    type: u4
    doc: |
      CRC-32C (Castagnoli) of `crc_input`, with the records as compressed
  - id: attributes
    type: attributes
    doc: Compression, type of timestamp, and kind of records
  - id: last_offset_delta
    -orig-id: lastOffsetDelta
    type: s4
    doc: |
      Last offset of the batch as it was produced, minus the offset of the
      entry; also the number of its sequence numbers minus one.
  - id: base_timestamp
    -orig-id: baseTimestamp
    type: s8
    doc: |
      Milliseconds since 1970-01-01 UTC to which the `timestamp_delta` of each
      record is added; the sum wraps at 64 bits. -1 if unknown or without
      records. As produced it is the timestamp of the first record. With
      `attributes.has_delete_horizon` it is instead the time, past or future,
      from which on the log cleaner may drop the tombstones or the transaction
      marker in the batch (KIP-534). The deltas are then relative to it, and
      mostly negative; the timestamps of the records are unchanged.
    doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-534%3A+Retain+tombstones+and+transaction+markers+for+approximately+delete.retention.ms+milliseconds KIP-534
  - id: max_timestamp
    -orig-id: maxTimestamp
    type: s8
    doc: |
      Greatest timestamp of the records. If `attributes.timestamp_type` is
      `log_append_time` it is the time of the append and the timestamp of every
      record in the batch; `base_timestamp` and the deltas are still those of
      the producer, and are ignored.
  - id: producer_id
    -orig-id: producerId
    type: s8
    doc: Id of an idempotent or transactional producer, -1 for any other
  - id: producer_epoch
    -orig-id: producerEpoch
    type: s2
    doc: |
      Epoch of the producer, -1 without producer id. It rises whenever a
      transactional producer restarts, so that the broker can refuse the old
      one. With transactions of version 2 (KIP-890) it rises with each
      transaction, and the marker that ends a transaction already has the next
      epoch.
    doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-890%3A+Transactions+Server-Side+Defense KIP-890
  - id: base_sequence
    -orig-id: baseSequence
    type: s4
    doc: |
      Sequence number of the first record as produced, -1 for none. The sequence
      number of a record is greater by its `offset_delta`; 0 follows 2147483647,
      also inside a batch.
  - id: num_records
    -orig-id: recordsCount
    type: s4
    valid:
      min: 0
    doc: Number of records, which the log cleaner may have reduced to 0
instances:
  crc_input:
    pos: 9
    size-eos: true
    doc: |
      The bytes that `crc` covers, from `attributes` to the end, without offset
      and size of the entry, `partition_leader_epoch`, `magic` and the CRC
      itself.
  records:
    pos: 49
    type: kafka_record
    repeat: expr
    repeat-expr: num_records
    if: attributes.compression == compression::none
    doc: |
      The records, if they are not compressed. Kafka refuses a batch with bytes
      after the last record.
  compressed_records:
    pos: 49
    size-eos: true
    if: attributes.compression != compression::none
    doc: |
      The records, if they are compressed: after decompression a `kafka_records`
      with `num_records` records.
types:
  attributes:
    doc: Two bytes of flags
    -webide-representation: '{compression} {timestamp_type} {this:flags}'
    seq:
      - id: reserved
        type: b9
        doc: Zeros; Kafka ignores them
      - id: has_delete_horizon
        -orig-id: hasDeleteHorizonMs
        type: b1
        doc: |
          Whether `base_timestamp` is the delete horizon, since Kafka 3.1
          (KIP-534)
      - id: is_control
        -orig-id: isControlBatch
        type: b1
        doc: |
          Whether the records are Kafka's own, such as transaction markers:
          their keys are `kafka_control_record_key`, and consumers do not return
          them.
      - id: is_transactional
        -orig-id: isTransactional
        type: b1
        doc: Whether the batch is part of a transaction
      - id: timestamp_type
        -orig-id: timestampType
        type: b1
        enum: timestamp_type
        doc: Type of the records' timestamps
      - id: compression
        type: b3
        enum: compression
        doc: |
          Codec of the records. 5 to 7 are not used: Kafka reads such a batch,
          but not its records.
enums:
  compression:
    0:
      id: none
      doc: Not compressed
    1:
      id: gzip
      doc: The gzip format
    2:
      id: snappy
      doc: Snappy, in the framing of the xerial library if a Java client wrote it
    3:
      id: lz4
      doc: LZ4 frames
    4:
      id: zstd
      doc: Since Kafka 2.1 (KIP-110)
      doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-110%3A+Add+Codec+for+ZStandard+Compression KIP-110
  timestamp_type:
    0:
      id: create_time
      doc: The time at which the producer made the record, or a time that it set
    1:
      id: log_append_time
      doc: The time at which the broker appended the batch
