meta:
  id: kafka_describe_client_quotas_request
  -orig-id: DescribeClientQuotasRequest
  -versions: 0-1
  title: Apache Kafka describe client quotas request
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
  `DescribeClientQuotasRequest`: a request of the API with key 48, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeClientQuotasRequest.json DescribeClientQuotasRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_components
    type: kafka_array_length(message_version >= 1, false)
    doc: Number of `components`
  - id: components
    -orig-id: Components
    type: component_data
    repeat: expr
    repeat-expr: num_components.value
  - id: strict
    -orig-id: Strict
    type: kafka_boolean
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 1
    doc: None is known
types:
  component_data:
    seq:
      - id: entity_type
        -orig-id: EntityType
        type: kafka_string(_root.message_version >= 1, false)
      - id: match_type
        -orig-id: MatchType
        type: s1
      - id: match
        -orig-id: Match
        type: kafka_string(_root.message_version >= 1, true)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
