meta:
  id: kafka_incremental_alter_configs_response
  -orig-id: IncrementalAlterConfigsResponse
  -versions: 0-1
  title: Apache Kafka incremental alter configs response
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
  `IncrementalAlterConfigsResponse`: a response of the API with key 44, after
  its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/IncrementalAlterConfigsResponse.json IncrementalAlterConfigsResponse
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
    type: kafka_array_length(message_version >= 1, false)
    doc: Number of `responses`
  - id: responses
    -orig-id: Responses
    type: alter_configs_resource_response
    repeat: expr
    repeat-expr: num_responses.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 1
    doc: None is known
types:
  alter_configs_resource_response:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(_root.message_version >= 1, true)
        doc: Text of the error
      - id: resource_type
        -orig-id: ResourceType
        type: s1
      - id: resource_name
        -orig-id: ResourceName
        type: kafka_string(_root.message_version >= 1, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
