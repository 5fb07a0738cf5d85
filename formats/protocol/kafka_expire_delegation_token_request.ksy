meta:
  id: kafka_expire_delegation_token_request
  -orig-id: ExpireDelegationTokenRequest
  -versions: 1-2
  title: Apache Kafka expire delegation token request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_bytes
    - kafka_tagged_fields
  endian: be
doc: |
  `ExpireDelegationTokenRequest`: a request of the API with key 40, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ExpireDelegationTokenRequest.json ExpireDelegationTokenRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: hmac
    -orig-id: Hmac
    type: kafka_bytes(message_version >= 2, false)
    doc: HMAC of the delegation token
  - id: expiry_time_period_ms
    -orig-id: ExpiryTimePeriodMs
    type: s8
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
