meta:
  id: kafka_sasl_authenticate_request
  -orig-id: SaslAuthenticateRequest
  -versions: 0-2
  title: Apache Kafka sasl authenticate request
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
  `SaslAuthenticateRequest`: a request of the API with key 36, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SaslAuthenticateRequest.json SaslAuthenticateRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: auth_bytes
    -orig-id: AuthBytes
    type: kafka_bytes(message_version >= 2, false)
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
