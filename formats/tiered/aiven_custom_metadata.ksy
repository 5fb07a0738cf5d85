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
  imports:
    - ../messages/kafka_string
    - ../messages/kafka_unsigned_varint
    - ../kafka_varlong
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
    type: kafka_unsigned_varint
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
        type: kafka_unsigned_varint
        doc: Which field it is, one of `field_tag`
      - id: len_value
        type: kafka_unsigned_varint
        doc: Size of `value` in bytes
      - id: value
        size: len_value.value
        type:
          switch-on: tag.value
          cases:
            0: kafka_varlong
            1: kafka_string(true, false)
            2: kafka_string(true, false)
        doc: The value; bytes if the tag is not known
enums:
  field_tag:
    0:
      id: remote_size
      doc: Bytes of the three objects of the segment together
    1:
      id: object_prefix
      doc: What the keys of its objects begin with
    2:
      id: object_key
      doc: The rest of their keys, without the suffix
