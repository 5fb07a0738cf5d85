meta:
  id: kafka_offset_delete_request
  -orig-id: OffsetDeleteRequest
  -versions: 0-0
  title: Apache Kafka offset delete request
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
  `OffsetDeleteRequest`: a request of the API with key 47, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetDeleteRequest.json OffsetDeleteRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(false, false)
    doc: The `group.id`
  - id: num_topics
    type: kafka_array_length(false, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: offset_delete_request_topic
    repeat: expr
    repeat-expr: num_topics.value
types:
  offset_delete_request_topic:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(false, false)
      - id: num_partitions
        type: kafka_array_length(false, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: offset_delete_request_partition
        repeat: expr
        repeat-expr: num_partitions.value
  offset_delete_request_partition:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
