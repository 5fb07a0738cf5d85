meta:
  id: kafka_metadata_request
  -orig-id: MetadataRequest
  -versions: 0-13
  title: Apache Kafka metadata request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `MetadataRequest`: a request of the API with key 3, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/MetadataRequest.json MetadataRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_topics
    type: kafka_array_length(message_version >= 9, message_version >= 1)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: metadata_request_topic
    repeat: expr
    repeat-expr: num_topics.value
  - id: allow_auto_topic_creation
    -orig-id: AllowAutoTopicCreation
    type: kafka_boolean
    if: message_version >= 4
  - id: include_cluster_authorized_operations
    -orig-id: IncludeClusterAuthorizedOperations
    type: kafka_boolean
    if: message_version >= 8 and message_version <= 10
  - id: include_topic_authorized_operations
    -orig-id: IncludeTopicAuthorizedOperations
    type: kafka_boolean
    if: message_version >= 8
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 9
    doc: None is known
types:
  metadata_request_topic:
    seq:
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 10
        doc: UUID of the topic
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 9, _root.message_version >= 10)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 9
        doc: None is known
