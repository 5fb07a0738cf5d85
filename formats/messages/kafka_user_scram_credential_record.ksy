meta:
  id: kafka_user_scram_credential_record
  -orig-id: UserScramCredentialRecord
  -versions: 0-0
  title: Apache Kafka user scram credential record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_bytes
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  SCRAM credential of a user (RFC 5802). It is a secret, with which an attacker
  can pose as the broker and try passwords.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/UserScramCredentialRecord.json UserScramCredentialRecord
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
  - id: salt
    -orig-id: Salt
    type: kafka_bytes(true, false)
    doc: Salt of the password's hash
  - id: stored_key
    -orig-id: StoredKey
    type: kafka_bytes(true, false)
    doc: Hash with which the user's proof is checked
  - id: server_key
    -orig-id: ServerKey
    type: kafka_bytes(true, false)
    doc: Key with which the broker proves itself
  - id: iterations
    -orig-id: Iterations
    type: s4
    doc: How often the password was hashed
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
