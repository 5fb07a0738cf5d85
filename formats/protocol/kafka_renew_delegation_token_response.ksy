meta:
  id: kafka_renew_delegation_token_response
  -orig-id: RenewDelegationTokenResponse
  -versions: 1-2
  title: Apache Kafka renew delegation token response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_tagged_fields
  endian: be
doc: |
  `RenewDelegationTokenResponse`: a response of the API with key 39, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/RenewDelegationTokenResponse.json RenewDelegationTokenResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: expiry_timestamp_ms
    -orig-id: ExpiryTimestampMs
    type: s8
    doc: When it expires, in ms since 1970-01-01 UTC
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
