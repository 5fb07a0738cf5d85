meta:
  id: kafka_list_offsets_response
  -orig-id: ListOffsetsResponse
  -versions: 1-11
  title: Apache Kafka list offsets response
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
  `ListOffsetsResponse`: a response of the API with key 2, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListOffsetsResponse.json ListOffsetsResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 2
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: num_topics
    type: kafka_array_length(message_version >= 6, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: list_offsets_topic_response
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 6
    doc: None is known
types:
  list_offsets_topic_response:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 6, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 6, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: list_offsets_partition_response
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
  list_offsets_partition_response:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: timestamp
        -orig-id: Timestamp
        type: s8
      - id: offset
        -orig-id: Offset
        type: s8
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        if: _root.message_version >= 4
        doc: Leader epoch of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 6
        doc: None is known
