meta:
  id: kafka_time_index
  title: Apache Kafka time index
  application: Apache Kafka
  file-extension: timeindex
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  The greatest timestamp up to an offset in the `kafka_log_segment` of the same
  name, since Kafka 0.10.1 (KIP-33). Timestamps and offsets rise from entry to
  entry, although those of the records need not. Records without a timestamp,
  such as all of message format 0, have no entries. Kafka may add an entry
  together with one of the `kafka_offset_index`, and adds the last one when the
  segment is full or is closed.

  While a broker writes to a segment its index is preallocated to its full size,
  so that entries of zeros follow the last real one. They are cut off when the
  segment is full or on a clean shutdown, but remain after a crash. Only the
  first entry may really be zero: a record of 1970 at the segment's first
  offset.
doc-ref:
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-33+-+Add+a+time+based+log+index KIP-33
  - https://kafka.apache.org/documentation/#log
seq:
  - id: entries
    type: entry
    repeat: expr
    repeat-expr: _io.size / 12
    doc: Entries in use, then entries of zeros if the file is preallocated
  - id: truncated
    size-eos: true
    doc: Empty, or an incomplete entry; Kafka ignores it
types:
  entry:
    doc: |
      Any record of the segment with a later timestamp has a greater offset.
    -webide-representation: '{timestamp:dec} +{relative_offset:dec}'
    seq:
      - id: timestamp
        type: s8
        doc: |
          Greatest timestamp in the segment so far, in milliseconds since
          1970-01-01 UTC
      - id: relative_offset
        -orig-id: relativeOffset
        type: s4
        doc: |
          Offset minus the segment's base offset (its file name). The offset is
          that of the record with that timestamp, or of the last record in its
          batch.
