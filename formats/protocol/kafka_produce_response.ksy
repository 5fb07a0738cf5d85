meta:
  id: kafka_produce_response
  -orig-id: ProduceResponse
  -versions: 3-13
  title: Apache Kafka produce response
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
    - kafka_unsigned_varint
  endian: be
doc: |
  `ProduceResponse`: a response of the API with key 0, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ProduceResponse.json ProduceResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: num_responses
    type: kafka_array_length(message_version >= 9, false)
    doc: Number of `responses`
  - id: responses
    -orig-id: Responses
    type: topic_produce_response
    repeat: expr
    repeat-expr: num_responses.value
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: tagged_fields
    type: tagged_fields
    if: message_version >= 9
    doc: Fields that may be missing
types:
  topic_produce_response:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 9, false)
        if: _root.message_version <= 12
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 13
        doc: UUID of the topic
      - id: num_partition_responses
        type: kafka_array_length(_root.message_version >= 9, false)
        doc: Number of `partition_responses`
      - id: partition_responses
        -orig-id: PartitionResponses
        type: partition_produce_response
        repeat: expr
        repeat-expr: num_partition_responses.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
  partition_produce_response:
    seq:
      - id: index
        -orig-id: Index
        type: s4
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: base_offset
        -orig-id: BaseOffset
        type: s8
      - id: log_append_time_ms
        -orig-id: LogAppendTimeMs
        type: s8
      - id: log_start_offset
        -orig-id: LogStartOffset
        type: s8
        if: _root.message_version >= 5
        doc: Offset of the first record that the log still has
      - id: num_record_errors
        type: kafka_array_length(_root.message_version >= 9, false)
        if: _root.message_version >= 8
        doc: Number of `record_errors`
      - id: record_errors
        -orig-id: RecordErrors
        type: batch_index_and_error_message
        repeat: expr
        repeat-expr: num_record_errors.value
        if: _root.message_version >= 8
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(_root.message_version >= 9, true)
        if: _root.message_version >= 8
        doc: Text of the error
      - id: tagged_fields
        type: partition_produce_response_tagged_fields
        if: _root.message_version >= 9
        doc: Fields that may be missing
  batch_index_and_error_message:
    seq:
      - id: batch_index
        -orig-id: BatchIndex
        type: s4
        if: _root.message_version >= 8
      - id: batch_index_error_message
        -orig-id: BatchIndexErrorMessage
        type: kafka_string(_root.message_version >= 9, true)
        if: _root.message_version >= 8
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
  partition_produce_response_tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: partition_produce_response_tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  partition_produce_response_tagged_field:
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
          (tag.value != 0 or _root.message_version >= 10) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: partition_produce_response_current_leader_tag
        doc: The field itself, or bytes if its tag is not known
  leader_id_and_epoch:
    seq:
      - id: leader_id
        -orig-id: LeaderId
        type: s4
        if: _root.message_version >= 10
        doc: |
          `node.id` of the leader
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        if: _root.message_version >= 10
        doc: Leader epoch of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
  partition_produce_response_current_leader_tag:
    doc: Field of tag 0
    seq:
      - id: current_leader
        -orig-id: CurrentLeader
        -index: 7
        -versions: 10-13
        type: leader_id_and_epoch
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
          (tag.value != 0 or _root.message_version >= 10) ? len_data.value : -1
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
        if: _root.message_version >= 10
        doc: The `node.id`
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        if: _root.message_version >= 10
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: s4
        if: _root.message_version >= 10
        doc: TCP port
      - id: rack
        -orig-id: Rack
        type: kafka_string(true, true)
        if: _root.message_version >= 10
        doc: The `broker.rack`, if it is set
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
  node_endpoints_tag:
    doc: Field of tag 0
    seq:
      - id: num_node_endpoints
        type: kafka_array_length(true, false)
        doc: Number of `node_endpoints`
      - id: node_endpoints
        -orig-id: NodeEndpoints
        -index: 2
        -versions: 10-13
        type: node_endpoint
        repeat: expr
        repeat-expr: num_node_endpoints.value
        doc: Addresses of the leaders in this response
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
