meta:
  id: kafka_control_record_value
  title: Apache Kafka value of a control record of the metadata log
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_kraft_version_record
    - kafka_leader_change_message
    - kafka_snapshot_footer_record
    - kafka_snapshot_header_record
    - kafka_voters_record
  endian: be
doc: |
  Value of a control record in `__cluster_metadata` or a snapshot of it. What it
  is, only the key tells, a `kafka_control_record_key`. Where that is known, the
  spec of the message itself does as well.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-595%3A+A+Raft+Protocol+for+the+Metadata+Quorum KIP-595
params:
  - id: key_type
    type: s2
    enum: control_record_type
    doc: Type of the record, which its key tells
seq:
  - id: message
    size-eos: true
    type:
      switch-on: key_type
      cases:
        'control_record_type::leader_change': kafka_leader_change_message
        'control_record_type::snapshot_header': kafka_snapshot_header_record
        'control_record_type::snapshot_footer': kafka_snapshot_footer_record
        'control_record_type::kraft_version': kafka_kraft_version_record
        'control_record_type::kraft_voters': kafka_voters_record
    doc: The message; bytes if it is not known, or ends a transaction
enums:
  control_record_type:
    2:
      id: leader_change
      doc: A `kafka_leader_change_message`
    3:
      id: snapshot_header
      doc: A `kafka_snapshot_header_record`
    4:
      id: snapshot_footer
      doc: A `kafka_snapshot_footer_record`
    5:
      id: kraft_version
      doc: A `kafka_kraft_version_record`
    6:
      id: kraft_voters
      doc: A `kafka_voters_record`
