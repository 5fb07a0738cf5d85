meta:
  id: kafka_init_producer_id_response
  -orig-id: InitProducerIdResponse
  -versions: 0-6
  title: Apache Kafka init producer id response
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
  `InitProducerIdResponse`: a response of the API with key 22, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/InitProducerIdResponse.json InitProducerIdResponse
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
    doc: Id that the broker has given the producer
  - id: producer_epoch
    -orig-id: ProducerEpoch
    type: s2
    doc: Epoch of the producer, higher than those of its predecessors
  - id: ongoing_txn_producer_id
    -orig-id: OngoingTxnProducerId
    type: s8
    if: message_version >= 6
  - id: ongoing_txn_producer_epoch
    -orig-id: OngoingTxnProducerEpoch
    type: s2
    if: message_version >= 6
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
