meta:
  id: kafka_describe_cluster_request
  -orig-id: DescribeClusterRequest
  -versions: 0-2
  title: Apache Kafka describe cluster request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_boolean
    - kafka_tagged_fields
  endian: be
doc: |
  `DescribeClusterRequest`: a request of the API with key 60, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeClusterRequest.json DescribeClusterRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: include_cluster_authorized_operations
    -orig-id: IncludeClusterAuthorizedOperations
    type: kafka_boolean
  - id: endpoint_type
    -orig-id: EndpointType
    type: s1
    if: message_version >= 1
  - id: include_fenced_brokers
    -orig-id: IncludeFencedBrokers
    type: kafka_boolean
    if: message_version >= 2
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
