meta:
  id: kafka_get_telemetry_subscriptions_request
  -orig-id: GetTelemetrySubscriptionsRequest
  -versions: 0-0
  title: Apache Kafka get telemetry subscriptions request
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
  `GetTelemetrySubscriptionsRequest`: a request of the API with key 71, after
  its header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/GetTelemetrySubscriptionsRequest.json GetTelemetrySubscriptionsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: client_instance_id
    -orig-id: ClientInstanceId
    size: 16
    doc: UUID of the client, made by the broker for its telemetry (KIP-714)
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
