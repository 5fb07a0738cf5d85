meta:
  id: kafka_describe_acls_response
  -orig-id: DescribeAclsResponse
  -versions: 1-3
  title: Apache Kafka describe acls response
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
  `DescribeAclsResponse`: a response of the API with key 29, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeAclsResponse.json DescribeAclsResponse
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
    type: kafka_string(message_version >= 2, true)
    doc: Text of the error
  - id: num_resources
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `resources`
  - id: resources
    -orig-id: Resources
    type: describe_acls_resource
    repeat: expr
    repeat-expr: num_resources.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  describe_acls_resource:
    seq:
      - id: resource_type
        -orig-id: ResourceType
        type: s1
      - id: resource_name
        -orig-id: ResourceName
        type: kafka_string(_root.message_version >= 2, false)
      - id: pattern_type
        -orig-id: PatternType
        type: s1
      - id: num_acls
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `acls`
      - id: acls
        -orig-id: Acls
        type: acl_description
        repeat: expr
        repeat-expr: num_acls.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  acl_description:
    seq:
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
