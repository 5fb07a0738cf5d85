meta:
  id: kafka_api_versions_response
  -orig-id: ApiVersionsResponse
  -versions: 0-5
  title: Apache Kafka api versions response
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
  `ApiVersionsResponse`: a response of the API with key 18, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ApiVersionsResponse.json ApiVersionsResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_api_keys
    type: kafka_array_length(message_version >= 3, false)
    doc: Number of `api_keys`
  - id: api_keys
    -orig-id: ApiKeys
    type: api_version
    repeat: expr
    repeat-expr: num_api_keys.value
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 1
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: tagged_fields
    type: tagged_fields
    if: message_version >= 3
    doc: Fields that may be missing
types:
  api_version:
    seq:
      - id: api_key
        -orig-id: ApiKey
        type: s2
        doc: Number of the API
      - id: min_version
        -orig-id: MinVersion
        type: s2
        doc: Oldest version
      - id: max_version
        -orig-id: MaxVersion
        type: s2
        doc: Latest version
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
  tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  tagged_field:
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
            0: supported_features_tag
            1: finalized_features_epoch_tag
            2: finalized_features_tag
            3: zk_migration_ready_tag
        doc: The field itself, or bytes if its tag is not known
  supported_feature_key:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        if: _root.message_version >= 3
      - id: min_version
        -orig-id: MinVersion
        type: s2
        if: _root.message_version >= 3
        doc: Oldest version
      - id: max_version
        -orig-id: MaxVersion
        type: s2
        if: _root.message_version >= 3
        doc: Latest version
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
  supported_features_tag:
    doc: Field of tag 0
    seq:
      - id: num_supported_features
        type: kafka_array_length(true, false)
        doc: Number of `supported_features`
      - id: supported_features
        -orig-id: SupportedFeatures
        -index: 3
        -versions: 3-5
        type: supported_feature_key
        repeat: expr
        repeat-expr: num_supported_features.value
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  finalized_features_epoch_tag:
    doc: Field of tag 1
    seq:
      - id: finalized_features_epoch
        -orig-id: FinalizedFeaturesEpoch
        -index: 4
        -versions: 3-5
        type: s8
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  finalized_feature_key:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        if: _root.message_version >= 3
      - id: max_version_level
        -orig-id: MaxVersionLevel
        type: s2
        if: _root.message_version >= 3
      - id: min_version_level
        -orig-id: MinVersionLevel
        type: s2
        if: _root.message_version >= 3
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
  finalized_features_tag:
    doc: Field of tag 2
    seq:
      - id: num_finalized_features
        type: kafka_array_length(true, false)
        doc: Number of `finalized_features`
      - id: finalized_features
        -orig-id: FinalizedFeatures
        -index: 5
        -versions: 3-5
        type: finalized_feature_key
        repeat: expr
        repeat-expr: num_finalized_features.value
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  zk_migration_ready_tag:
    doc: Field of tag 3
    seq:
      - id: zk_migration_ready
        -orig-id: ZkMigrationReady
        -index: 6
        -versions: 3-5
        type: kafka_boolean
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
