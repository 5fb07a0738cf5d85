meta:
  id: kafka_feature_level_record
  -orig-id: FeatureLevelRecord
  -versions: 0-0
  title: Apache Kafka feature level record
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
doc: Level of a feature of the cluster, such as `metadata.version`.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/FeatureLevelRecord.json FeatureLevelRecord
-webide-representation: '{name} {feature_level:dec}'
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: name
    -orig-id: Name
    type: kafka_string(true, false)
    doc: Name of the feature
  - id: feature_level
    -orig-id: FeatureLevel
    type: s2
    doc: 0 if the feature is not supported any more
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
