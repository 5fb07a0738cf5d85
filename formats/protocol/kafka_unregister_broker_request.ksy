meta:
  id: kafka_unregister_broker_request
  -orig-id: UnregisterBrokerRequest
  -versions: 0-0
  title: Apache Kafka unregister broker request
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
  `UnregisterBrokerRequest`: a request of the API with key 64, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/UnregisterBrokerRequest.json UnregisterBrokerRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
