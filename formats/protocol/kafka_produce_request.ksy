meta:
  id: kafka_produce_request
  -orig-id: ProduceRequest
  -versions: 3-13
  title: Apache Kafka produce request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_record_set
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `ProduceRequest`: a request of the API with key 0, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ProduceRequest.json ProduceRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: transactional_id
    -orig-id: TransactionalId
    type: kafka_string(message_version >= 9, true)
    doc: The producer's `transactional.id`
  - id: acks
    -orig-id: Acks
    type: s2
    doc: |
      How many replicas must have the records before the broker answers. -1: all
      in sync; 0: none, and there is no answer; 1: the leader
  - id: timeout_ms
    -orig-id: TimeoutMs
    type: s4
    doc: How long the broker may take, in ms
  - id: num_topic_data
    type: kafka_array_length(message_version >= 9, false)
    doc: Number of `topic_data`
  - id: topic_data
    -orig-id: TopicData
    type: topic_produce_data
    repeat: expr
    repeat-expr: num_topic_data.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 9
    doc: None is known
types:
  topic_produce_data:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 9, false)
        if: _root.message_version <= 12
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 13
        doc: UUID of the topic
      - id: num_partition_data
        type: kafka_array_length(_root.message_version >= 9, false)
        doc: Number of `partition_data`
      - id: partition_data
        -orig-id: PartitionData
        type: partition_produce_data
        repeat: expr
        repeat-expr: num_partition_data.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
  partition_produce_data:
    seq:
      - id: index
        -orig-id: Index
        type: s4
      - id: records
        -orig-id: Records
        type: kafka_record_set(_root.message_version >= 9, true)
        doc: Batches of records
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
