meta:
  id: kafka_get_telemetry_subscriptions_response
  -orig-id: GetTelemetrySubscriptionsResponse
  -versions: 0-0
  title: Apache Kafka get telemetry subscriptions response
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
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `GetTelemetrySubscriptionsResponse`: a response of the API with key 71, after
  its header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/GetTelemetrySubscriptionsResponse.json GetTelemetrySubscriptionsResponse
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
  - id: client_instance_id
    -orig-id: ClientInstanceId
    size: 16
    doc: UUID of the client, made by the broker for its telemetry (KIP-714)
  - id: subscription_id
    -orig-id: SubscriptionId
    type: s4
  - id: num_accepted_compression_types
    type: kafka_array_length(true, false)
    doc: Number of `accepted_compression_types`
  - id: accepted_compression_types
    -orig-id: AcceptedCompressionTypes
    type: s1
    repeat: expr
    repeat-expr: num_accepted_compression_types.value
  - id: push_interval_ms
    -orig-id: PushIntervalMs
    type: s4
  - id: telemetry_max_bytes
    -orig-id: TelemetryMaxBytes
    type: s4
  - id: delta_temporality
    -orig-id: DeltaTemporality
    type: kafka_boolean
  - id: num_requested_metrics
    type: kafka_array_length(true, false)
    doc: Number of `requested_metrics`
  - id: requested_metrics
    -orig-id: RequestedMetrics
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_requested_metrics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
