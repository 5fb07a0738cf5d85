meta:
  id: kafka_envelope_request
  -orig-id: EnvelopeRequest
  -versions: 0-0
  title: Apache Kafka envelope request
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
  `EnvelopeRequest`: a request of the API with key 58, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EnvelopeRequest.json EnvelopeRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: request_data
    -orig-id: RequestData
    type: kafka_bytes(true, false)
  - id: request_principal
    -orig-id: RequestPrincipal
    type: kafka_bytes(true, true)
  - id: client_host_address
    -orig-id: ClientHostAddress
    type: kafka_bytes(true, false)
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
