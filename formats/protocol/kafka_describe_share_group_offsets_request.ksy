meta:
  id: kafka_describe_share_group_offsets_request
  -orig-id: DescribeShareGroupOffsetsRequest
  -versions: 0-1
  title: Apache Kafka describe share group offsets request
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
  `DescribeShareGroupOffsetsRequest`: a request of the API with key 90, after
  its header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeShareGroupOffsetsRequest.json DescribeShareGroupOffsetsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_groups
    type: kafka_array_length(true, false)
    doc: Number of `groups`
  - id: groups
    -orig-id: Groups
    type: describe_share_group_offsets_request_group
    repeat: expr
    repeat-expr: num_groups.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  describe_share_group_offsets_request_group:
    seq:
      - id: group_id
        -orig-id: GroupId
        type: kafka_string(true, false)
        doc: The `group.id`
      - id: num_topics
        type: kafka_array_length(true, true)
        doc: Number of `topics`
      - id: topics
        -orig-id: Topics
        type: describe_share_group_offsets_request_topic
        repeat: expr
        repeat-expr: num_topics.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  describe_share_group_offsets_request_topic:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(true, false)
        doc: Name of the topic
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
