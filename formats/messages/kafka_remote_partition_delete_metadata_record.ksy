meta:
  id: kafka_remote_partition_delete_metadata_record
  -orig-id: RemotePartitionDeleteMetadataRecord
  -versions: 0-0
  title: Apache Kafka remote partition delete metadata record
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: A partition is to be deleted from remote storage.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemotePartitionDeleteMetadataRecord.json RemotePartitionDeleteMetadataRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: topic_id_partition
    -orig-id: TopicIdPartition
    type: topic_id_partition_entry
    doc: The partition, by name and id of its topic
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: event_timestamp_ms
    -orig-id: EventTimestampMs
    type: s8
    doc: When the broker wrote this, in ms since 1970-01-01 UTC
  - id: remote_partition_delete_state
    -orig-id: RemotePartitionDeleteState
    type: s1
    doc: |
      0: marked; 1: deleting; 2: deleted
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
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
