meta:
  id: kafka_describe_transactions_request
  -orig-id: DescribeTransactionsRequest
  -versions: 0-0
  title: Apache Kafka describe transactions request
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
  `DescribeTransactionsRequest`: a request of the API with key 65, after its
  header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeTransactionsRequest.json DescribeTransactionsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_transactional_ids
    type: kafka_array_length(true, false)
    doc: Number of `transactional_ids`
  - id: transactional_ids
    -orig-id: TransactionalIds
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_transactional_ids.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
