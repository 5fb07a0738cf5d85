meta:
  id: kafka_remote_log_metadata
  title: Apache Kafka record of remote log metadata
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_remote_log_segment_metadata_record
    - kafka_remote_log_segment_metadata_snapshot_record
    - kafka_remote_log_segment_metadata_update_record
    - kafka_remote_partition_delete_metadata_record
    - kafka_unsigned_varint
  endian: be
doc: |
  Value of a record in `__remote_log_metadata`, about segments in remote
  storage. Its key is null.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-405%3A+Kafka+Tiered+Storage KIP-405
seq:
  - id: frame_version
    contents: [1]
    doc: Version of this frame
  - id: api_key
    type: kafka_unsigned_varint
    doc: Which message it is, one of `record_type`
  - id: version
    type: kafka_unsigned_varint
    doc: Version of the message's layout
  - id: message
    size-eos: true
    type:
      switch-on: api_key.value
      cases:
        0: kafka_remote_log_segment_metadata_record(version.value.as<s2>)
        1: kafka_remote_log_segment_metadata_update_record(version.value.as<s2>)
        2: kafka_remote_partition_delete_metadata_record(version.value.as<s2>)
        3: kafka_remote_log_segment_metadata_snapshot_record(version.value.as<s2>)
    doc: The message; bytes if it is not known
enums:
  record_type:
    0:
      id: remote_log_segment_metadata_record
      doc: A `kafka_remote_log_segment_metadata_record`
    1:
      id: remote_log_segment_metadata_update_record
      doc: A `kafka_remote_log_segment_metadata_update_record`
    2:
      id: remote_partition_delete_metadata_record
      doc: A `kafka_remote_partition_delete_metadata_record`
    3:
      id: remote_log_segment_metadata_snapshot_record
      doc: A `kafka_remote_log_segment_metadata_snapshot_record`
