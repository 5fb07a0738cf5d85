meta:
  id: kafka_unregister_broker_record
  -orig-id: UnregisterBrokerRecord
  -versions: 0-0
  title: Apache Kafka unregister broker record
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
doc: A broker was removed from the cluster.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/UnregisterBrokerRecord.json UnregisterBrokerRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
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
