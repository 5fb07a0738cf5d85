meta:
  id: kafka_compact_array_length
  title: Apache Kafka number of elements, of variable size
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
  What stands in front of the elements of a `COMPACT_ARRAY` of the Kafka protocol
  that is never null. Kafka has arrays like this in those versions of a message
  that have tagged fields (KIP-482).
doc-ref:
  - https://kafka.apache.org/protocol#protocol_types
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields KIP-482
-webide-representation: '{value:dec}'
seq:
  - id: num_elements_plus_one
    type: kafka_unsigned_varint
    doc: One more than the number of elements; 0 would be null, and is invalid
instances:
  value:
    value: 'num_elements_plus_one.value >= 1 ? num_elements_plus_one.value - 1 : 0x7fff_ffff'
    doc: |
      Number of elements. An invalid one is made one that no message has room
      for, so that it is an error
