meta:
  id: kafka_consumer_offsets_key
  title: Apache Kafka key in __consumer_offsets
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_consumer_group_current_member_assignment_key
    - kafka_consumer_group_member_metadata_key
    - kafka_consumer_group_metadata_key
    - kafka_consumer_group_partition_metadata_key
    - kafka_consumer_group_regular_expression_key
    - kafka_consumer_group_target_assignment_member_key
    - kafka_consumer_group_target_assignment_metadata_key
    - kafka_group_metadata_key
    - kafka_legacy_offset_commit_key
    - kafka_offset_commit_key
    - kafka_share_group_current_member_assignment_key
    - kafka_share_group_member_metadata_key
    - kafka_share_group_metadata_key
    - kafka_share_group_state_partition_metadata_key
    - kafka_share_group_target_assignment_member_key
    - kafka_share_group_target_assignment_metadata_key
    - kafka_streams_group_current_member_assignment_key
    - kafka_streams_group_member_metadata_key
    - kafka_streams_group_metadata_key
    - kafka_streams_group_target_assignment_member_key
    - kafka_streams_group_target_assignment_metadata_key
    - kafka_streams_group_topology_key
  endian: be
doc: |
  Key of a record in `__consumer_offsets`, by the type that it begins with. The
  record's value is a `kafka_consumer_offsets_value` of the same type.
doc-ref: https://kafka.apache.org/documentation/#impl_offsettracking
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
        'record_type::legacy_offset_commit': kafka_legacy_offset_commit_key
        'record_type::offset_commit': kafka_offset_commit_key
        'record_type::group_metadata': kafka_group_metadata_key
        'record_type::consumer_group_metadata': kafka_consumer_group_metadata_key
        'record_type::consumer_group_partition_metadata': kafka_consumer_group_partition_metadata_key
        'record_type::consumer_group_member_metadata': kafka_consumer_group_member_metadata_key
        'record_type::consumer_group_target_assignment_metadata': kafka_consumer_group_target_assignment_metadata_key
        'record_type::consumer_group_target_assignment_member': kafka_consumer_group_target_assignment_member_key
        'record_type::consumer_group_current_member_assignment': kafka_consumer_group_current_member_assignment_key
        'record_type::share_group_member_metadata': kafka_share_group_member_metadata_key
        'record_type::share_group_metadata': kafka_share_group_metadata_key
        'record_type::share_group_target_assignment_metadata': kafka_share_group_target_assignment_metadata_key
        'record_type::share_group_target_assignment_member': kafka_share_group_target_assignment_member_key
        'record_type::share_group_current_member_assignment': kafka_share_group_current_member_assignment_key
        'record_type::share_group_state_partition_metadata': kafka_share_group_state_partition_metadata_key
        'record_type::consumer_group_regular_expression': kafka_consumer_group_regular_expression_key
        'record_type::streams_group_metadata': kafka_streams_group_metadata_key
        'record_type::streams_group_member_metadata': kafka_streams_group_member_metadata_key
        'record_type::streams_group_target_assignment_metadata': kafka_streams_group_target_assignment_metadata_key
        'record_type::streams_group_target_assignment_member': kafka_streams_group_target_assignment_member_key
        'record_type::streams_group_current_member_assignment': kafka_streams_group_current_member_assignment_key
        'record_type::streams_group_topology': kafka_streams_group_topology_key
    doc: The message; bytes if it is not known
enums:
  record_type:
    0:
      id: legacy_offset_commit
      doc: A `kafka_legacy_offset_commit_key`
    1:
      id: offset_commit
      doc: A `kafka_offset_commit_key`
    2:
      id: group_metadata
      doc: A `kafka_group_metadata_key`
    3:
      id: consumer_group_metadata
      doc: A `kafka_consumer_group_metadata_key`
    4:
      id: consumer_group_partition_metadata
      doc: A `kafka_consumer_group_partition_metadata_key`
    5:
      id: consumer_group_member_metadata
      doc: A `kafka_consumer_group_member_metadata_key`
    6:
      id: consumer_group_target_assignment_metadata
      doc: A `kafka_consumer_group_target_assignment_metadata_key`
    7:
      id: consumer_group_target_assignment_member
      doc: A `kafka_consumer_group_target_assignment_member_key`
    8:
      id: consumer_group_current_member_assignment
      doc: A `kafka_consumer_group_current_member_assignment_key`
    10:
      id: share_group_member_metadata
      doc: A `kafka_share_group_member_metadata_key`
    11:
      id: share_group_metadata
      doc: A `kafka_share_group_metadata_key`
    12:
      id: share_group_target_assignment_metadata
      doc: A `kafka_share_group_target_assignment_metadata_key`
    13:
      id: share_group_target_assignment_member
      doc: A `kafka_share_group_target_assignment_member_key`
    14:
      id: share_group_current_member_assignment
      doc: A `kafka_share_group_current_member_assignment_key`
    15:
      id: share_group_state_partition_metadata
      doc: A `kafka_share_group_state_partition_metadata_key`
    16:
      id: consumer_group_regular_expression
      doc: A `kafka_consumer_group_regular_expression_key`
    17:
      id: streams_group_metadata
      doc: A `kafka_streams_group_metadata_key`
    19:
      id: streams_group_member_metadata
      doc: A `kafka_streams_group_member_metadata_key`
    20:
      id: streams_group_target_assignment_metadata
      doc: A `kafka_streams_group_target_assignment_metadata_key`
    21:
      id: streams_group_target_assignment_member
      doc: A `kafka_streams_group_target_assignment_member_key`
    22:
      id: streams_group_current_member_assignment
      doc: A `kafka_streams_group_current_member_assignment_key`
    23:
      id: streams_group_topology
      doc: A `kafka_streams_group_topology_key`
