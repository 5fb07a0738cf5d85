meta:
  id: kafka_record
  title: Apache Kafka record (message format 2)
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_header
    - kafka_varint
    - kafka_varlong
doc: |
  One record of a `kafka_record_batch`. Offset and timestamp are relative to
  those of the batch, and nearly all numbers are of variable length.
doc-ref: https://kafka.apache.org/documentation/#record
-webide-representation: '{body}'
seq:
  - id: len_body
    -orig-id: length
    type: kafka_varint
    doc: Size of what follows in bytes
  - id: body
    size: len_body.value
    type: body
    doc: The record itself
types:
  body:
    doc: What is in a record, without the size in front of it
    -webide-representation: '+{offset_delta} key {key:str} value {value:str}'
    seq:
      - id: attributes
        type: u1
        doc: Not in use, 0
      - id: timestamp_delta
        -orig-id: timestampDelta
        type: kafka_varlong
        doc: |
          Milliseconds to add to the batch's `base_timestamp`; the sum wraps at
          64 bits. Not to be used if the timestamp type of the batch is
          `log_append_time`.
      - id: offset_delta
        -orig-id: offsetDelta
        type: kafka_varint
        doc: |
          To add to the offset of the batch, and to its `base_sequence` if that
          is not -1. There are gaps after compaction.
      - id: len_key
        -orig-id: keyLength
        type: kafka_varint
        doc: |
          Size of the key in bytes; -1 for null, and Kafka takes any negative
          size for null
      - id: key
        size: len_key.value
        if: len_key.value >= 0
        doc: |
          Key of the record as the producer serialized it. Missing if null,
          which is not the same as empty. In a control batch, a
          `kafka_control_record_key`.
      - id: len_value
        -orig-id: valueLength
        type: kafka_varint
        doc: |
          Size of the value in bytes; -1 for null, and Kafka takes any negative
          size for null
      - id: value
        size: len_value.value
        if: len_value.value >= 0
        doc: |
          Value of the record as the producer serialized it. Missing if null. In
          a compacted topic a null value means that the key is to be deleted. In
          a transaction marker, a `kafka_end_transaction_marker`.
      - id: num_headers
        -orig-id: headersCount
        type: kafka_varint
        doc: Number of headers; a negative one is invalid
      - id: headers
        type: kafka_header
        repeat: expr
        repeat-expr: 'num_headers.value >= 0 ? num_headers.value : 0x7fff_ffff'
        doc: |
          Headers in the order in which they were added. A negative number of
          them is made one that no record has room for, so that it is an error
      - id: rest
        size-eos: true
        valid: '[].as<bytes>'
        doc: |
          What follows the headers: always nothing, as Kafka refuses a record
          whose fields do not fill it exactly
