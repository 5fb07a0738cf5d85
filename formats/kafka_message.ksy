meta:
  id: kafka_message
  title: Apache Kafka message (message formats 0 and 1)
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  A message of the formats that Apache Kafka wrote before version 0.11, without
  its offset and size, which are part of the entry in a `kafka_log_segment`.

  A message with compression is a wrapper: its `value`, once decompressed, is a
  `kafka_log_segment` of the messages it holds; its key is not used. Wrappers
  are not nested. The offset of a wrapper is that of the last message in it. The
  offsets of the wrapped messages are

  * in format 0 absolute,
  * in format 1 relative to each other (KIP-31): the last wrapped message has
    the wrapper's offset, and the others are as far before it as their numbers
    are before its number. After compaction the numbers have gaps.

  The format of the wrapper decides, not the formats of the messages in it.
doc-ref:
  - https://kafka.apache.org/documentation/#messageset
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-31+-+Move+to+relative+offsets+in+compressed+message+sets KIP-31
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-32+-+Add+timestamps+to+Kafka+message KIP-32
-webide-representation: 'message v{magic:dec} {attributes} key {key:str} value {value:str}'
seq:
  - id: crc
    type: u4
    doc: |
      CRC-32 (that of zip and Ethernet) of `crc_input`. A reading Kafka checks
      the CRC of a wrapper, but not those of the messages in it.
  - id: magic
    type: s1
    valid:
      max: 1
    doc: |
      Number of the message format, 0 or 1. Kafka reads negative numbers as 1.
  - id: attributes
    type: attributes
    doc: Compression and kind of timestamp
  - id: timestamp
    type: s8
    if: magic != 0
    doc: |
      Milliseconds since 1970-01-01 UTC, -1 if unknown: the time at which the
      producer made the message or the broker appended it, by
      `attributes.timestamp_type`. With `log_append_time` the timestamp of a
      wrapper applies to all messages in it, and their own are ignored.
      Otherwise the timestamp of a wrapper is the greatest of its messages.
  - id: len_key
    type: s4
    doc: |
      Size of the key in bytes; -1 for null, and Kafka reads any negative size
      as null
  - id: key
    size: len_key
    if: len_key >= 0
    doc: |
      Key of the message as the producer serialized it. Missing if null; an
      empty key is not null
  - id: len_value
    type: s4
    doc: |
      Size of the value in bytes; -1 for null, and Kafka reads any negative size
      as null
  - id: value
    size: len_value
    if: len_value >= 0
    doc: |
      Value of the message as the producer serialized it, or of a wrapper the
      compressed messages. Missing if null. In a compacted topic a null value
      means that the key is to be deleted. A wrapper must have a value. Snappy
      data of Java clients begins with the header of the xerial library's
      framing (its first byte is 0x82); other clients may write one raw block.
      In format 0 the header checksum of LZ4 frames is wrong by a historical
      error of the Java client, which computed it over four bytes too many
      (KAFKA-3160).
    doc-ref: https://issues.apache.org/jira/browse/KAFKA-3160 KAFKA-3160
  - id: trailing
    size-eos: true
    doc: |
      Bytes after the value, usually none. Kafka accepts them, and the CRC
      covers them
instances:
  crc_input:
    pos: 4
    size-eos: true
    doc: |
      The bytes that `crc` covers, from `magic` to the end, without offset and
      size of the entry.
types:
  attributes:
    doc: A byte of flags
    -webide-representation: '{compression} {timestamp_type}'
    seq:
      - id: reserved
        type: b4
        doc: Zeros; Kafka ignores them
      - id: timestamp_type
        type: b1
        enum: timestamp_type
        doc: |
          Type of the timestamp. Without meaning in format 0, which has no
          timestamp
      - id: compression
        type: b3
        enum: compression
        doc: |
          Codec of `value`. Only `none`, `gzip`, `snappy` and `lz4` are valid in
          these formats, `lz4` since Kafka 0.8.2; with any other codec Kafka
          reads the message itself, but not the messages in it.
enums:
  compression:
    0:
      id: none
      doc: A single message, not a wrapper
    1:
      id: gzip
      doc: A wrapper of messages compressed with gzip
    2:
      id: snappy
      doc: |
        A wrapper of messages compressed with Snappy, mostly in the xerial
        library's framing
    3:
      id: lz4
      doc: A wrapper of messages in LZ4 frames
    4:
      id: zstd
      doc: Only in format 2, not valid here
  timestamp_type:
    0:
      id: create_time
      doc: The time at which the producer made the message, or a time that it set
    1:
      id: log_append_time
      doc: The time at which the broker appended the message
