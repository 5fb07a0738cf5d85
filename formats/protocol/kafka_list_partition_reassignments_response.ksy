meta:
  id: kafka_list_partition_reassignments_response
  -orig-id: ListPartitionReassignmentsResponse
  -versions: 0-0
  title: Apache Kafka list partition reassignments response
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
  `ListPartitionReassignmentsResponse`: a response of the API with key 46, after
  its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListPartitionReassignmentsResponse.json ListPartitionReassignmentsResponse
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
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(true, true)
    doc: Text of the error
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: ongoing_topic_reassignment
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  ongoing_topic_reassignment:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: ongoing_partition_reassignment
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  ongoing_partition_reassignment:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: num_replicas
        type: kafka_array_length(true, false)
        doc: Number of `replicas`
      - id: replicas
        -orig-id: Replicas
        type: s4
        repeat: expr
        repeat-expr: num_replicas.value
      - id: num_adding_replicas
        type: kafka_array_length(true, false)
        doc: Number of `adding_replicas`
      - id: adding_replicas
        -orig-id: AddingReplicas
        type: s4
        repeat: expr
        repeat-expr: num_adding_replicas.value
      - id: num_removing_replicas
        type: kafka_array_length(true, false)
        doc: Number of `removing_replicas`
      - id: removing_replicas
        -orig-id: RemovingReplicas
        type: s4
        repeat: expr
        repeat-expr: num_removing_replicas.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
