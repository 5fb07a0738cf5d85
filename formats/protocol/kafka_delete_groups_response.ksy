meta:
  id: kafka_delete_groups_response
  -orig-id: DeleteGroupsResponse
  -versions: 0-3
  title: Apache Kafka delete groups response
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
  `DeleteGroupsResponse`: a response of the API with key 42, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DeleteGroupsResponse.json DeleteGroupsResponse
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
  - id: num_results
    type: kafka_array_length(message_version >= 2, false)
    doc: Number of `results`
  - id: results
    -orig-id: Results
    type: deletable_group_result
    repeat: expr
    repeat-expr: num_results.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 2
    doc: None is known
types:
  deletable_group_result:
    seq:
      - id: group_id
        -orig-id: GroupId
        type: kafka_string(_root.message_version >= 2, false)
        doc: The `group.id`
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        if: _root.message_version >= 3
        doc: Text of the error
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 2
        doc: None is known
