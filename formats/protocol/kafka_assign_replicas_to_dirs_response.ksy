meta:
  id: kafka_assign_replicas_to_dirs_response
  -orig-id: AssignReplicasToDirsResponse
  -versions: 0-0
  title: Apache Kafka assign replicas to dirs response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_tagged_fields
  endian: be
doc: |
  `AssignReplicasToDirsResponse`: a response of the API with key 73, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AssignReplicasToDirsResponse.json AssignReplicasToDirsResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_directories
    type: kafka_array_length(true, false)
    doc: Number of `directories`
  - id: directories
    -orig-id: Directories
    type: directory_data
    repeat: expr
    repeat-expr: num_directories.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  directory_data:
    seq:
      - id: id
        -orig-id: Id
        size: 16
      - id: num_topics
        type: kafka_array_length(true, false)
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: topic_data
        repeat: expr
        repeat-expr: num_topics.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topic_data:
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
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
