meta:
  id: kafka_describe_delegation_token_response
  -orig-id: DescribeDelegationTokenResponse
  -versions: 1-3
  title: Apache Kafka describe delegation token response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_bytes
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `DescribeDelegationTokenResponse`: a response of the API with key 41, after
  its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeDelegationTokenResponse.json DescribeDelegationTokenResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_tokens
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `tokens`
  - id: tokens
    -orig-id: Tokens
    type: described_delegation_token
    repeat: expr
    repeat-expr: num_tokens.value
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  described_delegation_token:
    seq:
      - id: principal_type
        -orig-id: PrincipalType
        type: kafka_string(_root.message_version >= 2, false)
      - id: principal_name
        -orig-id: PrincipalName
        type: kafka_string(_root.message_version >= 2, false)
      - id: token_requester_principal_type
        -orig-id: TokenRequesterPrincipalType
        type: kafka_string(true, false)
        if: _root.message_version >= 3
      - id: token_requester_principal_name
        -orig-id: TokenRequesterPrincipalName
        type: kafka_string(true, false)
        if: _root.message_version >= 3
      - id: issue_timestamp
        -orig-id: IssueTimestamp
        type: s8
      - id: expiry_timestamp
        -orig-id: ExpiryTimestamp
        type: s8
      - id: max_timestamp
        -orig-id: MaxTimestamp
        type: s8
      - id: token_id
        -orig-id: TokenId
        type: kafka_string(_root.message_version >= 2, false)
      - id: hmac
        -orig-id: Hmac
        type: kafka_bytes(_root.message_version >= 2, false)
        doc: HMAC of the delegation token
      - id: num_renewers
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `renewers`
      - id: renewers
        -orig-id: Renewers
        type: described_delegation_token_renewer
        repeat: expr
        repeat-expr: num_renewers.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  described_delegation_token_renewer:
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
