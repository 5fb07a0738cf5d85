meta:
  id: kafka_update_raft_voter_response
  -orig-id: UpdateRaftVoterResponse
  -versions: 0-0
  title: Apache Kafka update raft voter response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
    - kafka_tagged_fields
    - kafka_unsigned_varint
  endian: be
doc: |
  `UpdateRaftVoterResponse`: a response of the API with key 82, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/UpdateRaftVoterResponse.json UpdateRaftVoterResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
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
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: current_leader_tag
        doc: The field itself, or bytes if its tag is not known
  current_leader:
    seq:
      - id: leader_id
        -orig-id: LeaderId
        type: s4
        doc: |
          `node.id` of the leader
      - id: leader_epoch
        -orig-id: LeaderEpoch
        type: s4
        doc: Leader epoch of the partition
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: s4
        doc: TCP port
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  current_leader_tag:
    doc: Field of tag 0
    seq:
      - id: current_leader
        -orig-id: CurrentLeader
        -index: 2
        -versions: 0-0
        type: current_leader
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
