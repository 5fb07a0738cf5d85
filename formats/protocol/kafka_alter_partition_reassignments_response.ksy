meta:
  id: kafka_alter_partition_reassignments_response
  -orig-id: AlterPartitionReassignmentsResponse
  -versions: 0-1
  title: Apache Kafka alter partition reassignments response
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
  `AlterPartitionReassignmentsResponse`: a response of the API with key 45,
  after its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterPartitionReassignmentsResponse.json AlterPartitionReassignmentsResponse
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
  - id: allow_replication_factor_change
    -orig-id: AllowReplicationFactorChange
    type: kafka_boolean
    if: message_version >= 1
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(true, true)
    doc: Text of the error
  - id: num_responses
    type: kafka_array_length(true, false)
    doc: Number of `responses`
  - id: responses
    -orig-id: Responses
    type: reassignable_topic_response
    repeat: expr
    repeat-expr: num_responses.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  reassignable_topic_response:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: reassignable_partition_response
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  reassignable_partition_response:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
