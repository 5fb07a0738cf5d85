meta:
  id: kafka_config_record
  -orig-id: ConfigRecord
  -versions: 0-0
  title: Apache Kafka config record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: A value of a configuration was set or removed.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ConfigRecord.json ConfigRecord
-webide-representation: '{resource_name} {name}'
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: resource_type
    -orig-id: ResourceType
    type: s1
    doc: |
      2: topic; 4: broker; 8: broker logger; 16: client metrics; 32: group
  - id: resource_name
    -orig-id: ResourceName
    type: kafka_string(true, false)
    doc: Empty for the default of all brokers
  - id: name
    -orig-id: Name
    type: kafka_string(true, false)
    doc: Name of the configuration
  - id: value
    -orig-id: Value
    type: kafka_string(true, true)
    doc: |
      Null if the value is removed. It may be a secret, which is not encrypted
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
