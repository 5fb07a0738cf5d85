meta:
  id: kafka_alter_client_quotas_request
  -orig-id: AlterClientQuotasRequest
  -versions: 0-1
  title: Apache Kafka alter client quotas request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `AlterClientQuotasRequest`: a request of the API with key 49, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterClientQuotasRequest.json AlterClientQuotasRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: num_entries
    type: kafka_array_length(message_version >= 1, false)
    doc: Number of `entries`
  - id: entries
    -orig-id: Entries
    type: entry_data
    repeat: expr
    repeat-expr: num_entries.value
  - id: validate_only
    -orig-id: ValidateOnly
    type: kafka_boolean
    doc: Whether to check the request and change nothing
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 1
    doc: None is known
types:
  entry_data:
    seq:
      - id: num_entity
        type: kafka_array_length(_root.message_version >= 1, false)
        doc: Number of `entity`
      - id: entity
        -orig-id: Entity
        type: entity_data
        repeat: expr
        repeat-expr: num_entity.value
      - id: num_ops
        type: kafka_array_length(_root.message_version >= 1, false)
        doc: Number of `ops`
      - id: ops
        -orig-id: Ops
        type: op_data
        repeat: expr
        repeat-expr: num_ops.value
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
  op_data:
    seq:
      - id: key
        -orig-id: Key
        type: kafka_string(_root.message_version >= 1, false)
      - id: value
        -orig-id: Value
        type: f8
      - id: remove
        -orig-id: Remove
        type: kafka_boolean
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
