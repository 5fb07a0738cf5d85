meta:
  id: kafka_offset_index
  title: Apache Kafka offset index
  application: Apache Kafka
  file-extension: index
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  Positions of offsets in the `kafka_log_segment` of the same name: an entry for
  about every 4096 bytes (`log.index.interval.bytes`), in ascending order. Kafka
  runs a binary search over them. The index of a small segment is often empty.

  While a broker writes to a segment its index is preallocated to its full size
  (`log.index.size.max.bytes`), so that entries of zeros follow the last real
  one. They are cut off when the segment is full or on a clean shutdown, but
  remain after a crash, and in directories of deleted topics. Only the very
  first entry may really be zero, as both numbers rise from entry to entry.
doc-ref:
  - https://kafka.apache.org/documentation/#log
  - https://kafka.apache.org/documentation/#brokerconfigs_log.index.interval.bytes
seq:
  - id: entries
    type: entry
    repeat: expr
    repeat-expr: _io.size / 8
    doc: Entries in use, then entries of zeros if the file is preallocated
  - id: truncated
    size-eos: true
    doc: Empty, or an incomplete entry; Kafka ignores it
types:
  entry:
    doc: |
      The position from which a reader searches the log for an offset: no record
      with this or a greater offset lies before it.
    -webide-representation: '+{relative_offset:dec} @{ofs_entry:dec}'
    seq:
      - id: relative_offset
        -orig-id: relativeOffset
        type: s4
        doc: |
          An offset minus the segment's base offset (its file name). The offset
          belongs to the entries that the broker appended together at
          `ofs_entry`. Up to Kafka 1.1 it is their first offset, that of the
          entry to which `ofs_entry` points. In later versions it is their last
          offset, which may be beyond the end of that entry. An old log has
          indexes of both kinds, and no file says which.
      - id: ofs_entry
        -orig-id: position
        type: s4
        doc: Position of an entry in the segment file
