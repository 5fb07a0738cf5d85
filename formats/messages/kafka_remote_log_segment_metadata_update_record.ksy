meta:
  id: kafka_remote_log_segment_metadata_update_record
  -orig-id: RemoteLogSegmentMetadataUpdateRecord
  -versions: 0-0
  title: Apache Kafka remote log segment metadata update record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_bytes
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: The state of a segment in remote storage changed.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemoteLogSegmentMetadataUpdateRecord.json RemoteLogSegmentMetadataUpdateRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: remote_log_segment_id
    -orig-id: RemoteLogSegmentId
    type: remote_log_segment_id_entry
    doc: The partition, and the id of the copy
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: event_timestamp_ms
    -orig-id: EventTimestampMs
    type: s8
    doc: When the broker wrote this, in ms since 1970-01-01 UTC
  - id: custom_metadata
    -orig-id: CustomMetadata
    type: kafka_bytes(true, true)
    doc: Data of the plug-in that stores segments
  - id: remote_log_segment_state
    -orig-id: RemoteLogSegmentState
    type: s1
    doc: |
      0: copying; 1: copied; 2: deleting; 3: deleted
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  remote_log_segment_id_entry:
    doc: A copy of a segment
    seq:
      - id: topic_id_partition
        -orig-id: TopicIdPartition
        type: topic_id_partition_entry
        doc: The partition, by name and id of its topic
      - id: id
        -orig-id: Id
        size: 16
        doc: UUID of the copy
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topic_id_partition_entry:
    doc: A partition, by name and id of its topic
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        doc: Name of the topic
      - id: id
        -orig-id: Id
        size: 16
        doc: UUID of the topic
      - id: partition
        -orig-id: Partition
        type: s4
        doc: Number of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
