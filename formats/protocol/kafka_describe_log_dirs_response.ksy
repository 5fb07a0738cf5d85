meta:
  id: kafka_describe_log_dirs_response
  -orig-id: DescribeLogDirsResponse
  -versions: 1-5
  title: Apache Kafka describe log dirs response
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
  `DescribeLogDirsResponse`: a response of the API with key 35, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeLogDirsResponse.json DescribeLogDirsResponse
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
    if: message_version >= 3
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_results
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `results`
  - id: results
    -orig-id: Results
    type: describe_log_dirs_result
    repeat: expr
    repeat-expr: num_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  describe_log_dirs_result:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: log_dir
        -orig-id: LogDir
        type: kafka_string(_root.message_version >= 2, false)
      - id: num_topics
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: describe_log_dirs_topic
        repeat: expr
        repeat-expr: num_topics.value
      - id: total_bytes
        -orig-id: TotalBytes
        type: s8
        if: _root.message_version >= 4
      - id: usable_bytes
        -orig-id: UsableBytes
        type: s8
        if: _root.message_version >= 4
      - id: is_cordoned
        -orig-id: IsCordoned
        type: kafka_boolean
        if: _root.message_version >= 5
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  describe_log_dirs_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 2, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: describe_log_dirs_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  describe_log_dirs_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: partition_size
        -orig-id: PartitionSize
        type: s8
      - id: offset_lag
        -orig-id: OffsetLag
        type: s8
      - id: is_future_key
        -orig-id: IsFutureKey
        type: kafka_boolean
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
