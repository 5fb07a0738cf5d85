meta:
  id: kafka_describe_configs_request
  -orig-id: DescribeConfigsRequest
  -versions: 1-4
  title: Apache Kafka describe configs request
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
  `DescribeConfigsRequest`: a request of the API with key 32, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeConfigsRequest.json DescribeConfigsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_resources
    type: kafka_array_length(message_version >= 4, false)
    doc: Number of `resources`
  - id: resources
    -orig-id: Resources
    type: describe_configs_resource
    repeat: expr
    repeat-expr: num_resources.value
  - id: include_synonyms
    -orig-id: IncludeSynonyms
    type: kafka_boolean
  - id: include_documentation
    -orig-id: IncludeDocumentation
    type: kafka_boolean
    if: message_version >= 3
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
types:
  describe_configs_resource:
    seq:
      - id: resource_type
        -orig-id: ResourceType
        type: s1
      - id: resource_name
        -orig-id: ResourceName
        type: kafka_string(_root.message_version >= 4, false)
      - id: num_configuration_keys
        type: kafka_array_length(_root.message_version >= 4, true)
        doc: Number of `configuration_keys`
      - id: configuration_keys
        -orig-id: ConfigurationKeys
        type: kafka_string(_root.message_version >= 4, false)
        repeat: expr
        repeat-expr: num_configuration_keys.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 4
        doc: None is known
