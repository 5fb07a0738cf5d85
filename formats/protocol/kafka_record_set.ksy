meta:
  id: kafka_record_set
  title: Apache Kafka record set
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_log_segment
    - kafka_unsigned_varint
  endian: be
doc: |
  `RECORDS` of the Kafka protocol, or, in those versions of a message that have
  tagged fields, `COMPACT_RECORDS` (KIP-482): batches of records in a request that
  produces or a response that fetches, laid out as in a file.
doc-ref:
  - https://kafka.apache.org/protocol#protocol_types
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields KIP-482
-webide-representation: '{len_value:dec} bytes'
params:
  - id: is_compact
    type: bool
    doc: The size is a varint, and one more than that of the batches
  - id: is_nullable
    type: bool
    doc: A size below zero stands for null; if not, it is an error
seq:
  - id: len_value_int32
    type: s4
    if: not is_compact
    doc: Size in bytes, below zero for null
  - id: len_value_plus_one
    type: kafka_unsigned_varint
    if: is_compact
    doc: Size in bytes and one more, so 1 for none; 0 for null
  - id: value
    size: len_value
    type: batches
    if: not is_null
    doc: The batches. Missing if null
instances:
  is_null:
    value: is_nullable and len_value < 0
  len_value:
    value: 'is_compact ? (len_value_plus_one.value - 1).as<s4> : len_value_int32'
    doc: Size in bytes
types:
  batches:
    doc: |
      Bytes that are parsed as batches only when asked for, so that damaged ones
      spoil nothing else
    seq:
      - id: data
        size-eos: true
        doc: The bytes
    instances:
      log:
        pos: 0
        size-eos: true
        type: kafka_log_segment
        doc: |
          The batches. A broker sends whole ranges of a file, so the last one may be
          cut off
