meta:
  id: kafka_offset_commit_value
  -orig-id: OffsetCommitValue
  -versions: 0-4
  title: Apache Kafka offset commit value
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
  Offset that a consumer group has committed for a partition. An offset that was
  committed in a transaction counts only once a `COMMIT` marker follows in the
  same partition of `__consumer_offsets`.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/OffsetCommitValue.json OffsetCommitValue
-webide-representation: 'offset {offset:dec}'
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 4
    doc: Version of this message's layout
  - id: offset
    type: s8
    doc: Offset of the next record that the group wants to read
  - id: leader_epoch
    -orig-id: leaderEpoch
    type: s4
    if: message_version >= 3
    doc: |
      Leader epoch of the record before that offset, -1 if the consumer did not
      send it
  - id: metadata
    type: kafka_string(message_version >= 4, false)
    doc: Text that the consumer committed with the offset, mostly empty
  - id: commit_timestamp
    -orig-id: commitTimestamp
    type: s8
    doc: When it was committed, in ms since 1970-01-01 UTC
  - id: expire_timestamp
    -orig-id: expireTimestamp
    type: s8
    if: message_version == 1
    doc: |
      When it expires, in ms since 1970-01-01 UTC; -1 if the broker decides.
      Kafka writes version 1 only for a client that asked for its own retention
      time
  - id: tagged_fields
    type: tagged_fields
    if: message_version >= 4
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
            0: topic_id_tag
        doc: The field itself, or bytes if its tag is not known
  topic_id_tag:
    doc: Field of tag 0
    seq:
      - id: topic_id
        -orig-id: topicId
        -index: 5
        -versions: 4-4
        size: 16
        doc: Id of the topic; left out where the broker did not know it
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
