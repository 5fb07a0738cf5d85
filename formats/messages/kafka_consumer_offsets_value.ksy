meta:
  id: kafka_consumer_offsets_value
  title: Apache Kafka value in __consumer_offsets
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_consumer_group_current_member_assignment_value
    - kafka_consumer_group_member_metadata_value
    - kafka_consumer_group_metadata_value
    - kafka_consumer_group_partition_metadata_value
    - kafka_consumer_group_regular_expression_value
    - kafka_consumer_group_target_assignment_member_value
    - kafka_consumer_group_target_assignment_metadata_value
    - kafka_group_metadata_value
    - kafka_legacy_offset_commit_value
    - kafka_offset_commit_value
    - kafka_share_group_current_member_assignment_value
    - kafka_share_group_member_metadata_value
    - kafka_share_group_metadata_value
    - kafka_share_group_state_partition_metadata_value
    - kafka_share_group_target_assignment_member_value
    - kafka_share_group_target_assignment_metadata_value
    - kafka_streams_group_current_member_assignment_value
    - kafka_streams_group_member_metadata_value
    - kafka_streams_group_metadata_value
    - kafka_streams_group_target_assignment_member_value
    - kafka_streams_group_target_assignment_metadata_value
    - kafka_streams_group_topology_value
  endian: be
doc: |
  Value of a record in `__consumer_offsets`. Only the key, a
  `kafka_consumer_offsets_key`, says which message it is. If that is known, use
  the spec of the message.
doc-ref: https://kafka.apache.org/documentation/#impl_offsettracking
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
        'record_type::legacy_offset_commit': kafka_legacy_offset_commit_value
        'record_type::offset_commit': kafka_offset_commit_value
        'record_type::group_metadata': kafka_group_metadata_value
        'record_type::consumer_group_metadata': kafka_consumer_group_metadata_value
        'record_type::consumer_group_partition_metadata': kafka_consumer_group_partition_metadata_value
        'record_type::consumer_group_member_metadata': kafka_consumer_group_member_metadata_value
        'record_type::consumer_group_target_assignment_metadata': kafka_consumer_group_target_assignment_metadata_value
        'record_type::consumer_group_target_assignment_member': kafka_consumer_group_target_assignment_member_value
        'record_type::consumer_group_current_member_assignment': kafka_consumer_group_current_member_assignment_value
        'record_type::share_group_member_metadata': kafka_share_group_member_metadata_value
        'record_type::share_group_metadata': kafka_share_group_metadata_value
        'record_type::share_group_target_assignment_metadata': kafka_share_group_target_assignment_metadata_value
        'record_type::share_group_target_assignment_member': kafka_share_group_target_assignment_member_value
        'record_type::share_group_current_member_assignment': kafka_share_group_current_member_assignment_value
        'record_type::share_group_state_partition_metadata': kafka_share_group_state_partition_metadata_value
        'record_type::consumer_group_regular_expression': kafka_consumer_group_regular_expression_value
        'record_type::streams_group_metadata': kafka_streams_group_metadata_value
        'record_type::streams_group_member_metadata': kafka_streams_group_member_metadata_value
        'record_type::streams_group_target_assignment_metadata': kafka_streams_group_target_assignment_metadata_value
        'record_type::streams_group_target_assignment_member': kafka_streams_group_target_assignment_member_value
        'record_type::streams_group_current_member_assignment': kafka_streams_group_current_member_assignment_value
        'record_type::streams_group_topology': kafka_streams_group_topology_value
    doc: The message, which begins with its version; bytes if it is not known
enums:
  record_type:
    0:
      id: legacy_offset_commit
      doc: A `kafka_legacy_offset_commit_value`
    1:
      id: offset_commit
      doc: A `kafka_offset_commit_value`
    2:
      id: group_metadata
      doc: A `kafka_group_metadata_value`
    3:
      id: consumer_group_metadata
      doc: A `kafka_consumer_group_metadata_value`
    4:
      id: consumer_group_partition_metadata
      doc: A `kafka_consumer_group_partition_metadata_value`
    5:
      id: consumer_group_member_metadata
      doc: A `kafka_consumer_group_member_metadata_value`
    6:
      id: consumer_group_target_assignment_metadata
      doc: A `kafka_consumer_group_target_assignment_metadata_value`
    7:
      id: consumer_group_target_assignment_member
      doc: A `kafka_consumer_group_target_assignment_member_value`
    8:
      id: consumer_group_current_member_assignment
      doc: A `kafka_consumer_group_current_member_assignment_value`
    10:
      id: share_group_member_metadata
      doc: A `kafka_share_group_member_metadata_value`
    11:
      id: share_group_metadata
      doc: A `kafka_share_group_metadata_value`
    12:
      id: share_group_target_assignment_metadata
      doc: A `kafka_share_group_target_assignment_metadata_value`
    13:
      id: share_group_target_assignment_member
      doc: A `kafka_share_group_target_assignment_member_value`
    14:
      id: share_group_current_member_assignment
      doc: A `kafka_share_group_current_member_assignment_value`
    15:
      id: share_group_state_partition_metadata
      doc: A `kafka_share_group_state_partition_metadata_value`
    16:
      id: consumer_group_regular_expression
      doc: A `kafka_consumer_group_regular_expression_value`
    17:
      id: streams_group_metadata
      doc: A `kafka_streams_group_metadata_value`
    19:
      id: streams_group_member_metadata
      doc: A `kafka_streams_group_member_metadata_value`
    20:
      id: streams_group_target_assignment_metadata
      doc: A `kafka_streams_group_target_assignment_metadata_value`
    21:
      id: streams_group_target_assignment_member
      doc: A `kafka_streams_group_target_assignment_member_value`
    22:
      id: streams_group_current_member_assignment
      doc: A `kafka_streams_group_current_member_assignment_value`
    23:
      id: streams_group_topology
      doc: A `kafka_streams_group_topology_value`
