meta:
  id: kafka_offset_delete_response
  -orig-id: OffsetDeleteResponse
  -versions: 0-0
  title: Apache Kafka offset delete response
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
  endian: be
doc: |
  `OffsetDeleteResponse`: a response of the API with key 47, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetDeleteResponse.json OffsetDeleteResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: num_topics
    type: kafka_array_length(false, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: offset_delete_response_topic
    repeat: expr
    repeat-expr: num_topics.value
types:
  offset_delete_response_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(false, false)
      - id: num_partitions
        type: kafka_array_length(false, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: offset_delete_response_partition
        repeat: expr
        repeat-expr: num_partitions.value
  offset_delete_response_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
