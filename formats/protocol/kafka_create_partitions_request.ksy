meta:
  id: kafka_create_partitions_request
  -orig-id: CreatePartitionsRequest
  -versions: 0-3
  title: Apache Kafka create partitions request
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
  `CreatePartitionsRequest`: a request of the API with key 37, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreatePartitionsRequest.json CreatePartitionsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_topics
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: create_partitions_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: timeout_ms
    -orig-id: TimeoutMs
    type: s4
    doc: How long the broker may take, in ms
  - id: validate_only
    -orig-id: ValidateOnly
    type: kafka_boolean
    doc: Whether to check the request and change nothing
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  create_partitions_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 2, false)
      - id: count
        -orig-id: Count
        type: s4
      - id: num_assignments
        type: kafka_array_length(_root.message_version >= 2, true)
        doc: Number of `assignments`
      - id: assignments
        -orig-id: Assignments
        type: create_partitions_assignment
        repeat: expr
        repeat-expr: num_assignments.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  create_partitions_assignment:
    seq:
      - id: num_broker_ids
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `broker_ids`
      - id: broker_ids
        -orig-id: BrokerIds
        type: s4
        repeat: expr
        repeat-expr: num_broker_ids.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
