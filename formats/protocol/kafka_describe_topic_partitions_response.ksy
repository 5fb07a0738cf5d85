meta:
  id: kafka_describe_topic_partitions_response
  -orig-id: DescribeTopicPartitionsResponse
  -versions: 0-0
  title: Apache Kafka describe topic partitions response
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
  `DescribeTopicPartitionsResponse`: a response of the API with key 75, after
  its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeTopicPartitionsResponse.json DescribeTopicPartitionsResponse
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
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: describe_topic_partitions_response_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: is_next_cursor_present
    type: s1
    doc: Negative if `next_cursor` is null
  - id: next_cursor
    -orig-id: NextCursor
    type: cursor
    if: is_next_cursor_present >= 0
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  describe_topic_partitions_response_topic:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: name
        -orig-id: Name
        type: kafka_string(true, true)
      - id: topic_id
        -orig-id: TopicId
        size: 16
        doc: UUID of the topic
      - id: is_internal
        -orig-id: IsInternal
        type: kafka_boolean
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: describe_topic_partitions_response_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: topic_authorized_operations
        -orig-id: TopicAuthorizedOperations
        type: s4
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  describe_topic_partitions_response_partition:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
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
      - id: num_replica_nodes
        type: kafka_array_length(true, false)
        doc: Number of `replica_nodes`
      - id: replica_nodes
        -orig-id: ReplicaNodes
        type: s4
        repeat: expr
        repeat-expr: num_replica_nodes.value
      - id: num_isr_nodes
        type: kafka_array_length(true, false)
        doc: Number of `isr_nodes`
      - id: isr_nodes
        -orig-id: IsrNodes
        type: s4
        repeat: expr
        repeat-expr: num_isr_nodes.value
      - id: num_eligible_leader_replicas
        type: kafka_array_length(true, true)
        doc: Number of `eligible_leader_replicas`
      - id: eligible_leader_replicas
        -orig-id: EligibleLeaderReplicas
        type: s4
        repeat: expr
        repeat-expr: num_eligible_leader_replicas.value
      - id: num_last_known_elr
        type: kafka_array_length(true, true)
        doc: Number of `last_known_elr`
      - id: last_known_elr
        -orig-id: LastKnownElr
        type: s4
        repeat: expr
        repeat-expr: num_last_known_elr.value
      - id: num_offline_replicas
        type: kafka_array_length(true, false)
        doc: Number of `offline_replicas`
      - id: offline_replicas
        -orig-id: OfflineReplicas
        type: s4
        repeat: expr
        repeat-expr: num_offline_replicas.value
        doc: Replicas on brokers or disks that are down
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  cursor:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(true, false)
        doc: Name of the topic
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
