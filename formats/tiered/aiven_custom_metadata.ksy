meta:
  id: aiven_custom_metadata
  title: Where Aiven's tiered storage plugin has put a Kafka segment
  application: Aiven's tiered storage plugin for Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  The field `customMetadata` of records in `__remote_log_metadata`, as Aiven's
  plugin fills it if `custom.metadata.fields.include` is set. It consists of
  tagged fields (KIP-482) in ascending order of their tags.
doc-ref:
  - https://github.com/Aiven-Open/tiered-storage-for-apache-kafka
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-405%3A+Kafka+Tiered+Storage KIP-405
seq:
  - id: num_fields
    type: unsigned_varint
    doc: Number of fields
  - id: fields
    type: field
    repeat: expr
    repeat-expr: num_fields.value
    doc: The fields
types:
  field:
    doc: One tagged field.
    seq:
      - id: tag
        type: unsigned_varint
        doc: Tag of the field, one of `field_tag`
      - id: len_value
        type: unsigned_varint
        doc: Size of `value` in bytes
      - id: value
        size: len_value.value
        type:
          switch-on: tag.value
          cases:
            0: varlong
            1: text
            2: text
        doc: The value; bytes if the tag is unknown
  text:
    doc: '`COMPACT_STRING` of the Kafka protocol'
    -webide-representation: '{value:str}'
    seq:
      - id: len_value_plus_one
        type: unsigned_varint
        doc: Size of the text in bytes plus one
      - id: value
        size: len_value_plus_one.value - 1
        doc: Text in UTF-8, which the plugin does not check. So this spec gives bytes
  unsigned_varint:
    doc: An integer in groups of 7 bits, as `kafka_unsigned_varint`
    -webide-representation: '{value:dec}'
    seq:
      - id: b0
        type: u1
      - id: b1
        type: u1
        if: b0 >= 128
      - id: b2
        type: u1
        if: b0 >= 128 and b1 >= 128
      - id: b3
        type: u1
        if: b0 >= 128 and b1 >= 128 and b2 >= 128
      - id: b4
        type: u1
        valid:
          max: 127
        if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128
    instances:
      value:
        value: |
          b0 < 128 ? b0.as<s4> :
          b1 < 128 ? (b0.as<s4> % 128 + b1.as<s4> * 128).as<s4> :
          b2 < 128 ? (b0.as<s4> % 128 + b1.as<s4> % 128 * 128 + b2.as<s4> * 16384).as<s4> :
          b3 < 128 ? (b0.as<s4> % 128 + b1.as<s4> % 128 * 128 + b2.as<s4> % 128 * 16384 +
            b3.as<s4> * 2097152).as<s4> :
          (b0.as<s4> % 128 + b1.as<s4> % 128 * 128 + b2.as<s4> % 128 * 16384 +
            b3.as<s4> % 128 * 2097152 +
            (b4 % 16 < 8 ? (b4 % 16).as<s4> : ((b4 % 16).as<s4> - 16).as<s4>) * 268435456).as<s4>
        doc: |
          The number itself. A number from 2^31 on becomes negative, minus 2^32,
          as Kafka reads it into a signed integer. Bit operations cannot do this
          in all languages.
  varlong:
    doc: A signed integer in groups of 7 bits, as `kafka_varlong`
    -webide-representation: '{value:dec}'
    seq:
      - id: b0
        type: u1
      - id: b1
        type: u1
        if: b0 >= 128
      - id: b2
        type: u1
        if: b0 >= 128 and b1 >= 128
      - id: b3
        type: u1
        if: b0 >= 128 and b1 >= 128 and b2 >= 128
      - id: b4
        type: u1
        if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128
      - id: b5
        type: u1
        if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128
      - id: b6
        type: u1
        if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128 and b5 >= 128
      - id: b7
        type: u1
        if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128 and b5 >= 128 and b6 >= 128
      - id: b8
        type: u1
        if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128 and b5 >= 128 and b6 >= 128 and b7 >= 128
      - id: b9
        type: u1
        valid:
          max: 127
        if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128 and b5 >= 128 and b6 >= 128
          and b7 >= 128 and b8 >= 128
    instances:
      value:
        value: 'b0 % 2 == 0 ? half : (-half - 1).as<s8>'
        doc: The number itself
      half:
        value: |
          ((b0 % 128 / 2).as<s8> + (b0 < 128 ? (0).as<s8> : (64 *
          ((b1 % 128).as<s8> + (b1 < 128 ? (0).as<s8> : (128 *
          ((b2 % 128).as<s8> + (b2 < 128 ? (0).as<s8> : (128 *
          ((b3 % 128).as<s8> + (b3 < 128 ? (0).as<s8> : (128 *
          ((b4 % 128).as<s8> + (b4 < 128 ? (0).as<s8> : (128 *
          ((b5 % 128).as<s8> + (b5 < 128 ? (0).as<s8> : (128 *
          ((b6 % 128).as<s8> + (b6 < 128 ? (0).as<s8> : (128 *
          ((b7 % 128).as<s8> + (b7 < 128 ? (0).as<s8> : (128 *
          ((b8 % 128).as<s8> + (b8 < 128 ? (0).as<s8> : (128 *
          (b9 % 2).as<s8>
          ).as<s8>)).as<s8>).as<s8>)).as<s8>).as<s8>)).as<s8>
          ).as<s8>)).as<s8>).as<s8>)).as<s8>).as<s8>)).as<s8>
          ).as<s8>)).as<s8>).as<s8>)).as<s8>).as<s8>)).as<s8>
        doc: |
          The zigzag number without its lowest bit, which is the sign. In
          JavaScript bit operations are limited to 32 bits; in Rust all
          operations are, but for the casts.
enums:
  field_tag:
    0:
      id: remote_size
      doc: Size of the three objects of the segment together, in bytes
    1:
      id: object_prefix
      doc: Prefix of the keys of its objects
    2:
      id: object_key
      doc: The rest of their keys, without the suffix
