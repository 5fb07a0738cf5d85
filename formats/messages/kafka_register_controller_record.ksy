meta:
  id: kafka_register_controller_record
  -orig-id: RegisterControllerRecord
  -versions: 0-0
  title: Apache Kafka register controller record
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
  endian: be
doc: A controller registered with the active one (KIP-919).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RegisterControllerRecord.json RegisterControllerRecord
-webide-representation: 'controller {controller_id:dec}'
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: controller_id
    -orig-id: ControllerId
    type: s4
    doc: The controller's `node.id`
  - id: incarnation_id
    -orig-id: IncarnationId
    size: 16
    doc: UUID of the controller's process
  - id: zk_migration_ready
    -orig-id: ZkMigrationReady
    type: kafka_boolean
    doc: Whether it is configured for a migration from ZooKeeper
  - id: num_end_points
    type: kafka_array_length(true, false)
    doc: Number of `end_points`
  - id: end_points
    -orig-id: EndPoints
    type: controller_endpoint
    repeat: expr
    repeat-expr: num_end_points.value
    doc: Addresses, one for each listener
  - id: num_features
    type: kafka_array_length(true, false)
    doc: Number of `features`
  - id: features
    -orig-id: Features
    type: controller_feature
    repeat: expr
    repeat-expr: num_features.value
    doc: Supported levels of features
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  controller_endpoint:
    doc: Address of the controller
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
  controller_feature:
    doc: Levels of a feature that the controller supports
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
