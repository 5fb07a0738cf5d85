meta:
  id: kafka_describe_acls_request
  -orig-id: DescribeAclsRequest
  -versions: 1-3
  title: Apache Kafka describe acls request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `DescribeAclsRequest`: a request of the API with key 29, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeAclsRequest.json DescribeAclsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: resource_type_filter
    -orig-id: ResourceTypeFilter
    type: s1
  - id: resource_name_filter
    -orig-id: ResourceNameFilter
    type: kafka_string(message_version >= 2, true)
  - id: pattern_type_filter
    -orig-id: PatternTypeFilter
    type: s1
  - id: principal_filter
    -orig-id: PrincipalFilter
    type: kafka_string(message_version >= 2, true)
  - id: host_filter
    -orig-id: HostFilter
    type: kafka_string(message_version >= 2, true)
  - id: operation
    -orig-id: Operation
    type: s1
  - id: permission_type
    -orig-id: PermissionType
    type: s1
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
