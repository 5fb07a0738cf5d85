meta:
  id: kafka_list_groups_response
  -orig-id: ListGroupsResponse
  -versions: 0-5
  title: Apache Kafka list groups response
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
  `ListGroupsResponse`: a response of the API with key 16, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListGroupsResponse.json ListGroupsResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 1
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_groups
    type: kafka_array_length(message_version >= 3, false)
    doc: Number of `groups`
  - id: groups
    -orig-id: Groups
    type: listed_group
    repeat: expr
    repeat-expr: num_groups.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
types:
  listed_group:
    seq:
      - id: group_id
        -orig-id: GroupId
        type: kafka_string(_root.message_version >= 3, false)
        doc: The `group.id`
      - id: protocol_type
        -orig-id: ProtocolType
        type: kafka_string(_root.message_version >= 3, false)
        doc: |
          "consumer", or "connect" and the like
      - id: group_state
        -orig-id: GroupState
        type: kafka_string(true, false)
        if: _root.message_version >= 4
        doc: State of the group, as Kafka names it
      - id: group_type
        -orig-id: GroupType
        type: kafka_string(true, false)
        if: _root.message_version >= 5
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 3
        doc: None is known
