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
  The state of the idempotent and transactional producers that have written to a
  partition, so that a starting broker need not read the whole log (KIP-98). The
  file is named after an offset, in 20 digits (`00000000000000000042.snapshot`),
  and has the state after all records below that offset. Each of the latest
  segments has one for its start, and after a clean shutdown the log has one for
  its end.

  Every Kafka from 0.11 on writes version 1. A snapshot without producers is 10
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
      Bytes after the last producer, usually none. Kafka accepts them, and the
      CRC covers them
instances:
  crc_input:
    pos: 6
    size-eos: true
    doc: The bytes that `crc` covers, from `num_producers` to the end
types:
  producer:
    doc: |
      A producer and its last batch. In memory a broker has the last five
      batches, to detect duplicates; the snapshot does not keep the other four.
    -webide-representation: 'producer {producer_id:dec} epoch {epoch:dec} sequence {last_sequence:dec} offset {last_offset:dec}'
    seq:
      - id: producer_id
        type: s8
        doc: Id that the cluster has given to the producer
      - id: epoch
        type: s2
        doc: |
          Epoch of the producer, by which brokers distinguish a restarted
          producer from its predecessor
      - id: last_sequence
        type: s4
        doc: |
          Sequence number of the last record, -1 if it has only written a marker
      - id: last_offset
        type: s8
        doc: Offset of the last record, -1 if it has only written a marker
      - id: offset_delta
        type: s4
        doc: |
          Last offset of the last batch minus its first offset; the sequence
          numbers have the same difference
      - id: timestamp
        type: s8
        doc: |
          Greatest timestamp of the last batch or marker, in milliseconds since
          1970-01-01 UTC. A broker forgets the producer
          `producer.id.expiration.ms` after it.
      - id: coordinator_epoch
        type: s4
        doc: |
          `coordinator_epoch` of the last `kafka_end_transaction_marker`, -1
          without a marker
      - id: current_txn_first_offset
        type: s8
        doc: First offset of the open transaction, -1 without one
