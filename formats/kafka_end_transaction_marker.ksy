meta:
  id: kafka_end_transaction_marker
  title: Apache Kafka end of a transaction
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  Value of the control records that end a transaction in a partition. The key, a
  `kafka_control_record_key`, says whether it was committed or aborted; the
  header of the `kafka_record_batch` has its producer.
doc-ref:
  - https://kafka.apache.org/documentation/#controlbatch
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging KIP-98
-webide-representation: 'coordinator epoch {coordinator_epoch:dec}'
seq:
  - id: version
    type: s2
    valid:
      min: 0
    doc: |
      Version of the marker's layout, 0 so far. Kafka reads later versions as
      this one
  - id: coordinator_epoch
    -orig-id: coordinatorEpoch
    type: s4
    doc: |
      Leader epoch of the partition of `__transaction_state` whose leader
      coordinated the transaction. A broker refuses markers of an older
      coordinator.
  - id: trailing
    size-eos: true
    doc: Fields of a later version; empty in version 0
