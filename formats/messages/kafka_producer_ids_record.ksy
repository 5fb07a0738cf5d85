meta:
  id: kafka_producer_ids_record
  -orig-id: ProducerIdsRecord
  -versions: 0-0
  title: Apache Kafka producer ids record
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
doc: A block of producer ids was given to a broker.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ProducerIdsRecord.json ProducerIdsRecord
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
  - id: next_producer_id
    -orig-id: NextProducerId
    type: s8
    doc: First producer id of the next block
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
