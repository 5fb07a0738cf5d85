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
  (KIP-82). A record may repeat names, and their order is significant.
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
      Name of the header in UTF-8, which no broker checks: Java clients replace
      invalid bytes with U+FFFD. So this spec gives bytes.
  - id: len_value
    -orig-id: headerValueLength
    type: kafka_varint
    doc: |
      Size of the value in bytes; -1 for null, and Kafka reads any negative size
      as null
  - id: value
    size: len_value.value
    if: len_value.value >= 0
    doc: |
      Value of the header as the application set it. Missing if null; an empty
      value is not null
