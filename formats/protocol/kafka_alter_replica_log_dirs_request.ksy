meta:
  id: kafka_alter_replica_log_dirs_request
  -orig-id: AlterReplicaLogDirsRequest
  -versions: 1-2
  title: Apache Kafka alter replica log dirs request
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
  `AlterReplicaLogDirsRequest`: a request of the API with key 34, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterReplicaLogDirsRequest.json AlterReplicaLogDirsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_dirs
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `dirs`
  - id: dirs
    -orig-id: Dirs
    type: alter_replica_log_dir
    repeat: expr
    repeat-expr: num_dirs.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  alter_replica_log_dir:
    seq:
      - id: path
        -orig-id: Path
        type: kafka_string(_root.message_version >= 2, false)
      - id: num_topics
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: alter_replica_log_dir_topic
        repeat: expr
        repeat-expr: num_topics.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  alter_replica_log_dir_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 2, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
