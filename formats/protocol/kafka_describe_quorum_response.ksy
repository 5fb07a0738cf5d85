meta:
  id: kafka_describe_quorum_response
  -orig-id: DescribeQuorumResponse
  -versions: 0-2
  title: Apache Kafka describe quorum response
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
  `DescribeQuorumResponse`: a response of the API with key 55, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeQuorumResponse.json DescribeQuorumResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(true, true)
    if: message_version >= 2
    doc: Text of the error
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: topic_data
    repeat: expr
    repeat-expr: num_topics.value
  - id: num_nodes
    type: kafka_array_length(true, false)
    if: message_version >= 2
    doc: Number of `nodes`
  - id: nodes
    -orig-id: Nodes
    type: node
    repeat: expr
    repeat-expr: num_nodes.value
    if: message_version >= 2
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
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        if: _root.message_version >= 2
        doc: Text of the error
      - id: leader_id
        -orig-id: LeaderId
        type: s4
        doc: |
          `node.id` of the leader
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: high_watermark
        -orig-id: HighWatermark
        type: s8
        doc: Offset after the last record that all in-sync replicas have
      - id: num_current_voters
        type: kafka_array_length(true, false)
        doc: Number of `current_voters`
      - id: current_voters
        -orig-id: CurrentVoters
        type: replica_state
        repeat: expr
        repeat-expr: num_current_voters.value
      - id: num_observers
        type: kafka_array_length(true, false)
        doc: Number of `observers`
      - id: observers
        -orig-id: Observers
        type: replica_state
        repeat: expr
        repeat-expr: num_observers.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  replica_state:
    seq:
      - id: replica_id
        -orig-id: ReplicaId
        type: s4
        doc: |
          `node.id` of the replica; in a request that of the broker that asks,
          -1 for a client
      - id: replica_directory_id
        -orig-id: ReplicaDirectoryId
        size: 16
        if: _root.message_version >= 2
        doc: Directory id of the replica
      - id: log_end_offset
        -orig-id: LogEndOffset
        type: s8
      - id: last_fetch_timestamp
        -orig-id: LastFetchTimestamp
        type: s8
        if: _root.message_version >= 1
      - id: last_caught_up_timestamp
        -orig-id: LastCaughtUpTimestamp
        type: s8
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  node:
    seq:
      - id: node_id
        -orig-id: NodeId
        type: s4
        if: _root.message_version >= 2
        doc: The `node.id`
      - id: num_listeners
        type: kafka_array_length(true, false)
        if: _root.message_version >= 2
        doc: Number of `listeners`
      - id: listeners
        -orig-id: Listeners
        type: listener
        repeat: expr
        repeat-expr: num_listeners.value
        if: _root.message_version >= 2
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  listener:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        if: _root.message_version >= 2
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        if: _root.message_version >= 2
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: u2
        if: _root.message_version >= 2
        doc: TCP port
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
