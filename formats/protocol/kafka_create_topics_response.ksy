meta:
  id: kafka_create_topics_response
  -orig-id: CreateTopicsResponse
  -versions: 2-7
  title: Apache Kafka create topics response
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
    - kafka_unsigned_varint
  endian: be
doc: |
  `CreateTopicsResponse`: a response of the API with key 19, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateTopicsResponse.json CreateTopicsResponse
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
    type: kafka_array_length(message_version >= 5, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: creatable_topic_result
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 5
    doc: None is known
types:
  creatable_topic_result:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 5, false)
      - id: topic_id
        -orig-id: TopicId
        size: 16
        if: _root.message_version >= 7
        doc: UUID of the topic
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(_root.message_version >= 5, true)
        doc: Text of the error
      - id: num_partitions
        -orig-id: NumPartitions
        type: s4
        if: _root.message_version >= 5
      - id: replication_factor
        -orig-id: ReplicationFactor
        type: s2
        if: _root.message_version >= 5
        doc: Number of replicas
      - id: num_configs
        type: kafka_array_length(true, true)
        if: _root.message_version >= 5
        doc: Number of `configs`
      - id: configs
        -orig-id: Configs
        type: creatable_topic_configs
        repeat: expr
        repeat-expr: num_configs.value
        if: _root.message_version >= 5
      - id: tagged_fields
        type: creatable_topic_result_tagged_fields
        if: _root.message_version >= 5
        doc: Fields that may be missing
  creatable_topic_configs:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        if: _root.message_version >= 5
      - id: value
        -orig-id: Value
        type: kafka_string(true, true)
        if: _root.message_version >= 5
      - id: read_only
        -orig-id: ReadOnly
        type: kafka_boolean
        if: _root.message_version >= 5
      - id: config_source
        -orig-id: ConfigSource
        type: s1
        if: _root.message_version >= 5
      - id: is_sensitive
        -orig-id: IsSensitive
        type: kafka_boolean
        if: _root.message_version >= 5
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 5
        doc: None is known
  creatable_topic_result_tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: creatable_topic_result_tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  creatable_topic_result_tagged_field:
    doc: A field that may be missing
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: creatable_topic_result_topic_config_error_code_tag
        doc: The field itself, or bytes if its tag is not known
  creatable_topic_result_topic_config_error_code_tag:
    doc: Field of tag 0
    seq:
      - id: topic_config_error_code
        -orig-id: TopicConfigErrorCode
        -index: 4
        -versions: 5-7
        type: s2
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
