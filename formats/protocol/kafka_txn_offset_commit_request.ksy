meta:
  id: kafka_txn_offset_commit_request
  -orig-id: TxnOffsetCommitRequest
  -versions: 0-6
  title: Apache Kafka txn offset commit request
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
  `TxnOffsetCommitRequest`: a request of the API with key 28, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/TxnOffsetCommitRequest.json TxnOffsetCommitRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: transactional_id
    -orig-id: TransactionalId
    type: kafka_string(message_version >= 3, false)
    doc: The producer's `transactional.id`
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(message_version >= 3, false)
    doc: The `group.id`
  - id: producer_id
    -orig-id: ProducerId
    type: s8
    doc: Id that the broker has given the producer
  - id: producer_epoch
    -orig-id: ProducerEpoch
    type: s2
    doc: Epoch of the producer, higher than those of its predecessors
  - id: generation_id_or_member_epoch
    -orig-id: GenerationIdOrMemberEpoch
    type: s4
    if: message_version >= 3
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(true, false)
    if: message_version >= 3
    doc: Id of the member
  - id: group_instance_id
    -orig-id: GroupInstanceId
    type: kafka_string(true, true)
    if: message_version >= 3
    doc: Id of a static member (KIP-345)
  - id: num_topics
    type: kafka_array_length(message_version >= 3, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: txn_offset_commit_request_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
types:
  txn_offset_commit_request_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 3, false)
        if: _root.message_version <= 5
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 6
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 3, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: txn_offset_commit_request_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
  txn_offset_commit_request_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: committed_offset
        -orig-id: CommittedOffset
        type: s8
        doc: Offset of the next record that the group wants to read
      - id: committed_leader_epoch
        -orig-id: CommittedLeaderEpoch
        type: s4
        if: _root.message_version >= 2
        doc: |
          Leader epoch of the record before the committed offset, -1 if the
          consumer did not send it
      - id: committed_metadata
        -orig-id: CommittedMetadata
        type: kafka_string(_root.message_version >= 3, true)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
