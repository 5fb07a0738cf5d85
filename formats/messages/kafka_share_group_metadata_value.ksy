meta:
  id: kafka_share_group_metadata_value
  -orig-id: ShareGroupMetadataValue
  -versions: 0-0
  title: Apache Kafka share group metadata value
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
doc: A share group (KIP-932).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupMetadataValue.json ShareGroupMetadataValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: epoch
    -orig-id: Epoch
    type: s4
    doc: |
      Epoch of the group, one more with each change of its members, their
      subscriptions or the topics
  - id: metadata_hash
    -orig-id: MetadataHash
    type: s8
    doc: |
      Hash of the topics that the group is subscribed to; another one once they
      have changed
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
