meta:
  id: kafka_broker_heartbeat_request
  -orig-id: BrokerHeartbeatRequest
  -versions: 0-2
  title: Apache Kafka broker heartbeat request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_boolean
    - kafka_unsigned_varint
  endian: be
doc: |
  `BrokerHeartbeatRequest`: a request of the API with key 63, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/BrokerHeartbeatRequest.json BrokerHeartbeatRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: broker_id
    -orig-id: BrokerId
    type: s4
    doc: The broker's `node.id`
  - id: broker_epoch
    -orig-id: BrokerEpoch
    type: s8
    doc: Epoch of the broker's registration
  - id: current_metadata_offset
    -orig-id: CurrentMetadataOffset
    type: s8
  - id: want_fence
    -orig-id: WantFence
    type: kafka_boolean
  - id: want_shut_down
    -orig-id: WantShutDown
    type: kafka_boolean
  - id: tagged_fields
    type: tagged_fields
    doc: Fields that may be missing
types:
  tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  tagged_field:
    doc: A field that may be missing
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: |
          (tag.value != 0 or _root.message_version >= 1) and
          (tag.value != 1 or _root.message_version >= 2) ? len_data.value : -1
        type:
          switch-on: tag.value
          cases:
            0: offline_log_dirs_tag
            1: cordoned_log_dirs_tag
        doc: The field itself, or bytes if its tag is not known
  offline_log_dirs_tag:
    doc: Field of tag 0
    seq:
      - id: num_offline_log_dirs
        type: kafka_array_length(true, false)
        doc: Number of `offline_log_dirs`
      - id: offline_log_dirs
        -orig-id: OfflineLogDirs
        -index: 5
        -versions: 1-2
        size: 16
        repeat: expr
        repeat-expr: num_offline_log_dirs.value
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  cordoned_log_dirs_tag:
    doc: Field of tag 1
    seq:
      - id: num_cordoned_log_dirs
        type: kafka_array_length(true, true)
        doc: Number of `cordoned_log_dirs`
      - id: cordoned_log_dirs
        -orig-id: CordonedLogDirs
        -index: 6
        -versions: 2-2
        size: 16
        repeat: expr
        repeat-expr: num_cordoned_log_dirs.value
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
