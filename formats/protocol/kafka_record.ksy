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
  A record of a `kafka_record_batch`. Its offset and timestamp are relative to
  those of the batch, and nearly all numbers have variable length.
doc-ref: https://kafka.apache.org/documentation/#record
-webide-representation: '{body}'
seq:
  - id: len_body
    -orig-id: length
    type: kafka_varint
    doc: Size of the record in bytes, without this field
  - id: body
    size: len_body.value
    type: body
    doc: The record itself
types:
  body:
    doc: Fields of a record after its size
    -webide-representation: '+{offset_delta} key {key:str} value {value:str}'
    seq:
      - id: attributes
        type: u1
        doc: Not used, 0
      - id: timestamp_delta
        -orig-id: timestampDelta
        type: kafka_varlong
        doc: |
          Milliseconds to add to the batch's `base_timestamp`; the sum wraps at
          64 bits. Ignored if the timestamp type of the batch is
          `log_append_time`.
      - id: offset_delta
        -orig-id: offsetDelta
        type: kafka_varint
        doc: |
          Number to add to the offset of the batch, and to its `base_sequence`
          if that is not -1. After compaction the numbers have gaps.
      - id: len_key
        -orig-id: keyLength
        type: kafka_varint
        doc: |
          Size of the key in bytes; -1 for null, and Kafka reads any negative
          size as null
      - id: key
        size: len_key.value
        if: len_key.value >= 0
        doc: |
          Key of the record as the producer serialized it. Missing if null; an
          empty key is not null. In a control batch, a
          `kafka_control_record_key`.
      - id: len_value
        -orig-id: valueLength
        type: kafka_varint
        doc: |
          Size of the value in bytes; -1 for null, and Kafka reads any negative
          size as null
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
          Headers in the order in which they were added. A negative number
          becomes one that exceeds every record, so that it is an error
      - id: rest
        size-eos: true
        valid: '[].as<bytes>'
        doc: |
          Bytes after the headers, always none: Kafka refuses a record whose
          fields do not fill it exactly
