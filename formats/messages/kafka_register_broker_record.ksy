meta:
  id: kafka_register_broker_record
  -orig-id: RegisterBrokerRecord
  -versions: 0-4
  title: Apache Kafka register broker record
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
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
    - kafka_unsigned_varint
  endian: be
doc: A broker registered with the controller.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RegisterBrokerRecord.json RegisterBrokerRecord
-webide-representation: 'broker {broker_id:dec}'
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: is_migrating_zk_broker
    -orig-id: IsMigratingZkBroker
    type: kafka_boolean
    if: message_version >= 2
    doc: Whether it still kept its metadata in ZooKeeper
  - id: incarnation_id
    -orig-id: IncarnationId
    size: 16
    doc: UUID of the broker's process
  - id: broker_epoch
    -orig-id: BrokerEpoch
    type: s8
    doc: Epoch of the registration, mostly the offset of this record
  - id: num_end_points
    type: kafka_array_length(true, false)
    doc: Number of `end_points`
  - id: end_points
    -orig-id: EndPoints
    type: broker_endpoint
    repeat: expr
    repeat-expr: num_end_points.value
    doc: Addresses, one for each listener
  - id: num_features
    type: kafka_array_length(true, false)
    doc: Number of `features`
  - id: features
    -orig-id: Features
    type: broker_feature
    repeat: expr
    repeat-expr: num_features.value
    doc: Supported levels of features
  - id: rack
    -orig-id: Rack
    type: kafka_string(true, true)
    doc: The `broker.rack`, if it is set
  - id: fenced
    -orig-id: Fenced
    type: kafka_boolean
    doc: Whether it is fenced, as all are at first
  - id: in_controlled_shutdown
    -orig-id: InControlledShutdown
    type: kafka_boolean
    if: message_version >= 1
    doc: Whether the broker is shutting down
  - id: tagged_fields
    type: tagged_fields
    doc: Fields that may be missing
types:
  broker_endpoint:
    doc: Address of the broker
    -webide-representation: '{name} {host}:{port:dec}'
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        doc: Name of the listener
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: u2
        doc: TCP port
      - id: security_protocol
        -orig-id: SecurityProtocol
        type: s2
        doc: |
          0: PLAINTEXT; 1: SSL; 2: SASL_PLAINTEXT; 3: SASL_SSL
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  broker_feature:
    doc: Levels of a feature that the broker supports
    -webide-representation: '{name} {min_supported_version:dec} to {max_supported_version:dec}'
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        doc: Name of the feature
      - id: min_supported_version
        -orig-id: MinSupportedVersion
        type: s2
        doc: Lowest level
      - id: max_supported_version
        -orig-id: MaxSupportedVersion
        type: s2
        doc: Highest level
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
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
          (tag.value != 0 or _root.message_version >= 3) and
          (tag.value != 1 or _root.message_version >= 4) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: log_dirs_tag
            1: cordoned_log_dirs_tag
        doc: The field itself, or bytes if its tag is not known
  log_dirs_tag:
    doc: Field of tag 0
    seq:
      - id: num_log_dirs
        type: kafka_array_length(true, false)
        doc: Number of `log_dirs`
      - id: log_dirs
        -orig-id: LogDirs
        -index: 9
        -versions: 3-4
        size: 16
        repeat: expr
        repeat-expr: num_log_dirs.value
        doc: Directory ids of all log directories that are online
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  cordoned_log_dirs_tag:
    doc: Field of tag 1
    seq:
      - id: num_cordoned_log_dirs
        type: kafka_array_length(true, true)
        doc: Number of `cordoned_log_dirs`
      - id: cordoned_log_dirs
        -orig-id: CordonedLogDirs
        -index: 10
        -versions: 4-4
        size: 16
        repeat: expr
        repeat-expr: num_cordoned_log_dirs.value
        doc: Directory ids of log directories that get no new partitions
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
