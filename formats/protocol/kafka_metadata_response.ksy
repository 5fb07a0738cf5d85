meta:
  id: kafka_metadata_response
  -orig-id: MetadataResponse
  -versions: 0-13
  title: Apache Kafka metadata response
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
  `MetadataResponse`: a response of the API with key 3, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/MetadataResponse.json MetadataResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 3
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: num_brokers
    type: kafka_array_length(message_version >= 9, false)
    doc: Number of `brokers`
  - id: brokers
    -orig-id: Brokers
    type: metadata_response_broker
    repeat: expr
    repeat-expr: num_brokers.value
  - id: cluster_id
    -orig-id: ClusterId
    type: kafka_string(message_version >= 9, true)
    if: message_version >= 2
    doc: Id of the cluster
  - id: controller_id
    -orig-id: ControllerId
    type: s4
    if: message_version >= 1
    doc: The controller's `node.id`
  - id: num_topics
    type: kafka_array_length(message_version >= 9, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: metadata_response_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: cluster_authorized_operations
    -orig-id: ClusterAuthorizedOperations
    type: s4
    if: message_version >= 8 and message_version <= 10
    doc: |
      One bit for each allowed operation, by its number in Kafka's
      `AclOperation`; -2147483648 if they were not asked for
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    if: message_version >= 13
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 9
    doc: None is known
types:
  metadata_response_broker:
    seq:
      - id: node_id
        -orig-id: NodeId
        type: s4
        doc: The `node.id`
      - id: host
        -orig-id: Host
        type: kafka_string(_root.message_version >= 9, false)
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: s4
        doc: TCP port
      - id: rack
        -orig-id: Rack
        type: kafka_string(_root.message_version >= 9, true)
        if: _root.message_version >= 1
        doc: The `broker.rack`, if it is set
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
  metadata_response_topic:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 9, _root.message_version >= 12)
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 10
        doc: UUID of the topic
      - id: is_internal
        -orig-id: IsInternal
        type: kafka_boolean
        if: _root.message_version >= 1
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 9, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: metadata_response_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: topic_authorized_operations
        -orig-id: TopicAuthorizedOperations
        type: s4
        if: _root.message_version >= 8
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
  metadata_response_partition:
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
        if: _root.message_version >= 7
        doc: Leader epoch of the partition
      - id: num_replica_nodes
        type: kafka_array_length(_root.message_version >= 9, false)
        doc: Number of `replica_nodes`
      - id: replica_nodes
        -orig-id: ReplicaNodes
        type: s4
        repeat: expr
        repeat-expr: num_replica_nodes.value
      - id: num_isr_nodes
        type: kafka_array_length(_root.message_version >= 9, false)
        doc: Number of `isr_nodes`
      - id: isr_nodes
        -orig-id: IsrNodes
        type: s4
        repeat: expr
        repeat-expr: num_isr_nodes.value
      - id: num_offline_replicas
        type: kafka_array_length(_root.message_version >= 9, false)
        if: _root.message_version >= 5
        doc: Number of `offline_replicas`
      - id: offline_replicas
        -orig-id: OfflineReplicas
        type: s4
        repeat: expr
        repeat-expr: num_offline_replicas.value
        if: _root.message_version >= 5
        doc: Replicas on brokers or disks that are down
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
