meta:
  id: kafka_remove_user_scram_credential_record
  -orig-id: RemoveUserScramCredentialRecord
  -versions: 0-0
  title: Apache Kafka remove user scram credential record
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
doc: The SCRAM credential of a user was removed.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RemoveUserScramCredentialRecord.json RemoveUserScramCredentialRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: name
    -orig-id: Name
    type: kafka_string(true, false)
    doc: The user
  - id: mechanism
    -orig-id: Mechanism
    type: s1
    doc: |
      1: SCRAM-SHA-256; 2: SCRAM-SHA-512
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
