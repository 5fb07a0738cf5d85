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
  the offset and the size in front of it, which are those of every entry of a
  `kafka_log_segment`.

  A message with compression is a wrapper: its `value`, once decompressed, is a
  `kafka_log_segment` of the messages it holds; its key is not used. Wrappers
  are not nested. The offset of a wrapper is that of the last message in it. The
  offsets in front of the wrapped messages are

  * in format 0 the real ones,
  * in format 1 relative to each other (KIP-31): the last wrapped message has
    the wrapper's offset, and the others are as far before it as their numbers
    are before its number. After compaction the numbers have gaps.

  Whether a wrapper is in format 0 or 1 decides that, not the formats of the
  messages in it.
doc-ref:
  - https://kafka.apache.org/documentation/#messageset
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-31+-+Move+to+relative+offsets+in+compressed+message+sets KIP-31
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-32+-+Add+timestamps+to+Kafka+message KIP-32
-webide-representation: 'message v{magic:dec} {attributes} key {key:str} value {value:str}'
seq:
  - id: crc
    type: u4
    doc: |
      CRC-32 (that of zip and Ethernet) of `crc_input`. Kafka checks that of a
      wrapper, but on reading not those of the messages in it.
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
      Milliseconds since 1970-01-01 UTC, -1 if unknown: when the producer made
      the message or when the broker appended it, as `attributes.timestamp_type`
      says.

      If a wrapper says that the broker did, its timestamp holds for all
      messages in it, and theirs are to be ignored. Otherwise that of a wrapper
      is the greatest of theirs.
  - id: len_key
    type: s4
    doc: |
      Size of the key in bytes; -1 for null, and Kafka takes any negative size
      for null
  - id: key
    size: len_key
    if: len_key >= 0
    doc: |
      Key of the message as the producer serialized it. Missing if null, which
      is not the same as empty
  - id: len_value
    type: s4
    doc: |
      Size of the value in bytes; -1 for null, and Kafka takes any negative size
      for null
  - id: value
    size: len_value
    if: len_value >= 0
    doc: |
      Value of the message as the producer serialized it, or of a wrapper the
      compressed messages. Missing if null. In a compacted topic a null value
      means that the key is to be deleted. A wrapper needs a value.

      Snappy data of Java clients starts with a header of its own (the framing
      of the xerial library, its first byte 0x82), that of other clients may be
      one raw block. The header checksum of LZ4 frames in format 0 is wrong by a
      historical error of the Java client, which computed it over four bytes too
      many (KAFKA-3160).
    doc-ref: https://issues.apache.org/jira/browse/KAFKA-3160 KAFKA-3160
  - id: trailing
    size-eos: true
    doc: |
      What follows the value: nothing as a rule. Kafka does not mind further
      bytes, and the CRC covers them
instances:
  crc_input:
    pos: 4
    size-eos: true
    doc: |
      The bytes which `crc` covers, from `magic` to the end. Offset and size of
      the entry are left out.
types:
  attributes:
    doc: A byte whose bits tell how to read the message
    -webide-representation: '{compression} {timestamp_type}'
    seq:
      - id: reserved
        type: b4
        doc: Zeros; Kafka does not look at them
      - id: timestamp_type
        type: b1
        enum: timestamp_type
        doc: |
          What the timestamp is. Without meaning in format 0, which has none
      - id: compression
        type: b3
        enum: compression
        doc: |
          How `value` is compressed. Only `none`, `gzip`, `snappy` and `lz4` are
          possible in these formats, `lz4` since Kafka 0.8.2; with any other
          value Kafka reads the message itself, but not what is in it.
enums:
  compression:
    0:
      id: none
      doc: A single message, not a wrapper
    1:
      id: gzip
      doc: A wrapper of messages in the format of gzip
    2:
      id: snappy
      doc: A wrapper of messages in Snappy, mostly framed as the xerial library does
    3:
      id: lz4
      doc: A wrapper of messages in LZ4 frames
    4:
      id: zstd
      doc: Only in format 2, not valid here
  timestamp_type:
    0:
      id: create_time
      doc: When the producer made the message, or what it said
    1:
      id: log_append_time
      doc: When the broker appended the message
