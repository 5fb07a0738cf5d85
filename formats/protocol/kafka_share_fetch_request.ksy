meta:
  id: kafka_share_fetch_request
  -orig-id: ShareFetchRequest
  -versions: 1-2
  title: Apache Kafka share fetch request
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
  `ShareFetchRequest`: a request of the API with key 78, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareFetchRequest.json ShareFetchRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(true, true)
    doc: The `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(true, true)
    doc: Id of the member
  - id: share_session_epoch
    -orig-id: ShareSessionEpoch
    type: s4
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
  - id: max_records
    -orig-id: MaxRecords
    type: s4
  - id: batch_size
    -orig-id: BatchSize
    type: s4
  - id: share_acquire_mode
    -orig-id: ShareAcquireMode
    type: s1
    if: message_version >= 2
  - id: is_renew_ack
    -orig-id: IsRenewAck
    type: kafka_boolean
    if: message_version >= 2
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: fetch_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: num_forgotten_topics_data
    type: kafka_array_length(true, false)
    doc: Number of `forgotten_topics_data`
  - id: forgotten_topics_data
    -orig-id: ForgottenTopicsData
    type: forgotten_topic
    repeat: expr
    repeat-expr: num_forgotten_topics_data.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  fetch_topic:
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
        type: fetch_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  fetch_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: num_acknowledgement_batches
        type: kafka_array_length(true, false)
        doc: Number of `acknowledgement_batches`
      - id: acknowledgement_batches
        -orig-id: AcknowledgementBatches
        type: acknowledgement_batch
        repeat: expr
        repeat-expr: num_acknowledgement_batches.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  acknowledgement_batch:
    seq:
      - id: first_offset
        -orig-id: FirstOffset
        type: s8
        doc: Offset of the first record
      - id: last_offset
        -orig-id: LastOffset
        type: s8
        doc: Offset of the last record
      - id: num_acknowledge_types
        type: kafka_array_length(true, false)
        doc: Number of `acknowledge_types`
      - id: acknowledge_types
        -orig-id: AcknowledgeTypes
        type: s1
        repeat: expr
        repeat-expr: num_acknowledge_types.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  forgotten_topic:
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
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
