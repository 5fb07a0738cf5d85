meta:
  id: kafka_remove_delegation_token_record
  -orig-id: RemoveDelegationTokenRecord
  -versions: 0-0
  title: Apache Kafka remove delegation token record
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
doc: A delegation token expired, or was made to expire.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RemoveDelegationTokenRecord.json RemoveDelegationTokenRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: token_id
    -orig-id: TokenId
    type: kafka_string(true, false)
    doc: Id of the token
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
