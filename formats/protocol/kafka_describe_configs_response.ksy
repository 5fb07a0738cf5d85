meta:
  id: kafka_describe_configs_response
  -orig-id: DescribeConfigsResponse
  -versions: 1-4
  title: Apache Kafka describe configs response
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
  `DescribeConfigsResponse`: a response of the API with key 32, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeConfigsResponse.json DescribeConfigsResponse
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
  - id: num_results
    type: kafka_array_length(message_version >= 4, false)
    doc: Number of `results`
  - id: results
    -orig-id: Results
    type: describe_configs_result
    repeat: expr
    repeat-expr: num_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  describe_configs_result:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(_root.message_version >= 4, true)
        doc: Text of the error
      - id: resource_type
        -orig-id: ResourceType
        type: s1
      - id: resource_name
        -orig-id: ResourceName
        type: kafka_string(_root.message_version >= 4, false)
      - id: num_configs
        type: kafka_array_length(_root.message_version >= 4, false)
        doc: Number of `configs`
      - id: configs
        -orig-id: Configs
        type: describe_configs_resource_result
        repeat: expr
        repeat-expr: num_configs.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
  describe_configs_resource_result:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 4, false)
      - id: value
        -orig-id: Value
        type: kafka_string(_root.message_version >= 4, true)
      - id: read_only
        -orig-id: ReadOnly
        type: kafka_boolean
      - id: config_source
        -orig-id: ConfigSource
        type: s1
      - id: is_sensitive
        -orig-id: IsSensitive
        type: kafka_boolean
      - id: num_synonyms
        type: kafka_array_length(_root.message_version >= 4, false)
        doc: Number of `synonyms`
      - id: synonyms
        -orig-id: Synonyms
        type: describe_configs_synonym
        repeat: expr
        repeat-expr: num_synonyms.value
      - id: config_type
        -orig-id: ConfigType
        type: s1
        if: _root.message_version >= 3
      - id: documentation
        -orig-id: Documentation
        type: kafka_string(_root.message_version >= 4, true)
        if: _root.message_version >= 3
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
  describe_configs_synonym:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 4, false)
      - id: value
        -orig-id: Value
        type: kafka_string(_root.message_version >= 4, true)
      - id: source
        -orig-id: Source
        type: s1
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
