meta:
  id: kafka_delegation_token_record
  -orig-id: DelegationTokenRecord
  -versions: 0-0
  title: Apache Kafka delegation token record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: A delegation token was issued or renewed.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/DelegationTokenRecord.json DelegationTokenRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: owner
    -orig-id: Owner
    type: kafka_string(true, false)
    doc: Principal that the token stands for
  - id: requester
    -orig-id: Requester
    type: kafka_string(true, false)
    doc: Principal that asked for it
  - id: num_renewers
    type: kafka_array_length(true, false)
    doc: Number of `renewers`
  - id: renewers
    -orig-id: Renewers
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_renewers.value
    doc: Principals that may renew it
  - id: issue_timestamp
    -orig-id: IssueTimestamp
    type: s8
    doc: When it was issued, in ms since 1970-01-01 UTC
  - id: max_timestamp
    -orig-id: MaxTimestamp
    type: s8
    doc: Up to when it can be renewed, in ms since 1970-01-01 UTC
  - id: expiration_timestamp
    -orig-id: ExpirationTimestamp
    type: s8
    doc: When it expires, in ms since 1970-01-01 UTC
  - id: token_id
    -orig-id: TokenId
    type: kafka_string(true, false)
    doc: Id of the token
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
