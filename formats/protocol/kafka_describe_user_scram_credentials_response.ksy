meta:
  id: kafka_describe_user_scram_credentials_response
  -orig-id: DescribeUserScramCredentialsResponse
  -versions: 0-0
  title: Apache Kafka describe user scram credentials response
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
  `DescribeUserScramCredentialsResponse`: a response of the API with key 50,
  after its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeUserScramCredentialsResponse.json DescribeUserScramCredentialsResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(true, true)
    doc: Text of the error
  - id: num_results
    type: kafka_array_length(true, false)
    doc: Number of `results`
  - id: results
    -orig-id: Results
    type: describe_user_scram_credentials_result
    repeat: expr
    repeat-expr: num_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  describe_user_scram_credentials_result:
    seq:
      - id: user
        -orig-id: User
        type: kafka_string(true, false)
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: num_credential_infos
        type: kafka_array_length(true, false)
        doc: Number of `credential_infos`
      - id: credential_infos
        -orig-id: CredentialInfos
        type: credential_info
        repeat: expr
        repeat-expr: num_credential_infos.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  credential_info:
    seq:
      - id: mechanism
        -orig-id: Mechanism
        type: s1
      - id: iterations
        -orig-id: Iterations
        type: s4
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
