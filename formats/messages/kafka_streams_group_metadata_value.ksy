meta:
  id: kafka_streams_group_metadata_value
  -orig-id: StreamsGroupMetadataValue
  -versions: 0-0
  title: Apache Kafka streams group metadata value
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
    - kafka_string
    - kafka_tagged_fields
    - kafka_unsigned_varint
  endian: be
doc: A streams group (KIP-1071).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupMetadataValue.json StreamsGroupMetadataValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: epoch
    -orig-id: Epoch
    type: s4
    doc: |
      Epoch of the group, one more with each change of its members, their
      topology or the topics
  - id: metadata_hash
    -orig-id: MetadataHash
    type: s8
    doc: |
      Hash of the topics that the group reads; another one once they have
      changed
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
            0: validated_topology_epoch_tag
            1: last_assignment_configs_tag
            2: stored_description_topology_epoch_tag
            3: failed_description_topology_epoch_tag
        doc: The field itself, or bytes if its tag is not known
  validated_topology_epoch_tag:
    doc: Field of tag 0
    seq:
      - id: validated_topology_epoch
        -orig-id: ValidatedTopologyEpoch
        -index: 2
        -versions: 0-0
        type: s4
        doc: |
          Epoch of the topology whose topics were found to exist as it needs
          them
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  last_assignment_config:
    doc: A configuration
    seq:
      - id: key
        -orig-id: Key
        type: kafka_string(true, false)
        doc: Name of the configuration
      - id: value
        -orig-id: Value
        type: kafka_string(true, false)
        doc: Its value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  last_assignment_configs_tag:
    doc: Field of tag 1
    seq:
      - id: num_last_assignment_configs
        type: kafka_array_length(true, true)
        doc: Number of `last_assignment_configs`
      - id: last_assignment_configs
        -orig-id: LastAssignmentConfigs
        -index: 3
        -versions: 0-0
        type: last_assignment_config
        repeat: expr
        repeat-expr: num_last_assignment_configs.value
        doc: Configuration with which the last assignment was computed
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  stored_description_topology_epoch_tag:
    doc: Field of tag 2
    seq:
      - id: stored_description_topology_epoch
        -orig-id: StoredDescriptionTopologyEpoch
        -index: 4
        -versions: 0-0
        type: s4
        doc: |
          Epoch of the topology whose description the topology description
          plugin stores; -1 if it stores none, -2 if an interrupted call leaves
          that unknown
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  failed_description_topology_epoch_tag:
    doc: Field of tag 3
    seq:
      - id: failed_description_topology_epoch
        -orig-id: FailedDescriptionTopologyEpoch
        -index: 5
        -versions: 0-0
        type: s4
        doc: |
          Epoch of the topology whose description the plugin refused for good,
          so that no member is asked for it again; -1 if none
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
