meta:
  id: kafka_broker_registration_request
  -orig-id: BrokerRegistrationRequest
  -versions: 0-4
  title: Apache Kafka broker registration request
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
  `BrokerRegistrationRequest`: a request of the API with key 62, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/BrokerRegistrationRequest.json BrokerRegistrationRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: cluster_id
    -orig-id: ClusterId
    type: kafka_string(true, false)
    doc: Id of the cluster
  - id: incarnation_id
    -orig-id: IncarnationId
    size: 16
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
  - id: rack
    -orig-id: Rack
    type: kafka_string(true, true)
    doc: The `broker.rack`, if it is set
  - id: is_migrating_zk_broker
    -orig-id: IsMigratingZkBroker
    type: kafka_boolean
    if: message_version >= 1
  - id: num_log_dirs
    type: kafka_array_length(true, false)
    if: message_version >= 2
    doc: Number of `log_dirs`
  - id: log_dirs
    -orig-id: LogDirs
    size: 16
    repeat: expr
    repeat-expr: num_log_dirs.value
    if: message_version >= 2
  - id: previous_broker_epoch
    -orig-id: PreviousBrokerEpoch
    type: s8
    if: message_version >= 3
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
