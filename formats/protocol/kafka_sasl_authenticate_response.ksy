meta:
  id: kafka_sasl_authenticate_response
  -orig-id: SaslAuthenticateResponse
  -versions: 0-2
  title: Apache Kafka sasl authenticate response
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
  `SaslAuthenticateResponse`: a response of the API with key 36, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SaslAuthenticateResponse.json SaslAuthenticateResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(message_version >= 2, true)
    doc: Text of the error
  - id: auth_bytes
    -orig-id: AuthBytes
    type: kafka_bytes(message_version >= 2, false)
  - id: session_lifetime_ms
    -orig-id: SessionLifetimeMs
    type: s8
    if: message_version >= 1
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
