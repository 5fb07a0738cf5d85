meta:
  id: kafka_broker_registration_change_record
  -orig-id: BrokerRegistrationChangeRecord
  -versions: 0-3
  title: Apache Kafka broker registration change record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_unsigned_varint
  endian: be
doc: Change of a registered broker. Fields that did not change are left out.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/BrokerRegistrationChangeRecord.json BrokerRegistrationChangeRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: broker_epoch
    -orig-id: BrokerEpoch
    type: s8
    doc: Epoch of the broker's registration
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
        size: |
          (tag.value != 1 or _root.message_version >= 1) and
          (tag.value != 2 or _root.message_version >= 2) and
          (tag.value != 3 or _root.message_version >= 3) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: fenced_tag
            1: in_controlled_shutdown_tag
            2: log_dirs_tag
            3: cordoned_log_dirs_tag
        doc: The field itself, or bytes if its tag is not known
  fenced_tag:
    doc: Field of tag 0
    seq:
      - id: fenced
        -orig-id: Fenced
        -index: 2
        -versions: 0-3
        type: s1
        doc: |
          1: fenced; -1: unfenced; 0: no change
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  in_controlled_shutdown_tag:
    doc: Field of tag 1
    seq:
      - id: in_controlled_shutdown
        -orig-id: InControlledShutdown
        -index: 3
        -versions: 1-3
        type: s1
        doc: |
          1: the broker is shutting down; 0: no change
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  log_dirs_tag:
    doc: Field of tag 2
    seq:
      - id: num_log_dirs
        type: kafka_array_length(true, false)
        doc: Number of `log_dirs`
      - id: log_dirs
        -orig-id: LogDirs
        -index: 4
        -versions: 2-3
        size: 16
        repeat: expr
        repeat-expr: num_log_dirs.value
        doc: Directory ids of all log directories that are online
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  cordoned_log_dirs_tag:
    doc: Field of tag 3
    seq:
      - id: num_cordoned_log_dirs
        type: kafka_array_length(true, true)
        doc: Number of `cordoned_log_dirs`
      - id: cordoned_log_dirs
        -orig-id: CordonedLogDirs
        -index: 5
        -versions: 3-3
        size: 16
        repeat: expr
        repeat-expr: num_cordoned_log_dirs.value
        doc: Directory ids of log directories that get no new partitions
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
