meta:
  id: kafka_streams_group_heartbeat_response
  -orig-id: StreamsGroupHeartbeatResponse
  -versions: 0-1
  title: Apache Kafka streams group heartbeat response
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
  `StreamsGroupHeartbeatResponse`: a response of the API with key 88, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupHeartbeatResponse.json StreamsGroupHeartbeatResponse
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
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(true, false)
    doc: Id of the member
  - id: member_epoch
    -orig-id: MemberEpoch
    type: s4
    doc: Epoch of the member, which it sends in its heartbeats
  - id: heartbeat_interval_ms
    -orig-id: HeartbeatIntervalMs
    type: s4
    doc: How long the member waits between heartbeats, in ms
  - id: acceptable_recovery_lag_legacy
    -orig-id: AcceptableRecoveryLagLegacy
    type: s4
    if: message_version <= 0
  - id: task_offset_interval_ms
    -orig-id: TaskOffsetIntervalMs
    type: s4
  - id: acceptable_recovery_lag
    -orig-id: AcceptableRecoveryLag
    type: s8
    if: message_version >= 1
  - id: num_status
    type: kafka_array_length(true, true)
    doc: Number of `status`
  - id: status
    -orig-id: Status
    type: status
    repeat: expr
    repeat-expr: num_status.value
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
  - id: topology_description_required
    -orig-id: TopologyDescriptionRequired
    type: kafka_boolean
    if: message_version >= 1
  - id: endpoint_information_epoch
    -orig-id: EndpointInformationEpoch
    type: s4
  - id: num_partitions_by_user_endpoint
    type: kafka_array_length(true, true)
    doc: Number of `partitions_by_user_endpoint`
  - id: partitions_by_user_endpoint
    -orig-id: PartitionsByUserEndpoint
    type: endpoint_to_partitions
    repeat: expr
    repeat-expr: num_partitions_by_user_endpoint.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  status:
    seq:
      - id: status_code
        -orig-id: StatusCode
        type: s1
      - id: status_detail
        -orig-id: StatusDetail
        type: kafka_string(true, false)
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
  endpoint_to_partitions:
    seq:
      - id: user_endpoint
        -orig-id: UserEndpoint
        type: endpoint
      - id: num_active_partitions
        type: kafka_array_length(true, false)
        doc: Number of `active_partitions`
      - id: active_partitions
        -orig-id: ActivePartitions
        type: topic_partition
        repeat: expr
        repeat-expr: num_active_partitions.value
      - id: num_standby_partitions
        type: kafka_array_length(true, false)
        doc: Number of `standby_partitions`
      - id: standby_partitions
        -orig-id: StandbyPartitions
        type: topic_partition
        repeat: expr
        repeat-expr: num_standby_partitions.value
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
  topic_partition:
    seq:
      - id: topic
        -orig-id: Topic
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
