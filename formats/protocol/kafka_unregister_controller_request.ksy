meta:
  id: kafka_unregister_controller_request
  -orig-id: UnregisterControllerRequest
  -versions: 0-0
  title: Apache Kafka unregister controller request
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
  `UnregisterControllerRequest`: a request of the API with key 94, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/UnregisterControllerRequest.json UnregisterControllerRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: controller_id
    -orig-id: ControllerId
    type: s4
    doc: The controller's `node.id`
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
