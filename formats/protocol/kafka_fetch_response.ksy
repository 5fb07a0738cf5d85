meta:
  id: kafka_fetch_response
  -orig-id: FetchResponse
  -versions: 4-18
  title: Apache Kafka fetch response
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
    - kafka_unsigned_varint
  endian: be
doc: |
  `FetchResponse`: a response of the API with key 1, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FetchResponse.json FetchResponse
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
    if: message_version >= 7
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: session_id
    -orig-id: SessionId
    type: s4
    if: message_version >= 7
    doc: Number of the fetch session (KIP-227), 0 for none
  - id: num_responses
    type: kafka_array_length(message_version >= 12, false)
    doc: Number of `responses`
  - id: responses
    -orig-id: Responses
    type: fetchable_topic_response
    repeat: expr
    repeat-expr: num_responses.value
  - id: tagged_fields
    type: tagged_fields
    if: message_version >= 12
    doc: Fields that may be missing
types:
  fetchable_topic_response:
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(_root.message_version >= 12, false)
        if: _root.message_version <= 12
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 13
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 12, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: partition_data
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
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
      - id: high_watermark
        -orig-id: HighWatermark
        type: s8
        doc: Offset after the last record that all in-sync replicas have
      - id: last_stable_offset
        -orig-id: LastStableOffset
        type: s8
        doc: |
          Offset of the first record of an open transaction, or else the high
          watermark
      - id: log_start_offset
        -orig-id: LogStartOffset
        type: s8
        if: _root.message_version >= 5
        doc: Offset of the first record that the log still has
      - id: num_aborted_transactions
        type: kafka_array_length(_root.message_version >= 12, true)
        doc: Number of `aborted_transactions`
      - id: aborted_transactions
        -orig-id: AbortedTransactions
        type: aborted_transaction
        repeat: expr
        repeat-expr: num_aborted_transactions.value
      - id: preferred_read_replica
        -orig-id: PreferredReadReplica
        type: s4
        if: _root.message_version >= 11
      - id: records
        -orig-id: Records
        type: kafka_record_set(_root.message_version >= 12, true)
        doc: Batches of records
      - id: tagged_fields
        type: partition_data_tagged_fields
        if: _root.message_version >= 12
        doc: Fields that may be missing
  aborted_transaction:
    seq:
      - id: producer_id
        -orig-id: ProducerId
        type: s8
        doc: Id that the broker has given the producer
      - id: first_offset
        -orig-id: FirstOffset
        type: s8
        doc: Offset of the first record
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
        doc: None is known
  partition_data_tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: partition_data_tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  partition_data_tagged_field:
    doc: A field that may be missing
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: partition_data_diverging_epoch_tag
            1: partition_data_current_leader_tag
            2: partition_data_snapshot_id_tag
        doc: The field itself, or bytes if its tag is not known
  epoch_end_offset:
    seq:
      - id: epoch
        -orig-id: Epoch
        type: s4
        if: _root.message_version >= 12
      - id: end_offset
        -orig-id: EndOffset
        type: s8
        if: _root.message_version >= 12
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
        doc: None is known
  partition_data_diverging_epoch_tag:
    doc: Field of tag 0
    seq:
      - id: diverging_epoch
        -orig-id: DivergingEpoch
        -index: 5
        -versions: 12-18
        type: epoch_end_offset
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  leader_id_and_epoch:
    seq:
      - id: leader_id
        -orig-id: LeaderId
        type: s4
        if: _root.message_version >= 12
        doc: |
          `node.id` of the leader
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        if: _root.message_version >= 12
        doc: Leader epoch of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
        doc: None is known
  partition_data_current_leader_tag:
    doc: Field of tag 1
    seq:
      - id: current_leader
        -orig-id: CurrentLeader
        -index: 6
        -versions: 12-18
        type: leader_id_and_epoch
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  snapshot_id:
    seq:
      - id: end_offset
        -orig-id: EndOffset
        type: s8
      - id: epoch
        -orig-id: Epoch
        type: s4
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
        doc: None is known
  partition_data_snapshot_id_tag:
    doc: Field of tag 2
    seq:
      - id: snapshot_id
        -orig-id: SnapshotId
        -index: 7
        -versions: 12-18
        type: snapshot_id
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  tagged_field:
    doc: A field that may be missing
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: |
          (tag.value != 0 or _root.message_version >= 16) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: node_endpoints_tag
        doc: The field itself, or bytes if its tag is not known
  node_endpoint:
    seq:
      - id: node_id
        -orig-id: NodeId
        type: s4
        if: _root.message_version >= 16
        doc: The `node.id`
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        if: _root.message_version >= 16
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: s4
        if: _root.message_version >= 16
        doc: TCP port
      - id: rack
        -orig-id: Rack
        type: kafka_string(true, true)
        if: _root.message_version >= 16
        doc: The `broker.rack`, if it is set
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
        doc: None is known
  node_endpoints_tag:
    doc: Field of tag 0
    seq:
      - id: num_node_endpoints
        type: kafka_array_length(true, false)
        doc: Number of `node_endpoints`
      - id: node_endpoints
        -orig-id: NodeEndpoints
        -index: 4
        -versions: 16-18
        type: node_endpoint
        repeat: expr
        repeat-expr: num_node_endpoints.value
        doc: Addresses of the leaders in this response
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
