meta:
  id: kafka_list_offsets_request
  -orig-id: ListOffsetsRequest
  -versions: 1-11
  title: Apache Kafka list offsets request
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
  `ListOffsetsRequest`: a request of the API with key 2, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListOffsetsRequest.json ListOffsetsRequest
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
  - id: isolation_level
    -orig-id: IsolationLevel
    type: s1
    if: message_version >= 2
    doc: |
      0: read_uncommitted; 1: read_committed
  - id: num_topics
    type: kafka_array_length(message_version >= 6, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: list_offsets_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: timeout_ms
    -orig-id: TimeoutMs
    type: s4
    if: message_version >= 10
    doc: How long the broker may take, in ms
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 6
    doc: None is known
types:
  list_offsets_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 6, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 6, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: list_offsets_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
  list_offsets_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: current_leader_epoch
        -orig-id: CurrentLeaderEpoch
        type: s4
        if: _root.message_version >= 4
        doc: |
          Leader epoch that the client knows; the broker refuses an older one.
          -1 if the client does not send it
      - id: timestamp
        -orig-id: Timestamp
        type: s8
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
