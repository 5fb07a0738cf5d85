meta:
  id: kafka_describe_log_dirs_request
  -orig-id: DescribeLogDirsRequest
  -versions: 1-5
  title: Apache Kafka describe log dirs request
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
  `DescribeLogDirsRequest`: a request of the API with key 35, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeLogDirsRequest.json DescribeLogDirsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_topics
    type: kafka_array_length(message_version >= 2, true)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: describable_log_dir_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  describable_log_dir_topic:
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(_root.message_version >= 2, false)
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: s4
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
