meta:
  id: kafka_end_txn_request
  -orig-id: EndTxnRequest
  -versions: 0-5
  title: Apache Kafka end txn request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `EndTxnRequest`: a request of the API with key 26, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EndTxnRequest.json EndTxnRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: transactional_id
    -orig-id: TransactionalId
    type: kafka_string(message_version >= 3, false)
    doc: The producer's `transactional.id`
  - id: producer_id
    -orig-id: ProducerId
    type: s8
    doc: Id that the broker has given the producer
  - id: producer_epoch
    -orig-id: ProducerEpoch
    type: s2
    doc: Epoch of the producer, higher than those of its predecessors
  - id: committed
    -orig-id: Committed
    type: kafka_boolean
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
