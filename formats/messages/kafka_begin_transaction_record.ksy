meta:
  id: kafka_begin_transaction_record
  -orig-id: BeginTransactionRecord
  -versions: 0-0
  title: Apache Kafka begin transaction record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
    - kafka_unsigned_varint
  endian: be
doc: |
  Beginning of a transaction of metadata (KIP-868), whose records count once a
  `kafka_end_transaction_record` follows.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/BeginTransactionRecord.json BeginTransactionRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: tagged_fields
    type: tagged_fields
    doc: Fields that may be missing
types:
  tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  tagged_field:
    doc: A field that may be missing
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: name_tag
        doc: The field itself, or bytes if its tag is not known
  name_tag:
    doc: Field of tag 0
    seq:
      - id: name
        -orig-id: Name
        -index: 0
        -versions: 0-0
        type: kafka_string(true, true)
        doc: Its purpose, if the controller gave one
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
