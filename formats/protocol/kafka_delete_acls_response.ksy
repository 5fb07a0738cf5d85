meta:
  id: kafka_delete_acls_response
  -orig-id: DeleteAclsResponse
  -versions: 1-3
  title: Apache Kafka delete acls response
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
  `DeleteAclsResponse`: a response of the API with key 31, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DeleteAclsResponse.json DeleteAclsResponse
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
  - id: num_filter_results
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `filter_results`
  - id: filter_results
    -orig-id: FilterResults
    type: delete_acls_filter_result
    repeat: expr
    repeat-expr: num_filter_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  delete_acls_filter_result:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(_root.message_version >= 2, true)
        doc: Text of the error
      - id: num_matching_acls
        type: kafka_array_length(_root.message_version >= 2, false)
        doc: Number of `matching_acls`
      - id: matching_acls
        -orig-id: MatchingAcls
        type: delete_acls_matching_acl
        repeat: expr
        repeat-expr: num_matching_acls.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
  delete_acls_matching_acl:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(_root.message_version >= 2, true)
        doc: Text of the error
      - id: resource_type
        -orig-id: ResourceType
        type: s1
      - id: resource_name
        -orig-id: ResourceName
        type: kafka_string(_root.message_version >= 2, false)
      - id: pattern_type
        -orig-id: PatternType
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
