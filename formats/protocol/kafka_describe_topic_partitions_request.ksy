meta:
  id: kafka_describe_topic_partitions_request
  -orig-id: DescribeTopicPartitionsRequest
  -versions: 0-0
  title: Apache Kafka describe topic partitions request
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
  `DescribeTopicPartitionsRequest`: a request of the API with key 75, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeTopicPartitionsRequest.json DescribeTopicPartitionsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: topic_request
    repeat: expr
    repeat-expr: num_topics.value
  - id: response_partition_limit
    -orig-id: ResponsePartitionLimit
    type: s4
  - id: is_cursor_present
    type: s1
    doc: Negative if `cursor` is null
  - id: cursor
    -orig-id: Cursor
    type: cursor
    if: is_cursor_present >= 0
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topic_request:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  cursor:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(true, false)
        doc: Name of the topic
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
