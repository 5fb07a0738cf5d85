meta:
  id: kafka_init_producer_id_request
  -orig-id: InitProducerIdRequest
  -versions: 0-6
  title: Apache Kafka init producer id request
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
  `InitProducerIdRequest`: a request of the API with key 22, after its header
  (see `kafka_request`). Version 6 may still change: brokers offer it only if
  configured to.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/InitProducerIdRequest.json InitProducerIdRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: transactional_id
    -orig-id: TransactionalId
    type: kafka_string(message_version >= 2, true)
    doc: The producer's `transactional.id`
  - id: transaction_timeout_ms
    -orig-id: TransactionTimeoutMs
    type: s4
  - id: producer_id
    -orig-id: ProducerId
    type: s8
    if: message_version >= 3
    doc: Id that the broker has given the producer
  - id: producer_epoch
    -orig-id: ProducerEpoch
    type: s2
    if: message_version >= 3
    doc: Epoch of the producer, higher than those of its predecessors
  - id: enable2_pc
    -orig-id: Enable2Pc
    type: kafka_boolean
    if: message_version >= 6
  - id: keep_prepared_txn
    -orig-id: KeepPreparedTxn
    type: kafka_boolean
    if: message_version >= 6
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
