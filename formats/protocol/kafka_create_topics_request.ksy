meta:
  id: kafka_create_topics_request
  -orig-id: CreateTopicsRequest
  -versions: 2-7
  title: Apache Kafka create topics request
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
  `CreateTopicsRequest`: a request of the API with key 19, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateTopicsRequest.json CreateTopicsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_topics
    type: kafka_array_length(message_version >= 5, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: creatable_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: timeout_ms
    -orig-id: timeoutMs
    type: s4
    doc: How long the broker may take, in ms
  - id: validate_only
    -orig-id: validateOnly
    type: kafka_boolean
    doc: Whether to check the request and change nothing
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 5
    doc: None is known
types:
  creatable_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 5, false)
      - id: num_partitions
        -orig-id: NumPartitions
        type: s4
      - id: replication_factor
        -orig-id: ReplicationFactor
        type: s2
        doc: Number of replicas
      - id: num_assignments
        type: kafka_array_length(_root.message_version >= 5, false)
        doc: Number of `assignments`
      - id: assignments
        -orig-id: Assignments
        type: creatable_replica_assignment
        repeat: expr
        repeat-expr: num_assignments.value
      - id: num_configs
        type: kafka_array_length(_root.message_version >= 5, false)
        doc: Number of `configs`
      - id: configs
        -orig-id: Configs
        type: creatable_topic_config
        repeat: expr
        repeat-expr: num_configs.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 5
        doc: None is known
  creatable_replica_assignment:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: num_broker_ids
        type: kafka_array_length(_root.message_version >= 5, false)
        doc: Number of `broker_ids`
      - id: broker_ids
        -orig-id: BrokerIds
        type: s4
        repeat: expr
        repeat-expr: num_broker_ids.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 5
        doc: None is known
  creatable_topic_config:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 5, false)
      - id: value
        -orig-id: Value
        type: kafka_string(_root.message_version >= 5, true)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 5
        doc: None is known
