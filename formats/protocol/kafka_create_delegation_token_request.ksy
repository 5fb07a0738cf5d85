meta:
  id: kafka_create_delegation_token_request
  -orig-id: CreateDelegationTokenRequest
  -versions: 1-3
  title: Apache Kafka create delegation token request
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
  `CreateDelegationTokenRequest`: a request of the API with key 38, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateDelegationTokenRequest.json CreateDelegationTokenRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: owner_principal_type
    -orig-id: OwnerPrincipalType
    type: kafka_string(true, true)
    if: message_version >= 3
  - id: owner_principal_name
    -orig-id: OwnerPrincipalName
    type: kafka_string(true, true)
    if: message_version >= 3
  - id: num_renewers
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `renewers`
  - id: renewers
    -orig-id: Renewers
    type: creatable_renewers
    repeat: expr
    repeat-expr: num_renewers.value
  - id: max_lifetime_ms
    -orig-id: MaxLifetimeMs
    type: s8
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  creatable_renewers:
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
