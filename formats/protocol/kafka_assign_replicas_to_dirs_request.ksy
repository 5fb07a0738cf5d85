meta:
  id: kafka_assign_replicas_to_dirs_request
  -orig-id: AssignReplicasToDirsRequest
  -versions: 0-0
  title: Apache Kafka assign replicas to dirs request
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
  `AssignReplicasToDirsRequest`: a request of the API with key 73, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AssignReplicasToDirsRequest.json AssignReplicasToDirsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: broker_epoch
    -orig-id: BrokerEpoch
    type: s8
    doc: Epoch of the broker's registration
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
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
