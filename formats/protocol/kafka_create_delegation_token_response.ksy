meta:
  id: kafka_create_delegation_token_response
  -orig-id: CreateDelegationTokenResponse
  -versions: 1-3
  title: Apache Kafka create delegation token response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_bytes
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `CreateDelegationTokenResponse`: a response of the API with key 38, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateDelegationTokenResponse.json CreateDelegationTokenResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: principal_type
    -orig-id: PrincipalType
    type: kafka_string(message_version >= 2, false)
  - id: principal_name
    -orig-id: PrincipalName
    type: kafka_string(message_version >= 2, false)
  - id: token_requester_principal_type
    -orig-id: TokenRequesterPrincipalType
    type: kafka_string(true, false)
    if: message_version >= 3
  - id: token_requester_principal_name
    -orig-id: TokenRequesterPrincipalName
    type: kafka_string(true, false)
    if: message_version >= 3
  - id: issue_timestamp_ms
    -orig-id: IssueTimestampMs
    type: s8
    doc: When it was made, in ms since 1970-01-01 UTC
  - id: expiry_timestamp_ms
    -orig-id: ExpiryTimestampMs
    type: s8
    doc: When it expires, in ms since 1970-01-01 UTC
  - id: max_timestamp_ms
    -orig-id: MaxTimestampMs
    type: s8
  - id: token_id
    -orig-id: TokenId
    type: kafka_string(message_version >= 2, false)
  - id: hmac
    -orig-id: Hmac
    type: kafka_bytes(message_version >= 2, false)
    doc: HMAC of the delegation token
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
