meta:
  id: kafka_fetch_snapshot_request
  -orig-id: FetchSnapshotRequest
  -versions: 0-1
  title: Apache Kafka fetch snapshot request
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
  `FetchSnapshotRequest`: a request of the API with key 59, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FetchSnapshotRequest.json FetchSnapshotRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: replica_id
    -orig-id: ReplicaId
    type: s4
    doc: |
      `node.id` of the replica; in a request that of the broker that asks, -1
      for a client
  - id: max_bytes
    -orig-id: MaxBytes
    type: s4
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: topic_snapshot
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: tagged_fields
    doc: Fields that may be missing
types:
  topic_snapshot:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: partition_snapshot
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  partition_snapshot:
    seq:
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
      - id: current_leader_epoch
        -orig-id: CurrentLeaderEpoch
        type: s4
        doc: |
          Leader epoch that the client knows; the broker refuses an older one.
          -1 if the client does not send it
      - id: snapshot_id
        -orig-id: SnapshotId
        type: snapshot_id
      - id: position
        -orig-id: Position
        type: s8
      - id: tagged_fields
        type: partition_snapshot_tagged_fields
        doc: Fields that may be missing
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
        doc: None is known
  partition_snapshot_tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: partition_snapshot_tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  partition_snapshot_tagged_field:
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
          (tag.value != 0 or _root.message_version >= 1) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: partition_snapshot_replica_directory_id_tag
        doc: The field itself, or bytes if its tag is not known
  partition_snapshot_replica_directory_id_tag:
    doc: Field of tag 0
    seq:
      - id: replica_directory_id
        -orig-id: ReplicaDirectoryId
        -index: 4
        -versions: 1-1
        size: 16
        doc: Directory id of the replica
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
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: cluster_id_tag
        doc: The field itself, or bytes if its tag is not known
  cluster_id_tag:
    doc: Field of tag 0
    seq:
      - id: cluster_id
        -orig-id: ClusterId
        -index: 0
        -versions: 0-1
        type: kafka_string(true, true)
        doc: Id of the cluster
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
