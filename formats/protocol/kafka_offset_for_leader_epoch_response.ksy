meta:
  id: kafka_offset_for_leader_epoch_response
  -orig-id: OffsetForLeaderEpochResponse
  -versions: 2-4
  title: Apache Kafka offset for leader epoch response
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
  `OffsetForLeaderEpochResponse`: a response of the API with key 23, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetForLeaderEpochResponse.json OffsetForLeaderEpochResponse
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
  - id: num_topics
    type: kafka_array_length(message_version >= 4, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: offset_for_leader_topic_result
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  offset_for_leader_topic_result:
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(_root.message_version >= 4, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 4, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: epoch_end_offset
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
  epoch_end_offset:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: end_offset
        -orig-id: EndOffset
        type: s8
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
