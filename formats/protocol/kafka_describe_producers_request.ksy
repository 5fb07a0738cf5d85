meta:
  id: kafka_describe_producers_request
  -orig-id: DescribeProducersRequest
  -versions: 0-0
  title: Apache Kafka describe producers request
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
  `DescribeProducersRequest`: a request of the API with key 61, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeProducersRequest.json DescribeProducersRequest
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
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topic_request:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: num_partition_indexes
        type: kafka_array_length(true, false)
        doc: Number of `partition_indexes`
      - id: partition_indexes
        -orig-id: PartitionIndexes
        type: s4
        repeat: expr
        repeat-expr: num_partition_indexes.value
        doc: Numbers of partitions
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
