meta:
  id: kafka_end_txn_response
  -orig-id: EndTxnResponse
  -versions: 0-5
  title: Apache Kafka end txn response
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
  `EndTxnResponse`: a response of the API with key 26, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EndTxnResponse.json EndTxnResponse
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
  - id: producer_id
    -orig-id: ProducerId
    type: s8
    if: message_version >= 5
    doc: Id that the broker has given the producer
  - id: producer_epoch
    -orig-id: ProducerEpoch
    type: s2
    if: message_version >= 5
    doc: Epoch of the producer, higher than those of its predecessors
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
