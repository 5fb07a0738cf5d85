meta:
  id: kafka_share_group_state_value
  title: Apache Kafka value in __share_group_state
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_share_snapshot_value
    - kafka_share_update_value
  endian: be
doc: |
  Value of a record in `__share_group_state`. Only the key, a
  `kafka_share_group_state_key`, says which message it is.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-932%3A+Queues+for+Kafka KIP-932
params:
  - id: key_type
    type: s2
    enum: record_type
    doc: Type of the record, which its key tells
seq:
  - id: message
    size-eos: true
    type:
      switch-on: key_type
      cases:
        'record_type::share_snapshot': kafka_share_snapshot_value
        'record_type::share_update': kafka_share_update_value
    doc: The message, which begins with its version; bytes if it is not known
enums:
  record_type:
    0:
      id: share_snapshot
      doc: A `kafka_share_snapshot_value`
    1:
      id: share_update
      doc: A `kafka_share_update_value`
