meta:
  id: kafka_sync_group_response
  -orig-id: SyncGroupResponse
  -versions: 0-5
  title: Apache Kafka sync group response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_bytes
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `SyncGroupResponse`: a response of the API with key 14, after its header (see
  `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SyncGroupResponse.json SyncGroupResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    if: message_version >= 1
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: protocol_type
    -orig-id: ProtocolType
    type: kafka_string(true, true)
    if: message_version >= 5
    doc: |
      "consumer", or "connect" and the like
  - id: protocol_name
    -orig-id: ProtocolName
    type: kafka_string(true, true)
    if: message_version >= 5
  - id: assignment
    -orig-id: Assignment
    type: kafka_bytes(message_version >= 4, false)
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 4
    doc: None is known
