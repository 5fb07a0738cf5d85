meta:
  id: kafka_delete_topics_response
  -orig-id: DeleteTopicsResponse
  -versions: 1-6
  title: Apache Kafka delete topics response
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
  `DeleteTopicsResponse`: a response of the API with key 20, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DeleteTopicsResponse.json DeleteTopicsResponse
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
  - id: num_responses
    type: kafka_array_length(message_version >= 4, false)
    doc: Number of `responses`
  - id: responses
    -orig-id: Responses
    type: deletable_topic_result
    repeat: expr
    repeat-expr: num_responses.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  deletable_topic_result:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 4, _root.message_version >= 6)
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 6
        doc: UUID of the topic
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        if: _root.message_version >= 5
        doc: Text of the error
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
