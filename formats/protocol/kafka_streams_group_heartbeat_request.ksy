meta:
  id: kafka_streams_group_heartbeat_request
  -orig-id: StreamsGroupHeartbeatRequest
  -versions: 0-1
  title: Apache Kafka streams group heartbeat request
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
  `StreamsGroupHeartbeatRequest`: a request of the API with key 88, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupHeartbeatRequest.json StreamsGroupHeartbeatRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(true, false)
    doc: The `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(true, false)
    doc: Id of the member
  - id: member_epoch
    -orig-id: MemberEpoch
    type: s4
    doc: Epoch of the member, which it sends in its heartbeats
  - id: endpoint_information_epoch
    -orig-id: EndpointInformationEpoch
    type: s4
  - id: instance_id
    -orig-id: InstanceId
    type: kafka_string(true, true)
    doc: Id of a static member (KIP-345)
  - id: rack_id
    -orig-id: RackId
    type: kafka_string(true, true)
    doc: The `client.rack`, if it is set
  - id: rebalance_timeout_ms
    -orig-id: RebalanceTimeoutMs
    type: s4
    doc: How long a rebalance waits for a member, in ms
  - id: is_topology_present
    type: s1
    doc: Negative if `topology` is null
  - id: topology
    -orig-id: Topology
    type: topology
    if: is_topology_present >= 0
  - id: num_active_tasks
    type: kafka_array_length(true, true)
    doc: Number of `active_tasks`
  - id: active_tasks
    -orig-id: ActiveTasks
    type: task_ids
    repeat: expr
    repeat-expr: num_active_tasks.value
  - id: num_standby_tasks
    type: kafka_array_length(true, true)
    doc: Number of `standby_tasks`
  - id: standby_tasks
    -orig-id: StandbyTasks
    type: task_ids
    repeat: expr
    repeat-expr: num_standby_tasks.value
  - id: num_warmup_tasks
    type: kafka_array_length(true, true)
    doc: Number of `warmup_tasks`
  - id: warmup_tasks
    -orig-id: WarmupTasks
    type: task_ids
    repeat: expr
    repeat-expr: num_warmup_tasks.value
  - id: process_id
    -orig-id: ProcessId
    type: kafka_string(true, true)
  - id: is_user_endpoint_present
    type: s1
    doc: Negative if `user_endpoint` is null
  - id: user_endpoint
    -orig-id: UserEndpoint
    type: endpoint
    if: is_user_endpoint_present >= 0
  - id: num_client_tags
    type: kafka_array_length(true, true)
    doc: Number of `client_tags`
  - id: client_tags
    -orig-id: ClientTags
    type: key_value
    repeat: expr
    repeat-expr: num_client_tags.value
  - id: num_task_offsets
    type: kafka_array_length(true, true)
    doc: Number of `task_offsets`
  - id: task_offsets
    -orig-id: TaskOffsets
    type: task_offset
    repeat: expr
    repeat-expr: num_task_offsets.value
  - id: num_task_end_offsets
    type: kafka_array_length(true, true)
    doc: Number of `task_end_offsets`
  - id: task_end_offsets
    -orig-id: TaskEndOffsets
    type: task_offset
    repeat: expr
    repeat-expr: num_task_end_offsets.value
  - id: shutdown_application
    -orig-id: ShutdownApplication
    type: kafka_boolean
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topology:
    seq:
      - id: epoch
        -orig-id: Epoch
        type: s4
      - id: num_subtopologies
        type: kafka_array_length(true, false)
        doc: Number of `subtopologies`
      - id: subtopologies
        -orig-id: Subtopologies
        type: subtopology
        repeat: expr
        repeat-expr: num_subtopologies.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  subtopology:
    seq:
      - id: subtopology_id
        -orig-id: SubtopologyId
        type: kafka_string(true, false)
      - id: num_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `source_topics`
      - id: source_topics
        -orig-id: SourceTopics
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_source_topics.value
      - id: num_source_topic_regex
        type: kafka_array_length(true, false)
        doc: Number of `source_topic_regex`
      - id: source_topic_regex
        -orig-id: SourceTopicRegex
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_source_topic_regex.value
      - id: num_state_changelog_topics
        type: kafka_array_length(true, false)
        doc: Number of `state_changelog_topics`
      - id: state_changelog_topics
        -orig-id: StateChangelogTopics
        type: topic_info
        repeat: expr
        repeat-expr: num_state_changelog_topics.value
      - id: num_repartition_sink_topics
        type: kafka_array_length(true, false)
        doc: Number of `repartition_sink_topics`
      - id: repartition_sink_topics
        -orig-id: RepartitionSinkTopics
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_repartition_sink_topics.value
      - id: num_repartition_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `repartition_source_topics`
      - id: repartition_source_topics
        -orig-id: RepartitionSourceTopics
        type: topic_info
        repeat: expr
        repeat-expr: num_repartition_source_topics.value
      - id: num_copartition_groups
        type: kafka_array_length(true, false)
        doc: Number of `copartition_groups`
      - id: copartition_groups
        -orig-id: CopartitionGroups
        type: copartition_group
        repeat: expr
        repeat-expr: num_copartition_groups.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topic_info:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: partitions
        -orig-id: Partitions
        type: s4
      - id: replication_factor
        -orig-id: ReplicationFactor
        type: s2
        doc: Number of replicas
      - id: num_topic_configs
        type: kafka_array_length(true, false)
        doc: Number of `topic_configs`
      - id: topic_configs
        -orig-id: TopicConfigs
        type: key_value
        repeat: expr
        repeat-expr: num_topic_configs.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  key_value:
    seq:
      - id: key
        -orig-id: Key
        type: kafka_string(true, false)
      - id: value
        -orig-id: Value
        type: kafka_string(true, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  copartition_group:
    seq:
      - id: num_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `source_topics`
      - id: source_topics
        -orig-id: SourceTopics
        type: s2
        repeat: expr
        repeat-expr: num_source_topics.value
      - id: num_source_topic_regex
        type: kafka_array_length(true, false)
        doc: Number of `source_topic_regex`
      - id: source_topic_regex
        -orig-id: SourceTopicRegex
        type: s2
        repeat: expr
        repeat-expr: num_source_topic_regex.value
      - id: num_repartition_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `repartition_source_topics`
      - id: repartition_source_topics
        -orig-id: RepartitionSourceTopics
        type: s2
        repeat: expr
        repeat-expr: num_repartition_source_topics.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  task_ids:
    seq:
      - id: subtopology_id
        -orig-id: SubtopologyId
        type: kafka_string(true, false)
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  endpoint:
    seq:
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: u2
        doc: TCP port
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  task_offset:
    seq:
      - id: subtopology_id
        -orig-id: SubtopologyId
        type: kafka_string(true, false)
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
      - id: offset
        -orig-id: Offset
        type: s8
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
