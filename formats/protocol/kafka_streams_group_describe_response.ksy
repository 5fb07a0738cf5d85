meta:
  id: kafka_streams_group_describe_response
  -orig-id: StreamsGroupDescribeResponse
  -versions: 0-1
  title: Apache Kafka streams group describe response
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
  `StreamsGroupDescribeResponse`: a response of the API with key 89, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupDescribeResponse.json StreamsGroupDescribeResponse
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
  - id: num_groups
    type: kafka_array_length(true, false)
    doc: Number of `groups`
  - id: groups
    -orig-id: Groups
    type: described_group
    repeat: expr
    repeat-expr: num_groups.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  described_group:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: group_id
        -orig-id: GroupId
        type: kafka_string(true, false)
        doc: The `group.id`
      - id: group_state
        -orig-id: GroupState
        type: kafka_string(true, false)
        doc: State of the group, as Kafka names it
      - id: group_epoch
        -orig-id: GroupEpoch
        type: s4
        doc: Epoch of the group
      - id: assignment_epoch
        -orig-id: AssignmentEpoch
        type: s4
      - id: is_topology_present
        type: s1
        doc: Negative if `topology` is null
      - id: topology
        -orig-id: Topology
        type: topology
        if: is_topology_present >= 0
      - id: num_members
        type: kafka_array_length(true, false)
        doc: Number of `members`
      - id: members
        -orig-id: Members
        type: member
        repeat: expr
        repeat-expr: num_members.value
      - id: authorized_operations
        -orig-id: AuthorizedOperations
        type: s4
        doc: |
          One bit for each allowed operation, by its number in Kafka's
          `AclOperation`; -2147483648 if they were not asked for
      - id: is_topology_description_present
        type: s1
        if: _root.message_version >= 1
        doc: Negative if `topology_description` is null
      - id: topology_description
        -orig-id: TopologyDescription
        type: topology_description
        if: _root.message_version >= 1 and is_topology_description_present >= 0
      - id: topology_description_status
        -orig-id: TopologyDescriptionStatus
        type: s1
        if: _root.message_version >= 1
      - id: assignor_name
        -orig-id: AssignorName
        type: kafka_string(true, true)
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topology:
    seq:
      - id: epoch
        -orig-id: Epoch
        type: s4
      - id: num_subtopologies
        type: kafka_array_length(true, true)
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
      - id: num_repartition_sink_topics
        type: kafka_array_length(true, false)
        doc: Number of `repartition_sink_topics`
      - id: repartition_sink_topics
        -orig-id: RepartitionSinkTopics
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_repartition_sink_topics.value
      - id: num_state_changelog_topics
        type: kafka_array_length(true, false)
        doc: Number of `state_changelog_topics`
      - id: state_changelog_topics
        -orig-id: StateChangelogTopics
        type: topic_info
        repeat: expr
        repeat-expr: num_state_changelog_topics.value
      - id: num_repartition_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `repartition_source_topics`
      - id: repartition_source_topics
        -orig-id: RepartitionSourceTopics
        type: topic_info
        repeat: expr
        repeat-expr: num_repartition_source_topics.value
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
  member:
    seq:
      - id: member_id
        -orig-id: MemberId
        type: kafka_string(true, false)
        doc: Id of the member
      - id: member_epoch
        -orig-id: MemberEpoch
        type: s4
        doc: Epoch of the member, which it sends in its heartbeats
      - id: instance_id
        -orig-id: InstanceId
        type: kafka_string(true, true)
        doc: Id of a static member (KIP-345)
      - id: rack_id
        -orig-id: RackId
        type: kafka_string(true, true)
        doc: The `client.rack`, if it is set
      - id: client_id
        -orig-id: ClientId
        type: kafka_string(true, false)
        doc: The `client.id`
      - id: client_host
        -orig-id: ClientHost
        type: kafka_string(true, false)
        doc: Address from which the member connects
      - id: topology_epoch
        -orig-id: TopologyEpoch
        type: s4
      - id: process_id
        -orig-id: ProcessId
        type: kafka_string(true, false)
      - id: is_user_endpoint_present
        type: s1
        doc: Negative if `user_endpoint` is null
      - id: user_endpoint
        -orig-id: UserEndpoint
        type: endpoint
        if: is_user_endpoint_present >= 0
      - id: num_client_tags
        type: kafka_array_length(true, false)
        doc: Number of `client_tags`
      - id: client_tags
        -orig-id: ClientTags
        type: key_value
        repeat: expr
        repeat-expr: num_client_tags.value
      - id: num_task_offsets
        type: kafka_array_length(true, false)
        doc: Number of `task_offsets`
      - id: task_offsets
        -orig-id: TaskOffsets
        type: task_offset
        repeat: expr
        repeat-expr: num_task_offsets.value
      - id: num_task_end_offsets
        type: kafka_array_length(true, false)
        doc: Number of `task_end_offsets`
      - id: task_end_offsets
        -orig-id: TaskEndOffsets
        type: task_offset
        repeat: expr
        repeat-expr: num_task_end_offsets.value
      - id: assignment
        -orig-id: Assignment
        type: assignment
      - id: target_assignment
        -orig-id: TargetAssignment
        type: assignment
      - id: is_classic
        -orig-id: IsClassic
        type: kafka_boolean
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
  assignment:
    seq:
      - id: num_active_tasks
        type: kafka_array_length(true, false)
        doc: Number of `active_tasks`
      - id: active_tasks
        -orig-id: ActiveTasks
        type: task_ids
        repeat: expr
        repeat-expr: num_active_tasks.value
      - id: num_standby_tasks
        type: kafka_array_length(true, false)
        doc: Number of `standby_tasks`
      - id: standby_tasks
        -orig-id: StandbyTasks
        type: task_ids
        repeat: expr
        repeat-expr: num_standby_tasks.value
      - id: num_warmup_tasks
        type: kafka_array_length(true, false)
        doc: Number of `warmup_tasks`
      - id: warmup_tasks
        -orig-id: WarmupTasks
        type: task_ids
        repeat: expr
        repeat-expr: num_warmup_tasks.value
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
  topology_description:
    seq:
      - id: num_subtopologies
        type: kafka_array_length(true, false)
        if: _root.message_version >= 1
        doc: Number of `subtopologies`
      - id: subtopologies
        -orig-id: Subtopologies
        type: topology_description_subtopology
        repeat: expr
        repeat-expr: num_subtopologies.value
        if: _root.message_version >= 1
      - id: num_global_stores
        type: kafka_array_length(true, false)
        if: _root.message_version >= 1
        doc: Number of `global_stores`
      - id: global_stores
        -orig-id: GlobalStores
        type: topology_description_global_store
        repeat: expr
        repeat-expr: num_global_stores.value
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topology_description_subtopology:
    seq:
      - id: subtopology_id
        -orig-id: SubtopologyId
        type: kafka_string(true, false)
        if: _root.message_version >= 1
      - id: num_nodes
        type: kafka_array_length(true, false)
        if: _root.message_version >= 1
        doc: Number of `nodes`
      - id: nodes
        -orig-id: Nodes
        type: topology_description_node
        repeat: expr
        repeat-expr: num_nodes.value
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topology_description_node:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        if: _root.message_version >= 1
      - id: node_type
        -orig-id: NodeType
        type: s1
        if: _root.message_version >= 1
      - id: num_source_topics
        type: kafka_array_length(true, false)
        if: _root.message_version >= 1
        doc: Number of `source_topics`
      - id: source_topics
        -orig-id: SourceTopics
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_source_topics.value
        if: _root.message_version >= 1
      - id: sink_topic
        -orig-id: SinkTopic
        type: kafka_string(true, true)
        if: _root.message_version >= 1
      - id: num_stores
        type: kafka_array_length(true, false)
        if: _root.message_version >= 1
        doc: Number of `stores`
      - id: stores
        -orig-id: Stores
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_stores.value
        if: _root.message_version >= 1
      - id: num_successors
        type: kafka_array_length(true, false)
        if: _root.message_version >= 1
        doc: Number of `successors`
      - id: successors
        -orig-id: Successors
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_successors.value
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topology_description_global_store:
    seq:
      - id: source
        -orig-id: Source
        type: topology_description_node
        if: _root.message_version >= 1
      - id: processor
        -orig-id: Processor
        type: topology_description_node
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
