meta:
  id: kafka_controller_registration_request
  -orig-id: ControllerRegistrationRequest
  -versions: 0-0
  title: Apache Kafka controller registration request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `ControllerRegistrationRequest`: a request of the API with key 70, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ControllerRegistrationRequest.json ControllerRegistrationRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: controller_id
    -orig-id: ControllerId
    type: s4
    doc: The controller's `node.id`
  - id: incarnation_id
    -orig-id: IncarnationId
    size: 16
  - id: zk_migration_ready
    -orig-id: ZkMigrationReady
    type: kafka_boolean
  - id: num_listeners
    type: kafka_array_length(true, false)
    doc: Number of `listeners`
  - id: listeners
    -orig-id: Listeners
    type: listener
    repeat: expr
    repeat-expr: num_listeners.value
  - id: num_features
    type: kafka_array_length(true, false)
    doc: Number of `features`
  - id: features
    -orig-id: Features
    type: feature
    repeat: expr
    repeat-expr: num_features.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  listener:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
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
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  feature:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: min_supported_version
        -orig-id: MinSupportedVersion
        type: s2
      - id: max_supported_version
        -orig-id: MaxSupportedVersion
        type: s2
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
