meta:
  id: kafka_cooperative_sticky_assignor_user_data
  -orig-id: CooperativeStickyAssignorUserData
  -versions: 0-0
  title: Apache Kafka user data of the cooperative sticky assignor
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  What a consumer with the assignor `cooperative-sticky` puts into the `user_data`
  of its `kafka_consumer_protocol_subscription`. What it got last is in the
  subscription itself.
doc-ref:
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-429%3A+Kafka+Consumer+Incremental+Rebalance+Protocol KIP-429
  - https://github.com/apache/kafka/blob/4.3.1/clients/src/main/java/org/apache/kafka/clients/consumer/CooperativeStickyAssignor.java CooperativeStickyAssignor
-webide-representation: 'generation {generation:dec}'
seq:
  - id: generation
    type: s4
    doc: In which generation of the group the consumer got what it owns
