meta:
  id: kafka_share_fetch_response
  -orig-id: ShareFetchResponse
  -versions: 1-2
  title: Apache Kafka share fetch response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_record_set
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `ShareFetchResponse`: a response of the API with key 78, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareFetchResponse.json ShareFetchResponse
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
  - id: acquisition_lock_timeout_ms
    -orig-id: AcquisitionLockTimeoutMs
    type: s4
  - id: num_responses
    type: kafka_array_length(true, false)
    doc: Number of `responses`
  - id: responses
    -orig-id: Responses
    type: share_fetchable_topic_response
    repeat: expr
    repeat-expr: num_responses.value
  - id: num_node_endpoints
    type: kafka_array_length(true, false)
    doc: Number of `node_endpoints`
  - id: node_endpoints
    -orig-id: NodeEndpoints
    type: node_endpoint
    repeat: expr
    repeat-expr: num_node_endpoints.value
    doc: Addresses of the leaders in this response
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  share_fetchable_topic_response:
    seq:
      - id: topic_id
        -orig-id: TopicId
        size: 16
        doc: UUID of the topic
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
        doc: Text of the error
      - id: acknowledge_error_code
        -orig-id: AcknowledgeErrorCode
        type: s2
      - id: acknowledge_error_message
        -orig-id: AcknowledgeErrorMessage
        type: kafka_string(true, true)
      - id: current_leader
        -orig-id: CurrentLeader
        type: leader_id_and_epoch
      - id: records
        -orig-id: Records
        type: kafka_record_set(true, false)
        doc: Batches of records
      - id: num_acquired_records
        type: kafka_array_length(true, false)
        doc: Number of `acquired_records`
      - id: acquired_records
        -orig-id: AcquiredRecords
        type: acquired_records
        repeat: expr
        repeat-expr: num_acquired_records.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  leader_id_and_epoch:
    seq:
      - id: leader_id
        -orig-id: LeaderId
        type: s4
        doc: |
          `node.id` of the leader
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  acquired_records:
    seq:
      - id: first_offset
        -orig-id: FirstOffset
        type: s8
        doc: Offset of the first record
      - id: last_offset
        -orig-id: LastOffset
        type: s8
        doc: Offset of the last record
      - id: delivery_count
        -orig-id: DeliveryCount
        type: s2
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  node_endpoint:
    seq:
      - id: node_id
        -orig-id: NodeId
        type: s4
        doc: The `node.id`
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: s4
        doc: TCP port
      - id: rack
        -orig-id: Rack
        type: kafka_string(true, true)
        doc: The `broker.rack`, if it is set
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
