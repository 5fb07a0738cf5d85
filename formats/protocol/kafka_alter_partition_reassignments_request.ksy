meta:
  id: kafka_alter_partition_reassignments_request
  -orig-id: AlterPartitionReassignmentsRequest
  -versions: 0-1
  title: Apache Kafka alter partition reassignments request
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
  `AlterPartitionReassignmentsRequest`: a request of the API with key 45, after
  its header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterPartitionReassignmentsRequest.json AlterPartitionReassignmentsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: timeout_ms
    -orig-id: TimeoutMs
    type: s4
    doc: How long the broker may take, in ms
  - id: allow_replication_factor_change
    -orig-id: AllowReplicationFactorChange
    type: kafka_boolean
    if: message_version >= 1
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: reassignable_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  reassignable_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: reassignable_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  reassignable_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: num_replicas
        type: kafka_array_length(true, true)
        doc: Number of `replicas`
      - id: replicas
        -orig-id: Replicas
        type: s4
        repeat: expr
        repeat-expr: num_replicas.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
