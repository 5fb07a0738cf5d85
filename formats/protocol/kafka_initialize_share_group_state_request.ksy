meta:
  id: kafka_initialize_share_group_state_request
  -orig-id: InitializeShareGroupStateRequest
  -versions: 0-0
  title: Apache Kafka initialize share group state request
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
  `InitializeShareGroupStateRequest`: a request of the API with key 83, after
  its header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/InitializeShareGroupStateRequest.json InitializeShareGroupStateRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(true, false)
    doc: The `group.id`
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: initialize_state_data
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  initialize_state_data:
    seq:
      - id: topic_id
        -orig-id: TopicId
        size: 16
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: partition_data
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  partition_data:
    seq:
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
      - id: state_epoch
        -orig-id: StateEpoch
        type: s4
      - id: start_offset
        -orig-id: StartOffset
        type: s8
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
