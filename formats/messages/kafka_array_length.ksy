meta:
  id: kafka_array_length
  title: Apache Kafka array length
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
  Number of elements in front of an `ARRAY` of the Kafka protocol, or, in those
  versions of a message that have tagged fields, of a `COMPACT_ARRAY` (KIP-482).
  No element takes less than a byte, so a number greater than that of the bytes
  behind it is an error, before anything is made of it.
doc-ref:
  - https://kafka.apache.org/protocol#protocol_types
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields KIP-482
-webide-representation: '{value:dec}'
params:
  - id: is_compact
    type: bool
    doc: The number is a varint, and one more than that of the elements
  - id: is_nullable
    type: bool
    doc: A number below zero stands for null; if not, it is an error
seq:
  - id: num_elements_int32
    type: s4
    if: not is_compact
    doc: Number of elements, below zero for null
  - id: num_elements_plus_one
    type: kafka_unsigned_varint
    if: is_compact
    doc: Number of elements and one more, so 1 for none; 0 for null
  - id: none
    size: 0 - 1 # which no bytes have, to end with an error
    if: (value < 0 and not is_nullable) or value.as<s8> > (_io.size - _io.pos).as<s8>
    doc: Nothing, as there are bytes for all elements
instances:
  value:
    value: 'is_compact ? (num_elements_plus_one.value - 1).as<s4> : num_elements_int32'
    doc: Number of elements, negative for null
