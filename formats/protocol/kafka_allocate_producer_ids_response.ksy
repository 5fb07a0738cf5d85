meta:
  id: kafka_allocate_producer_ids_response
  -orig-id: AllocateProducerIdsResponse
  -versions: 0-0
  title: Apache Kafka allocate producer ids response
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
  `AllocateProducerIdsResponse`: a response of the API with key 67, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AllocateProducerIdsResponse.json AllocateProducerIdsResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: producer_id_start
    -orig-id: ProducerIdStart
    type: s8
  - id: producer_id_len
    -orig-id: ProducerIdLen
    type: s4
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
