meta:
  id: kafka_header
  title: Apache Kafka record header
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_varint
doc: |
  A name and a value that an application has attached to a `kafka_record`
  (KIP-82). Names may be repeated in a record, and their order counts.
doc-ref:
  - https://kafka.apache.org/documentation/#recordheader
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-82+-+Add+Record+Headers KIP-82
-webide-representation: '{key:str}: {value:str}'
seq:
  - id: len_key
    -orig-id: headerKeyLength
    type: kafka_varint
    doc: |
      Size of the key in bytes; a negative one is invalid, as a key must not be
      null
  - id: key
    -orig-id: headerKey
    size: len_key.value
    doc: |
      Name of the header in UTF-8, which nobody checks: what is not UTF-8 comes
      out of Java clients with U+FFFD in its place. So it is left as bytes here.
  - id: len_value
    -orig-id: headerValueLength
    type: kafka_varint
    doc: |
      Size of the value in bytes; -1 for null, and Kafka takes any negative size
      for null
  - id: value
    size: len_value.value
    if: len_value.value >= 0
    doc: |
      Value of the header as the application set it. Missing if null, which is
      not the same as empty
