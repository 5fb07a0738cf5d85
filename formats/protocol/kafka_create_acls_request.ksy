meta:
  id: kafka_create_acls_request
  -orig-id: CreateAclsRequest
  -versions: 1-3
  title: Apache Kafka create acls request
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
  `CreateAclsRequest`: a request of the API with key 30, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateAclsRequest.json CreateAclsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_creations
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `creations`
  - id: creations
    -orig-id: Creations
    type: acl_creation
    repeat: expr
    repeat-expr: num_creations.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  acl_creation:
    seq:
      - id: resource_type
        -orig-id: ResourceType
        type: s1
      - id: resource_name
        -orig-id: ResourceName
        type: kafka_string(_root.message_version >= 2, false)
      - id: resource_pattern_type
        -orig-id: ResourcePatternType
        type: s1
      - id: principal
        -orig-id: Principal
        type: kafka_string(_root.message_version >= 2, false)
      - id: host
        -orig-id: Host
        type: kafka_string(_root.message_version >= 2, false)
        doc: Host name or IP address
      - id: operation
        -orig-id: Operation
        type: s1
      - id: permission_type
        -orig-id: PermissionType
        type: s1
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
