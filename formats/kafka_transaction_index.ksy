meta:
  id: kafka_transaction_index
  title: Apache Kafka index of aborted transactions
  application: Apache Kafka
  file-extension: txnindex
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  The transactions whose abort marker is in the `kafka_log_segment` of the same
  name, in the order of the markers (KIP-98). Brokers send these with the
  records to consumers that read committed data only, which skip the records of
  these transactions. The file does not exist before the first abort in a
  segment. It is not preallocated.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging KIP-98
seq:
  - id: entries
    type: entry
    repeat: expr
    repeat-expr: _io.size / 34
    doc: Aborted transactions in the order of their markers
  - id: truncated
    size-eos: true
    doc: Empty, or an incomplete entry; Kafka ignores it
types:
  entry:
    doc: A transaction that was aborted
    -webide-representation: 'producer {producer_id:dec}: {first_offset:dec} to {last_offset:dec}'
    seq:
      - id: version
        type: s2
        valid:
          max: 0
        doc: Version of the entry's layout, 0 so far. Kafka refuses later versions
      - id: producer_id
        -orig-id: producerId
        type: s8
        doc: Producer of the transaction
      - id: first_offset
        -orig-id: firstOffset
        type: s8
        doc: |
          First offset of the transaction in the partition, which may be in an
          earlier segment
      - id: last_offset
        -orig-id: lastOffset
        type: s8
        doc: Offset of the abort marker
      - id: last_stable_offset
        -orig-id: lastStableOffset
        type: s8
        doc: |
          Last stable offset after the abort: the first offset of the earliest
          transaction that was still open, or the offset after the marker if
          none was.
