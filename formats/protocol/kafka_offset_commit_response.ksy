meta:
  id: kafka_offset_commit_response
  -orig-id: OffsetCommitResponse
  -versions: 2-10
  title: Apache Kafka offset commit response
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
  `OffsetCommitResponse`: a response of the API with key 8, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetCommitResponse.json OffsetCommitResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 3
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: num_topics
    type: kafka_array_length(message_version >= 8, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: offset_commit_response_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 8
    doc: None is known
types:
  offset_commit_response_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 8, false)
        if: _root.message_version <= 9
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 10
        doc: UUID of the topic
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 8, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: offset_commit_response_partition
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 8
        doc: None is known
  offset_commit_response_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 8
        doc: None is known
