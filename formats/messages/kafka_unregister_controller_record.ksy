meta:
  id: kafka_unregister_controller_record
  -orig-id: UnregisterControllerRecord
  -versions: 0-0
  title: Apache Kafka unregister controller record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_tagged_fields
  endian: be
doc: A controller's registration was removed (Kafka 4.4).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/UnregisterControllerRecord.json UnregisterControllerRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: controller_id
    -orig-id: ControllerId
    type: s4
    doc: The controller's `node.id`
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
