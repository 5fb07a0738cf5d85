meta:
  id: kafka_sasl_handshake_request
  -orig-id: SaslHandshakeRequest
  -versions: 0-1
  title: Apache Kafka sasl handshake request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
  endian: be
doc: |
  `SaslHandshakeRequest`: a request of the API with key 17, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SaslHandshakeRequest.json SaslHandshakeRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: mechanism
    -orig-id: Mechanism
    type: kafka_string(false, false)
