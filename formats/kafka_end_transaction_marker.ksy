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
  Value of the control records that end a transaction in a partition. Whether it
  was committed or aborted is in the key, a `kafka_control_record_key`; whose it
  was, in the header of the `kafka_record_batch`.
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
      Leader epoch of the partition of `__transaction_state` from which the
      transaction was coordinated. A broker refuses markers of an older
      coordinator.
  - id: trailing
    size-eos: true
    doc: What a later version may add, nothing in version 0
