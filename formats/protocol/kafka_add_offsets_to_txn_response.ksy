meta:
  id: kafka_add_offsets_to_txn_response
  -orig-id: AddOffsetsToTxnResponse
  -versions: 0-4
  title: Apache Kafka add offsets to txn response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_tagged_fields
  endian: be
doc: |
  `AddOffsetsToTxnResponse`: a response of the API with key 25, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AddOffsetsToTxnResponse.json AddOffsetsToTxnResponse
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
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
