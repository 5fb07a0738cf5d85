meta:
  id: kafka_exchanges
  title: Apache Kafka requests and responses
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_api
    - kafka_produce_request
    - kafka_request
    - kafka_response
doc: |
  Requests, each followed by the response to it: a recorded connection, with both
  directions in one file. A response does not say which API and version it is of;
  so it can only be read beside its request.
doc-ref: https://kafka.apache.org/protocol#protocol_messages
seq:
  - id: exchanges
    type: exchange
    repeat: eos
    doc: In the order in which the client sent the requests
types:
  exchange:
    doc: A request and the response to it
    -webide-representation: '{request.message.api}'
    seq:
      - id: request
        type: kafka_request
        doc: What the client sent
      - id: response
        type: kafka_response(request.message.api_key, request.message.api_version)
        if: has_response
        doc: What the broker answered
    instances:
      has_response:
        value: |
          request.message.api.known_key != kafka_api::key::produce or
          request.message.body.as<kafka_produce_request>.acks != 0
        doc: A producer with `acks=0` gets no response
