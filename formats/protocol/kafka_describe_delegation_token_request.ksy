meta:
  id: kafka_describe_delegation_token_request
  -orig-id: DescribeDelegationTokenRequest
  -versions: 1-3
  title: Apache Kafka describe delegation token request
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
  `DescribeDelegationTokenRequest`: a request of the API with key 41, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeDelegationTokenRequest.json DescribeDelegationTokenRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_owners
    type: kafka_array_length(message_version >= 2, true)
    doc: Number of `owners`
  - id: owners
    -orig-id: Owners
    type: describe_delegation_token_owner
    repeat: expr
    repeat-expr: num_owners.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  describe_delegation_token_owner:
    seq:
      - id: principal_type
        -orig-id: PrincipalType
        type: kafka_string(_root.message_version >= 2, false)
      - id: principal_name
        -orig-id: PrincipalName
        type: kafka_string(_root.message_version >= 2, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
