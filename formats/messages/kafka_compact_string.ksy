meta:
  id: kafka_compact_string
  title: Apache Kafka string with a length of variable size
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_unsigned_varint
doc: |
  `COMPACT_STRING` of the Kafka protocol, which is never null. Kafka has strings
  like this in those versions of a message that have tagged fields (KIP-482).
doc-ref:
  - https://kafka.apache.org/protocol#protocol_types
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields KIP-482
-webide-representation: '{value:str}'
seq:
  - id: len_value_plus_one
    type: kafka_unsigned_varint
    doc: |
      Size of the string in bytes and one more, so 1 for an empty one; 0 would
      be null, and is invalid
  - id: value
    size: len_value
    doc: |
      Text in UTF-8, which nobody checks: what is not UTF-8 comes out of Java
      with U+FFFD in its place. So it is left as bytes here.
instances:
  len_value:
    value: 'len_value_plus_one.value <= 32768 ? len_value_plus_one.value - 1 : -1'
    doc: |
      Size of the string in bytes. Kafka refuses more than 32767; such a size is
      made a negative one, so that it is an error
