meta:
  id: kafka_elect_leaders_response
  -orig-id: ElectLeadersResponse
  -versions: 0-2
  title: Apache Kafka elect leaders response
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
  `ElectLeadersResponse`: a response of the API with key 43, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ElectLeadersResponse.json ElectLeadersResponse
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
    if: message_version >= 1
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_replica_election_results
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `replica_election_results`
  - id: replica_election_results
    -orig-id: ReplicaElectionResults
    type: replica_election_result
    repeat: expr
    repeat-expr: num_replica_election_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  replica_election_result:
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(_root.message_version >= 2, false)
      - id: num_partition_result
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `partition_result`
      - id: partition_result
        -orig-id: PartitionResult
        type: partition_result
        repeat: expr
        repeat-expr: num_partition_result.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  partition_result:
    seq:
      - id: partition_id
        -orig-id: PartitionId
        type: s4
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(_root.message_version >= 2, true)
        doc: Text of the error
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
