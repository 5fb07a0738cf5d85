meta:
  id: kafka_delete_topics_request
  -orig-id: DeleteTopicsRequest
  -versions: 1-6
  title: Apache Kafka delete topics request
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
  `DeleteTopicsRequest`: a request of the API with key 20, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DeleteTopicsRequest.json DeleteTopicsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_topics
    type: kafka_array_length(true, false)
    if: message_version >= 6
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: delete_topic_state
    repeat: expr
    repeat-expr: num_topics.value
    if: message_version >= 6
  - id: num_topic_names
    type: kafka_array_length(message_version >= 4, false)
    if: message_version <= 5
    doc: Number of `topic_names`
  - id: topic_names
    -orig-id: TopicNames
    type: kafka_string(message_version >= 4, false)
    repeat: expr
    repeat-expr: num_topic_names.value
    if: message_version <= 5
  - id: timeout_ms
    -orig-id: TimeoutMs
    type: s4
    doc: How long the broker may take, in ms
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  delete_topic_state:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, true)
        if: _root.message_version >= 6
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 6
        doc: UUID of the topic
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
