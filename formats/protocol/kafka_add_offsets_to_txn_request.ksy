meta:
  id: kafka_add_offsets_to_txn_request
  -orig-id: AddOffsetsToTxnRequest
  -versions: 0-4
  title: Apache Kafka add offsets to txn request
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
doc: |
  `AddOffsetsToTxnRequest`: a request of the API with key 25, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AddOffsetsToTxnRequest.json AddOffsetsToTxnRequest
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
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(message_version >= 3, false)
    doc: The `group.id`
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
