meta:
  id: kafka_string
  title: Apache Kafka string
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_unsigned_varint
  endian: be
doc: |
  `STRING` or `NULLABLE_STRING` of the Kafka protocol, or, in those versions of a
  message that have tagged fields, `COMPACT_STRING` or `COMPACT_NULLABLE_STRING`
  (KIP-482).
doc-ref:
  - https://kafka.apache.org/protocol#protocol_types
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields KIP-482
-webide-representation: '{value:str}'
params:
  - id: is_compact
    type: bool
    doc: The size is a varint, and one more than that of the string
  - id: is_nullable
    type: bool
    doc: A size below zero stands for null; if not, it is an error
seq:
  - id: len_value_int16
    type: s2
    if: not is_compact
    doc: Size of the string in bytes, below zero for null
  - id: len_value_plus_one
    type: kafka_unsigned_varint
    if: is_compact
    doc: |
      Size of the string in bytes and one more, so 1 for an empty one; 0 for null
  - id: value
    size: len_value
    if: not is_null
    doc: |
      Text in UTF-8, which nobody checks: what is not UTF-8 comes out of Java
      with U+FFFD in its place. So it is left as bytes here. Missing if null.
instances:
  is_null:
    value: is_nullable and len_declared < 0
  len_declared:
    value: 'is_compact ? (len_value_plus_one.value - 1).as<s4> : len_value_int16.as<s4>'
  len_value:
    value: 'len_declared <= 32767 ? len_declared : -1'
    doc: |
      Size of the string in bytes. Kafka refuses more than 32767; such a size is
      made a negative one, so that it is an error
