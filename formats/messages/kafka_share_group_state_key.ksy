meta:
  id: kafka_share_group_state_key
  title: Apache Kafka key in __share_group_state
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_share_snapshot_key
    - kafka_share_update_key
  endian: be
doc: |
  Key of a record in `__share_group_state`, by the type that it begins with. The
  record's value is a `kafka_share_group_state_value` of the same type.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-932%3A+Queues+for+Kafka KIP-932
seq:
  - id: type
    type: s2
    enum: record_type
    doc: What the record is about, and with it the layout of the rest and of the value
  - id: message
    size-eos: true
    type:
      switch-on: type
      cases:
        'record_type::share_snapshot': kafka_share_snapshot_key
        'record_type::share_update': kafka_share_update_key
    doc: The message; bytes if it is not known
enums:
  record_type:
    0:
      id: share_snapshot
      doc: A `kafka_share_snapshot_key`
    1:
      id: share_update
      doc: A `kafka_share_update_key`
