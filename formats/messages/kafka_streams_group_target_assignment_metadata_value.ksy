meta:
  id: kafka_streams_group_target_assignment_metadata_value
  -orig-id: StreamsGroupTargetAssignmentMetadataValue
  -versions: 0-0
  title: Apache Kafka streams group target assignment metadata value
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_unsigned_varint
  endian: be
doc: Epoch of a streams group's target assignment.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTargetAssignmentMetadataValue.json StreamsGroupTargetAssignmentMetadataValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: assignment_epoch
    -orig-id: AssignmentEpoch
    type: s4
    doc: Epoch of the group for which the assignment was computed
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
            0: assignment_timestamp_tag
        doc: The field itself, or bytes if its tag is not known
  assignment_timestamp_tag:
    doc: Field of tag 0
    seq:
      - id: assignment_timestamp
        -orig-id: AssignmentTimestamp
        -index: 1
        -versions: 0-0
        type: s8
        doc: When it was computed, in ms since 1970-01-01 UTC
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
