meta:
  id: kafka_envelope_response
  -orig-id: EnvelopeResponse
  -versions: 0-0
  title: Apache Kafka envelope response
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
  `EnvelopeResponse`: a response of the API with key 58, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EnvelopeResponse.json EnvelopeResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: response_data
    -orig-id: ResponseData
    type: kafka_bytes(true, true)
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
