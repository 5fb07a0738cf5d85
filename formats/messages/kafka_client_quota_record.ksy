meta:
  id: kafka_client_quota_record
  -orig-id: ClientQuotaRecord
  -versions: 0-0
  title: Apache Kafka client quota record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: A quota was set or removed.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ClientQuotaRecord.json ClientQuotaRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: num_entity
    type: kafka_array_length(true, false)
    doc: Number of `entity`
  - id: entity
    -orig-id: Entity
    type: entity_data
    repeat: expr
    repeat-expr: num_entity.value
    doc: What it applies to; a user and a client id may be combined
  - id: key
    -orig-id: Key
    type: kafka_string(true, false)
    doc: Name of the quota, such as `producer_byte_rate`
  - id: value
    -orig-id: Value
    type: f8
    doc: The limit, in the unit of the quota
  - id: remove
    -orig-id: Remove
    type: kafka_boolean
    doc: Whether the quota is removed
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  entity_data:
    doc: A user, client id or address that a quota applies to
    seq:
      - id: entity_type
        -orig-id: EntityType
        type: kafka_string(true, false)
        doc: |
          `user`, `client-id` or `ip`
      - id: entity_name
        -orig-id: EntityName
        type: kafka_string(true, true)
        doc: Null for the default
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
