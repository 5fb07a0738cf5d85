meta:
  id: kafka_response_header
  -orig-id: ResponseHeader
  -versions: 0-1
  title: Apache Kafka response header
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
doc: Message `ResponseHeader`.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ResponseHeader.json ResponseHeader
params:
  - id: message_version
    type: s2
    doc: Version of the header, which the version of the API determines
seq:
  - id: correlation_id
    -orig-id: CorrelationId
    type: s4
    doc: Number that the client gives the request; the response repeats it
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 1
    doc: None is known
