meta:
  id: kafka_find_coordinator_response
  -orig-id: FindCoordinatorResponse
  -versions: 0-6
  title: Apache Kafka find coordinator response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `FindCoordinatorResponse`: a response of the API with key 10, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FindCoordinatorResponse.json FindCoordinatorResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 1
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    if: message_version <= 3
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(message_version >= 3, true)
    if: message_version >= 1 and message_version <= 3
    doc: Text of the error
  - id: node_id
    -orig-id: NodeId
    type: s4
    if: message_version <= 3
    doc: The `node.id`
  - id: host
    -orig-id: Host
    type: kafka_string(message_version >= 3, false)
    if: message_version <= 3
    doc: Host name or IP address
  - id: port
    -orig-id: Port
    type: s4
    if: message_version <= 3
    doc: TCP port
  - id: num_coordinators
    type: kafka_array_length(true, false)
    if: message_version >= 4
    doc: Number of `coordinators`
  - id: coordinators
    -orig-id: Coordinators
    type: coordinator
    repeat: expr
    repeat-expr: num_coordinators.value
    if: message_version >= 4
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
types:
  coordinator:
    seq:
      - id: key
        -orig-id: Key
        type: kafka_string(true, false)
        if: _root.message_version >= 4
      - id: node_id
        -orig-id: NodeId
        type: s4
        if: _root.message_version >= 4
        doc: The `node.id`
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        if: _root.message_version >= 4
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: s4
        if: _root.message_version >= 4
        doc: TCP port
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        if: _root.message_version >= 4
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        if: _root.message_version >= 4
        doc: Text of the error
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
