meta:
  id: kafka_control_record_key
  title: Apache Kafka control record key
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  Key of each record in a `kafka_record_batch` that has `attributes.is_control`
  set. It determines the type of the value.
doc-ref:
  - https://kafka.apache.org/documentation/#controlbatch
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging KIP-98
-webide-representation: '{type}'
seq:
  - id: version
    type: s2
    valid:
      min: 0
    doc: |
      Version of the key's layout, 0 so far. Kafka reads later versions as this
      one
  - id: type
    type: s2
    enum: control_record_type
    doc: |
      Type of the control record, which determines its value. Kafka skips
      records of unknown types
  - id: trailing
    size-eos: true
    doc: Fields of a later version; empty in version 0
enums:
  control_record_type:
    0:
      id: abort
      doc: |
        A transaction of the batch's producer was aborted; the value is a
        `kafka_end_transaction_marker`.
    1:
      id: commit
      doc: |
        A transaction of the batch's producer was committed; the value is a
        `kafka_end_transaction_marker`.
    2:
      id: leader_change
      doc: |
        A leader of the metadata log was elected; the value is a
        `kafka_leader_change_message` (KIP-595).
      doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-595%3A+A+Raft+Protocol+for+the+Metadata+Quorum KIP-595
    3:
      id: snapshot_header
      doc: |
        First record of a snapshot; the value is a
        `kafka_snapshot_header_record` (KIP-630).
      doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-630%3A+Kafka+Raft+Snapshot KIP-630
    4:
      id: snapshot_footer
      doc: |
        Last record of a snapshot; the value is a
        `kafka_snapshot_footer_record` (KIP-630).
      doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-630%3A+Kafka+Raft+Snapshot KIP-630
    5:
      id: kraft_version
      doc: |
        Version of the Raft protocol; the value is a
        `kafka_kraft_version_record` (KIP-853).
      doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-853%3A+KRaft+Controller+Membership+Changes KIP-853
    6:
      id: kraft_voters
      doc: |
        The voters of the metadata quorum; the value is a `kafka_voters_record`
        (KIP-853).
      doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-853%3A+KRaft+Controller+Membership+Changes KIP-853
