meta:
  id: kafka_tagged_fields
  title: Apache Kafka tagged fields
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
  Optional fields at the end of a message, or of a structure in it (KIP-482). A
  reader that does not know a tag passes over the field by its size. So a newer
  Kafka may add fields without a new version of the message.
doc-ref:
  - https://kafka.apache.org/protocol#protocol_types
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields KIP-482
-webide-representation: '{num_fields} tagged fields'
seq:
  - id: num_fields
    type: kafka_unsigned_varint
    doc: Number of tagged fields. To Kafka a negative one is an error since 4.4
  - id: fields
    type: field
    repeat: expr
    repeat-expr: num_fields.value
    doc: The tagged fields, in ascending order of their tags
types:
  field:
    doc: A field whose meaning the message's schema tells by `tag`
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field; each message and structure has its own
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: len_data.value
        doc: The field itself, laid out as the message's schema tells
