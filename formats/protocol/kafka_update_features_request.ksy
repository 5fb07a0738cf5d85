meta:
  id: kafka_update_features_request
  -orig-id: UpdateFeaturesRequest
  -versions: 0-2
  title: Apache Kafka update features request
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
  `UpdateFeaturesRequest`: a request of the API with key 57, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/UpdateFeaturesRequest.json UpdateFeaturesRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: timeout_ms
    -orig-id: timeoutMs
    type: s4
    doc: How long the broker may take, in ms
  - id: num_feature_updates
    type: kafka_array_length(true, false)
    doc: Number of `feature_updates`
  - id: feature_updates
    -orig-id: FeatureUpdates
    type: feature_update_key
    repeat: expr
    repeat-expr: num_feature_updates.value
  - id: validate_only
    -orig-id: ValidateOnly
    type: kafka_boolean
    if: message_version >= 1
    doc: Whether to check the request and change nothing
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  feature_update_key:
    seq:
      - id: feature
        -orig-id: Feature
        type: kafka_string(true, false)
      - id: max_version_level
        -orig-id: MaxVersionLevel
        type: s2
      - id: allow_downgrade
        -orig-id: AllowDowngrade
        type: kafka_boolean
        if: _root.message_version <= 0
      - id: upgrade_type
        -orig-id: UpgradeType
        type: s1
        if: _root.message_version >= 1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
