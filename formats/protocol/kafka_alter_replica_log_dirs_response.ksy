meta:
  id: kafka_alter_replica_log_dirs_response
  -orig-id: AlterReplicaLogDirsResponse
  -versions: 1-2
  title: Apache Kafka alter replica log dirs response
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
  `AlterReplicaLogDirsResponse`: a response of the API with key 34, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterReplicaLogDirsResponse.json AlterReplicaLogDirsResponse
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
  - id: num_results
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `results`
  - id: results
    -orig-id: Results
    type: alter_replica_log_dir_topic_result
    repeat: expr
    repeat-expr: num_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  alter_replica_log_dir_topic_result:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(_root.message_version >= 2, false)
        doc: Name of the topic
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: alter_replica_log_dir_partition_result
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  alter_replica_log_dir_partition_result:
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
        if: _root.message_version >= 2
        doc: None is known
