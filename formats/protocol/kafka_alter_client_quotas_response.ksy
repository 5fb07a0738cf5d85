meta:
  id: kafka_alter_client_quotas_response
  -orig-id: AlterClientQuotasResponse
  -versions: 0-1
  title: Apache Kafka alter client quotas response
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
  `AlterClientQuotasResponse`: a response of the API with key 49, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterClientQuotasResponse.json AlterClientQuotasResponse
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
  - id: num_entries
    type: kafka_array_length(message_version >= 1, false)
    doc: Number of `entries`
  - id: entries
    -orig-id: Entries
    type: entry_data
    repeat: expr
    repeat-expr: num_entries.value
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 1
    doc: None is known
types:
  entry_data:
    seq:
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(_root.message_version >= 1, true)
        doc: Text of the error
      - id: num_entity
        type: kafka_array_length(_root.message_version >= 1, false)
        doc: Number of `entity`
      - id: entity
        -orig-id: Entity
        type: entity_data
        repeat: expr
        repeat-expr: num_entity.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
  entity_data:
    seq:
      - id: entity_type
        -orig-id: EntityType
        type: kafka_string(_root.message_version >= 1, false)
      - id: entity_name
        -orig-id: EntityName
        type: kafka_string(_root.message_version >= 1, true)
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
