meta:
  id: kafka_kraft_version_record
  -orig-id: KRaftVersionRecord
  -versions: 0-0
  title: Apache Kafka Raft version record
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
doc: |
  Value of the control record of type `kraft_version` in the metadata log and
  its snapshots. It sets the version of the feature `kraft.version` from here
  on.
doc-ref:
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-853%3A+KRaft+Controller+Membership+Changes KIP-853
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/KRaftVersionRecord.json KRaftVersionRecord
-webide-representation: 'kraft.version {kraft_version:dec}'
seq:
  - id: version
    -orig-id: Version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: kraft_version
    -orig-id: KRaftVersion
    type: s2
    doc: |
      0: the voters are in the configuration of each node; 1: they are in the
      log, in `kafka_voters_record`, and can be changed
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
