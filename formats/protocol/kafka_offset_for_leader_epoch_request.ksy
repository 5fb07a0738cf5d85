meta:
  id: kafka_offset_for_leader_epoch_request
  -orig-id: OffsetForLeaderEpochRequest
  -versions: 2-4
  title: Apache Kafka offset for leader epoch request
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
  endian: be
doc: |
  `OffsetForLeaderEpochRequest`: a request of the API with key 23, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetForLeaderEpochRequest.json OffsetForLeaderEpochRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: replica_id
    -orig-id: ReplicaId
    type: s4
    if: message_version >= 3
    doc: |
      `node.id` of the replica; in a request that of the broker that asks, -1
      for a client
  - id: num_topics
    type: kafka_array_length(message_version >= 4, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: offset_for_leader_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  offset_for_leader_topic:
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(_root.message_version >= 4, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 4, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: offset_for_leader_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
  offset_for_leader_partition:
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
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
