meta:
  id: kafka_boolean
  title: Apache Kafka boolean
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
doc: '`BOOLEAN` of the Kafka protocol: a byte, false if it is 0, else true.'
doc-ref: https://kafka.apache.org/protocol#protocol_types
-webide-representation: '{value}'
seq:
  - id: flag
    type: s1
    doc: 0 for false, anything else for true
instances:
  value:
    value: flag != 0
