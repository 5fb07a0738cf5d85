meta:
  id: kafka_push_telemetry_request
  -orig-id: PushTelemetryRequest
  -versions: 0-0
  title: Apache Kafka push telemetry request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_boolean
    - kafka_bytes
    - kafka_tagged_fields
  endian: be
doc: |
  `PushTelemetryRequest`: a request of the API with key 72, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/PushTelemetryRequest.json PushTelemetryRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: client_instance_id
    -orig-id: ClientInstanceId
    size: 16
    doc: UUID of the client, made by the broker for its telemetry (KIP-714)
  - id: subscription_id
    -orig-id: SubscriptionId
    type: s4
  - id: terminating
    -orig-id: Terminating
    type: kafka_boolean
  - id: compression_type
    -orig-id: CompressionType
    type: s1
  - id: metrics
    -orig-id: Metrics
    type: kafka_bytes(true, false)
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
