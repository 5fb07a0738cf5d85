meta:
  id: kafka_delete_records_response
  -orig-id: DeleteRecordsResponse
  -versions: 0-2
  title: Apache Kafka delete records response
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
  `DeleteRecordsResponse`: a response of the API with key 21, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DeleteRecordsResponse.json DeleteRecordsResponse
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
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: delete_records_topic_result
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  delete_records_topic_result:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 2, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: delete_records_partition_result
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  delete_records_partition_result:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: low_watermark
        -orig-id: LowWatermark
        type: s8
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
