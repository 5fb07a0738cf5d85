meta:
  id: kafka_update_features_response
  -orig-id: UpdateFeaturesResponse
  -versions: 0-2
  title: Apache Kafka update features response
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
  `UpdateFeaturesResponse`: a response of the API with key 57, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/UpdateFeaturesResponse.json UpdateFeaturesResponse
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
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(true, true)
    doc: Text of the error
  - id: num_results
    type: kafka_array_length(true, false)
    if: message_version <= 1
    doc: Number of `results`
  - id: results
    -orig-id: Results
    type: updatable_feature_result
    repeat: expr
    repeat-expr: num_results.value
    if: message_version <= 1
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  updatable_feature_result:
    seq:
      - id: feature
        -orig-id: Feature
        type: kafka_string(true, false)
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
