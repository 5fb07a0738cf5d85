meta:
  id: kafka_sasl_handshake_response
  -orig-id: SaslHandshakeResponse
  -versions: 0-1
  title: Apache Kafka sasl handshake response
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
  endian: be
doc: |
  `SaslHandshakeResponse`: a response of the API with key 17, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SaslHandshakeResponse.json SaslHandshakeResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_mechanisms
    type: kafka_array_length(false, false)
    doc: Number of `mechanisms`
  - id: mechanisms
    -orig-id: Mechanisms
    type: kafka_string(false, false)
    repeat: expr
    repeat-expr: num_mechanisms.value
