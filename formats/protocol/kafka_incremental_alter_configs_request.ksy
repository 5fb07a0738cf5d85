meta:
  id: kafka_incremental_alter_configs_request
  -orig-id: IncrementalAlterConfigsRequest
  -versions: 0-1
  title: Apache Kafka incremental alter configs request
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
  `IncrementalAlterConfigsRequest`: a request of the API with key 44, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/IncrementalAlterConfigsRequest.json IncrementalAlterConfigsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_resources
    type: kafka_array_length(message_version >= 1, false)
    doc: Number of `resources`
  - id: resources
    -orig-id: Resources
    type: alter_configs_resource
    repeat: expr
    repeat-expr: num_resources.value
  - id: validate_only
    -orig-id: ValidateOnly
    type: kafka_boolean
    doc: Whether to check the request and change nothing
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 1
    doc: None is known
types:
  alter_configs_resource:
    seq:
      - id: resource_type
        -orig-id: ResourceType
        type: s1
      - id: resource_name
        -orig-id: ResourceName
        type: kafka_string(_root.message_version >= 1, false)
      - id: num_configs
        type: kafka_array_length(_root.message_version >= 1, false)
        doc: Number of `configs`
      - id: configs
        -orig-id: Configs
        type: alterable_config
        repeat: expr
        repeat-expr: num_configs.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
  alterable_config:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(_root.message_version >= 1, false)
      - id: config_operation
        -orig-id: ConfigOperation
        type: s1
      - id: value
        -orig-id: Value
        type: kafka_string(_root.message_version >= 1, true)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
