meta:
  id: kafka_alter_user_scram_credentials_request
  -orig-id: AlterUserScramCredentialsRequest
  -versions: 0-0
  title: Apache Kafka alter user scram credentials request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_bytes
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `AlterUserScramCredentialsRequest`: a request of the API with key 51, after
  its header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterUserScramCredentialsRequest.json AlterUserScramCredentialsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_deletions
    type: kafka_array_length(true, false)
    doc: Number of `deletions`
  - id: deletions
    -orig-id: Deletions
    type: scram_credential_deletion
    repeat: expr
    repeat-expr: num_deletions.value
  - id: num_upsertions
    type: kafka_array_length(true, false)
    doc: Number of `upsertions`
  - id: upsertions
    -orig-id: Upsertions
    type: scram_credential_upsertion
    repeat: expr
    repeat-expr: num_upsertions.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  scram_credential_deletion:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: mechanism
        -orig-id: Mechanism
        type: s1
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  scram_credential_upsertion:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: mechanism
        -orig-id: Mechanism
        type: s1
      - id: iterations
        -orig-id: Iterations
        type: s4
      - id: salt
        -orig-id: Salt
        type: kafka_bytes(true, false)
      - id: salted_password
        -orig-id: SaltedPassword
        type: kafka_bytes(true, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
