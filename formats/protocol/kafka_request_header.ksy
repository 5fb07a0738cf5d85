meta:
  id: kafka_request_header
  -orig-id: RequestHeader
  -versions: 1-2
  title: Apache Kafka request header
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: Message `RequestHeader`.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/RequestHeader.json RequestHeader
params:
  - id: message_version
    type: s2
    doc: Version of the header, which the version of the API determines
seq:
  - id: request_api_key
    -orig-id: RequestApiKey
    type: s2
    doc: Number of the API
  - id: request_api_version
    -orig-id: RequestApiVersion
    type: s2
    doc: Version of the request and its response
  - id: correlation_id
    -orig-id: CorrelationId
    type: s4
    doc: Number that the client gives the request; the response repeats it
  - id: client_id
    -orig-id: ClientId
    type: kafka_string(false, true)
    doc: The `client.id`
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
