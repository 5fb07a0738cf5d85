meta:
  id: kafka_allocate_producer_ids_request
  -orig-id: AllocateProducerIdsRequest
  -versions: 0-0
  title: Apache Kafka allocate producer ids request
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
  `AllocateProducerIdsRequest`: a request of the API with key 67, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AllocateProducerIdsRequest.json AllocateProducerIdsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: broker_epoch
    -orig-id: BrokerEpoch
    type: s8
    doc: Epoch of the broker's registration
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
