meta:
  id: kafka_find_coordinator_request
  -orig-id: FindCoordinatorRequest
  -versions: 0-6
  title: Apache Kafka find coordinator request
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
  endian: be
doc: |
  `FindCoordinatorRequest`: a request of the API with key 10, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FindCoordinatorRequest.json FindCoordinatorRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: key
    -orig-id: Key
    type: kafka_string(message_version >= 3, false)
    if: message_version <= 3
  - id: key_type
    -orig-id: KeyType
    type: s1
    if: message_version >= 1
  - id: num_coordinator_keys
    type: kafka_array_length(true, false)
    if: message_version >= 4
    doc: Number of `coordinator_keys`
  - id: coordinator_keys
    -orig-id: CoordinatorKeys
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_coordinator_keys.value
    if: message_version >= 4
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
