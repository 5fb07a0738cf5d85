meta:
  id: kafka_vote_request
  -orig-id: VoteRequest
  -versions: 0-2
  title: Apache Kafka vote request
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
  `VoteRequest`: a request of the API with key 52, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/VoteRequest.json VoteRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: cluster_id
    -orig-id: ClusterId
    type: kafka_string(true, true)
    doc: Id of the cluster
  - id: voter_id
    -orig-id: VoterId
    type: s4
    if: message_version >= 1
    doc: The voter's `node.id`
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
types:
  topic_data:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(true, false)
        doc: Name of the topic
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
      - id: replica_epoch
        -orig-id: ReplicaEpoch
        type: s4
      - id: replica_id
        -orig-id: ReplicaId
        type: s4
        doc: |
          `node.id` of the replica; in a request that of the broker that asks,
          -1 for a client
      - id: replica_directory_id
        -orig-id: ReplicaDirectoryId
        size: 16
        if: _root.message_version >= 1
        doc: Directory id of the replica
      - id: voter_directory_id
        -orig-id: VoterDirectoryId
        size: 16
        if: _root.message_version >= 1
        doc: Directory id of the voter
      - id: last_offset_epoch
        -orig-id: LastOffsetEpoch
        type: s4
      - id: last_offset
        -orig-id: LastOffset
        type: s8
        doc: Offset of the last record
      - id: pre_vote
        -orig-id: PreVote
        type: kafka_boolean
        if: _root.message_version >= 2
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
