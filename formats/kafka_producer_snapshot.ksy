meta:
  id: kafka_producer_snapshot
  title: Apache Kafka producer state snapshot
  application: Apache Kafka
  file-extension: snapshot
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  What a broker knows of the producers with idempotence or transactions that
  have written to a partition, so that it need not read the whole log again when
  it starts (KIP-98). The file is named after an offset, in 20 digits
  (`00000000000000000042.snapshot`), and tells the state after all records below
  that offset. There is one for the start of each of the latest segments, and
  one for the end of the log after a clean shutdown.

  All versions from Kafka 0.11 on write version 1. Without any producer it is 10
  bytes long.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging KIP-98
seq:
  - id: version
    type: s2
    valid: 1
    doc: Version of the file's layout, always 1
  - id: crc
    type: u4
    doc: CRC-32C (Castagnoli) of `crc_input`
  - id: num_producers
    type: s4
    valid:
      min: 0
    doc: Number of producers
  - id: producers
    -orig-id: producer_entries
    type: producer
    repeat: expr
    repeat-expr: num_producers
    doc: The producers, in no particular order
  - id: trailing
    size-eos: true
    doc: |
      What follows the last producer: nothing as a rule. Kafka does not mind
      further bytes, and the CRC covers them
instances:
  crc_input:
    pos: 6
    size-eos: true
    doc: The bytes which `crc` covers, from `num_producers` to the end
types:
  producer:
    doc: |
      A producer and the last batch that it has written. In memory a broker
      knows its last five batches, to detect duplicates; the other four are not
      kept.
    -webide-representation: 'producer {producer_id:dec} epoch {epoch:dec} sequence {last_sequence:dec} offset {last_offset:dec}'
    seq:
      - id: producer_id
        type: s8
        doc: Number that the cluster has given to the producer
      - id: epoch
        type: s2
        doc: |
          Epoch of the producer, with which brokers tell a restarted one from
          its predecessor
      - id: last_sequence
        type: s4
        doc: |
          Sequence number of the last record, -1 if there has been none but a
          marker
      - id: last_offset
        type: s8
        doc: Offset of the last record, -1 if there has been none but a marker
      - id: offset_delta
        type: s4
        doc: |
          Last offset of the last batch less its first one, and likewise with
          the sequence numbers
      - id: timestamp
        type: s8
        doc: |
          Greatest timestamp of the last batch or marker, in milliseconds since
          1970-01-01 UTC. Producers are forgotten some time after it
          (`producer.id.expiration.ms`).
      - id: coordinator_epoch
        type: s4
        doc: |
          `coordinator_epoch` of the last `kafka_end_transaction_marker`, -1 if
          there has been none
      - id: current_txn_first_offset
        type: s8
        doc: First offset of the open transaction, -1 if there is none
