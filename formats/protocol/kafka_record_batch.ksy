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
  What Apache Kafka writes since version 0.11: a header of 49 bytes for a number
  of records, without the offset and the size in front of it, which are those of
  every entry of a `kafka_log_segment`. The records are compressed together or
  not at all; the header never is.

  The log cleaner, which compacts topics, takes records out of batches, but
  leaves the offset of the entry and `last_offset_delta` as they were. So there
  may be fewer records than offsets, the first record need not have the offset
  of the entry, and a batch that holds the last sequence number of a producer is
  kept even without any record.
doc-ref:
  - https://kafka.apache.org/documentation/#recordbatch
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging KIP-98
-webide-representation: '{num_records:dec} records {attributes}'
seq:
  - id: partition_leader_epoch
    -orig-id: partitionLeaderEpoch
    type: s4
    doc: |
      Which leader of the partition appended the batch (KIP-101), -1 if unknown.
      The CRC does not cover it, as the leader sets it in a batch that the
      producer has made.
    doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-101+-+Alter+Replication+Protocol+to+use+Leader+Epoch+rather+than+High+Watermark+for+Truncation KIP-101
  - id: magic
    type: s1
    valid: 2
    doc: Number of the message format. The CRC does not cover it
  - id: crc
    type: u4
    doc: |
      CRC-32C (Castagnoli) of `crc_input`, the compressed bytes if there is
      compression
  - id: attributes
    type: attributes
    doc: Compression, kind of timestamp, and what the records are
  - id: last_offset_delta
    -orig-id: lastOffsetDelta
    type: s4
    doc: |
      To add to the offset of the entry for the last offset of the batch as it
      was produced. Also the number of sequence numbers it took up, less one.
  - id: base_timestamp
    -orig-id: baseTimestamp
    type: s8
    doc: |
      Milliseconds since 1970-01-01 UTC to which the `timestamp_delta` of each
      record is to be added; the sum wraps at 64 bits. -1 if unknown or if there
      is no record.

      As produced it is the timestamp of the first record. With
      `attributes.has_delete_horizon` it is instead the time from which on the
      log cleaner may drop the tombstones or the transaction marker in the batch
      (KIP-534), which may lie in the future. The deltas are then relative to
      it, mostly negative, and the timestamps of the records remain what they
      were.
    doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-534%3A+Retain+tombstones+and+transaction+markers+for+approximately+delete.retention.ms+milliseconds KIP-534
  - id: max_timestamp
    -orig-id: maxTimestamp
    type: s8
    doc: |
      Greatest timestamp of the records. If `attributes.timestamp_type` is
      `log_append_time` it is the time of the append and the timestamp of every
      record in the batch, and `base_timestamp` and the deltas, which are still
      those of the producer, are to be ignored.
  - id: producer_id
    -orig-id: producerId
    type: s8
    doc: Producer with idempotence or transactions, -1 for any other
  - id: producer_epoch
    -orig-id: producerEpoch
    type: s2
    doc: |
      Incarnation of the producer, -1 without producer id. It goes up whenever a
      transactional producer starts anew, so that the broker can refuse the old
      one. Since transactions of version 2 (KIP-890) it goes up with each
      transaction, and the marker that ends one has the next epoch already.
    doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-890%3A+Transactions+Server-Side+Defense KIP-890
  - id: base_sequence
    -orig-id: baseSequence
    type: s4
    doc: |
      Sequence number of the first record as produced, -1 for none. A record's
      own one is greater by its `offset_delta`; 0 follows 2147483647, be it
      inside of a batch.
  - id: num_records
    -orig-id: recordsCount
    type: s4
    valid:
      min: 0
    doc: Number of records, which the log cleaner may have brought down to 0
instances:
  crc_input:
    pos: 9
    size-eos: true
    doc: |
      The bytes which `crc` covers, from `attributes` to the end. Left out are
      offset and size of the entry, `partition_leader_epoch`, `magic` and the
      CRC itself.
  records:
    pos: 49
    type: kafka_record
    repeat: expr
    repeat-expr: num_records
    if: attributes.compression == compression::none
    doc: |
      The records, if they are not compressed. Kafka refuses a batch with
      anything after the last of them.
  compressed_records:
    pos: 49
    size-eos: true
    if: attributes.compression != compression::none
    doc: |
      The records, if they are compressed: once decompressed, a `kafka_records`
      with `num_records` of them.
types:
  attributes:
    doc: Two bytes whose bits tell how to read the batch
    -webide-representation: '{compression} {timestamp_type} {this:flags}'
    seq:
      - id: reserved
        type: b9
        doc: Zeros; Kafka does not look at them
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
          their keys are `kafka_control_record_key`, and consumers do not get to
          see them.
      - id: is_transactional
        -orig-id: isTransactional
        type: b1
        doc: Whether the batch is part of a transaction
      - id: timestamp_type
        -orig-id: timestampType
        type: b1
        enum: timestamp_type
        doc: What the timestamps of the records are
      - id: compression
        type: b3
        enum: compression
        doc: |
          How the records are compressed. 5 to 7 are not in use: Kafka reads
          such a batch, but not its records.
enums:
  compression:
    0:
      id: none
      doc: The records stand as they are
    1:
      id: gzip
      doc: In the format of gzip
    2:
      id: snappy
      doc: In the framing of the xerial library if a Java client wrote it
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
      doc: When the producer made the record, or what it said
    1:
      id: log_append_time
      doc: When the broker appended the batch
