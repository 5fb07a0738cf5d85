meta:
  id: kafka_fetch_request
  -orig-id: FetchRequest
  -versions: 4-18
  title: Apache Kafka fetch request
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
  `FetchRequest`: a request of the API with key 1, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FetchRequest.json FetchRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: replica_id
    -orig-id: ReplicaId
    type: s4
    if: message_version <= 14
    doc: |
      `node.id` of the replica; in a request that of the broker that asks, -1
      for a client
  - id: max_wait_ms
    -orig-id: MaxWaitMs
    type: s4
    doc: How long the broker may wait for `min_bytes`, in ms
  - id: min_bytes
    -orig-id: MinBytes
    type: s4
  - id: max_bytes
    -orig-id: MaxBytes
    type: s4
  - id: isolation_level
    -orig-id: IsolationLevel
    type: s1
    doc: |
      0: read_uncommitted; 1: read_committed
  - id: session_id
    -orig-id: SessionId
    type: s4
    if: message_version >= 7
    doc: Number of the fetch session (KIP-227), 0 for none
  - id: session_epoch
    -orig-id: SessionEpoch
    type: s4
    if: message_version >= 7
    doc: Number of the fetch in its session (KIP-227)
  - id: num_topics
    type: kafka_array_length(message_version >= 12, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: fetch_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: num_forgotten_topics_data
    type: kafka_array_length(message_version >= 12, false)
    if: message_version >= 7
    doc: Number of `forgotten_topics_data`
  - id: forgotten_topics_data
    -orig-id: ForgottenTopicsData
    type: forgotten_topic
    repeat: expr
    repeat-expr: num_forgotten_topics_data.value
    if: message_version >= 7
  - id: rack_id
    -orig-id: RackId
    type: kafka_string(message_version >= 12, false)
    if: message_version >= 11
    doc: The `client.rack`, if it is set
  - id: tagged_fields
    type: tagged_fields
    if: message_version >= 12
    doc: Fields that may be missing
types:
  fetch_topic:
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
        type: fetch_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
        doc: None is known
  fetch_partition:
    seq:
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
      - id: current_leader_epoch
        -orig-id: CurrentLeaderEpoch
        type: s4
        if: _root.message_version >= 9
        doc: |
          Leader epoch that the client knows; the broker refuses an older one.
          -1 if the client does not send it
      - id: fetch_offset
        -orig-id: FetchOffset
        type: s8
      - id: last_fetched_epoch
        -orig-id: LastFetchedEpoch
        type: s4
        if: _root.message_version >= 12
      - id: log_start_offset
        -orig-id: LogStartOffset
        type: s8
        if: _root.message_version >= 5
        doc: Offset of the first record that the log still has
      - id: partition_max_bytes
        -orig-id: PartitionMaxBytes
        type: s4
      - id: tagged_fields
        type: fetch_partition_tagged_fields
        if: _root.message_version >= 12
        doc: Fields that may be missing
  fetch_partition_tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: fetch_partition_tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  fetch_partition_tagged_field:
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
          (tag.value != 0 or _root.message_version >= 17) and
          (tag.value != 1 or _root.message_version >= 18) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: fetch_partition_replica_directory_id_tag
            1: fetch_partition_high_watermark_tag
        doc: The field itself, or bytes if its tag is not known
  fetch_partition_replica_directory_id_tag:
    doc: Field of tag 0
    seq:
      - id: replica_directory_id
        -orig-id: ReplicaDirectoryId
        -index: 6
        -versions: 17-18
        size: 16
        doc: Directory id of the replica
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  fetch_partition_high_watermark_tag:
    doc: Field of tag 1
    seq:
      - id: high_watermark
        -orig-id: HighWatermark
        -index: 7
        -versions: 18-18
        type: s8
        doc: Offset after the last record that all in-sync replicas have
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  forgotten_topic:
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(_root.message_version >= 12, false)
        if: _root.message_version >= 7 and _root.message_version <= 12
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 13
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 12, false)
        if: _root.message_version >= 7
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
        if: _root.message_version >= 7
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
        doc: None is known
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
          (tag.value != 1 or _root.message_version >= 15) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: cluster_id_tag
            1: replica_state_tag
        doc: The field itself, or bytes if its tag is not known
  cluster_id_tag:
    doc: Field of tag 0
    seq:
      - id: cluster_id
        -orig-id: ClusterId
        -index: 0
        -versions: 12-18
        type: kafka_string(true, true)
        doc: Id of the cluster
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  replica_state:
    seq:
      - id: replica_id
        -orig-id: ReplicaId
        type: s4
        if: _root.message_version >= 15
        doc: |
          `node.id` of the replica; in a request that of the broker that asks,
          -1 for a client
      - id: replica_epoch
        -orig-id: ReplicaEpoch
        type: s8
        if: _root.message_version >= 15
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 12
        doc: None is known
  replica_state_tag:
    doc: Field of tag 1
    seq:
      - id: replica_state
        -orig-id: ReplicaState
        -index: 2
        -versions: 15-18
        type: replica_state
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
