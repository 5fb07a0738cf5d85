meta:
  id: kafka_begin_quorum_epoch_response
  -orig-id: BeginQuorumEpochResponse
  -versions: 0-1
  title: Apache Kafka begin quorum epoch response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
    - kafka_unsigned_varint
  endian: be
doc: |
  `BeginQuorumEpochResponse`: a response of the API with key 53, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/BeginQuorumEpochResponse.json BeginQuorumEpochResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: num_topics
    type: kafka_array_length(message_version >= 1, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: topic_data
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: tagged_fields
    if: message_version >= 1
    doc: Fields that may be missing
types:
  topic_data:
    seq:
      - id: topic_name
        -orig-id: TopicName
        type: kafka_string(_root.message_version >= 1, false)
        doc: Name of the topic
      - id: num_partitions
        type: kafka_array_length(_root.message_version >= 1, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: partition_data
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
  partition_data:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: leader_id
        -orig-id: LeaderId
        type: s4
        doc: |
          `node.id` of the leader
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
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
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: node_endpoints_tag
        doc: The field itself, or bytes if its tag is not known
  node_endpoint:
    seq:
      - id: node_id
        -orig-id: NodeId
        type: s4
        if: _root.message_version >= 1
        doc: The `node.id`
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        if: _root.message_version >= 1
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: u2
        if: _root.message_version >= 1
        doc: TCP port
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
  node_endpoints_tag:
    doc: Field of tag 0
    seq:
      - id: num_node_endpoints
        type: kafka_array_length(true, false)
        doc: Number of `node_endpoints`
      - id: node_endpoints
        -orig-id: NodeEndpoints
        -index: 2
        -versions: 1-1
        type: node_endpoint
        repeat: expr
        repeat-expr: num_node_endpoints.value
        doc: Addresses of the leaders in this response
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
