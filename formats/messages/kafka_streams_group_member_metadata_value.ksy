meta:
  id: kafka_streams_group_member_metadata_value
  -orig-id: StreamsGroupMemberMetadataValue
  -versions: 0-0
  title: Apache Kafka streams group member metadata value
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: A member of a streams group.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupMemberMetadataValue.json StreamsGroupMemberMetadataValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: instance_id
    -orig-id: InstanceId
    type: kafka_string(true, true)
    doc: Id of a static member
  - id: rack_id
    -orig-id: RackId
    type: kafka_string(true, true)
    doc: The member's `client.rack`, if it is set
  - id: client_id
    -orig-id: ClientId
    type: kafka_string(true, false)
    doc: The member's `client.id`
  - id: client_host
    -orig-id: ClientHost
    type: kafka_string(true, false)
    doc: Address from which the member connects
  - id: rebalance_timeout_ms
    -orig-id: RebalanceTimeoutMs
    type: s4
    doc: How long a rebalance waits for the member, in ms
  - id: topology_epoch
    -orig-id: TopologyEpoch
    type: s4
    doc: Epoch of the topology that the member runs
  - id: process_id
    -orig-id: ProcessId
    type: kafka_string(true, false)
    doc: UUID of the process, which may run several members
  - id: is_user_endpoint_present
    type: s1
    doc: Negative if `user_endpoint` is null
  - id: user_endpoint
    -orig-id: UserEndpoint
    type: endpoint
    if: is_user_endpoint_present >= 0
    doc: Address at which the process answers queries of its state, if it does
  - id: num_client_tags
    type: kafka_array_length(true, false)
    doc: Number of `client_tags`
  - id: client_tags
    -orig-id: ClientTags
    type: key_value
    repeat: expr
    repeat-expr: num_client_tags.value
    doc: Tags over which standby tasks are spread
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  endpoint:
    doc: Address at which a process answers queries
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
  key_value:
    doc: A tag
    seq:
      - id: key
        -orig-id: Key
        type: kafka_string(true, false)
        doc: Name of the tag
      - id: value
        -orig-id: Value
        type: kafka_string(true, false)
        doc: Value of the tag
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
