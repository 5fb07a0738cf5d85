meta:
  id: kafka_end_quorum_epoch_request
  -orig-id: EndQuorumEpochRequest
  -versions: 0-1
  title: Apache Kafka end quorum epoch request
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
  `EndQuorumEpochRequest`: a request of the API with key 54, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EndQuorumEpochRequest.json EndQuorumEpochRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: cluster_id
    -orig-id: ClusterId
    type: kafka_string(message_version >= 1, true)
    doc: Id of the cluster
  - id: num_topics
    type: kafka_array_length(message_version >= 1, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: topic_data
    repeat: expr
    repeat-expr: num_topics.value
  - id: num_leader_endpoints
    type: kafka_array_length(true, false)
    if: message_version >= 1
    doc: Number of `leader_endpoints`
  - id: leader_endpoints
    -orig-id: LeaderEndpoints
    type: leader_endpoint
    repeat: expr
    repeat-expr: num_leader_endpoints.value
    if: message_version >= 1
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 1
    doc: None is known
types:
  topic_data:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(_root.message_version >= 1, false)
        doc: Name of the topic
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 1, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: partition_data
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
  partition_data:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: leader_id
        -orig-id: LeaderId
        type: s4
        doc: |
          `node.id` of the leader
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: num_preferred_successors
        type: kafka_array_length(false, false)
        if: _root.message_version <= 0
        doc: Number of `preferred_successors`
      - id: preferred_successors
        -orig-id: PreferredSuccessors
        type: s4
        repeat: expr
        repeat-expr: num_preferred_successors.value
        if: _root.message_version <= 0
      - id: num_preferred_candidates
        type: kafka_array_length(true, false)
        if: _root.message_version >= 1
        doc: Number of `preferred_candidates`
      - id: preferred_candidates
        -orig-id: PreferredCandidates
        type: replica_info
        repeat: expr
        repeat-expr: num_preferred_candidates.value
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
  replica_info:
    seq:
      - id: candidate_id
        -orig-id: CandidateId
        type: s4
        if: _root.message_version >= 1
      - id: candidate_directory_id
        -orig-id: CandidateDirectoryId
        size: 16
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
  leader_endpoint:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        if: _root.message_version >= 1
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        if: _root.message_version >= 1
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: u2
        if: _root.message_version >= 1
        doc: TCP port
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
