meta:
  id: kafka_describe_user_scram_credentials_request
  -orig-id: DescribeUserScramCredentialsRequest
  -versions: 0-0
  title: Apache Kafka describe user scram credentials request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `DescribeUserScramCredentialsRequest`: a request of the API with key 50, after
  its header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeUserScramCredentialsRequest.json DescribeUserScramCredentialsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_users
    type: kafka_array_length(true, true)
    doc: Number of `users`
  - id: users
    -orig-id: Users
    type: user_name
    repeat: expr
    repeat-expr: num_users.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  user_name:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
