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
  Where to find an offset in the `kafka_log_segment` of the same name: an entry
  for about every 4096 bytes (`log.index.interval.bytes`), in ascending order,
  which Kafka searches by bisection. A small segment often has none, and the
  file is empty.

  While a broker writes to a segment its index is preallocated to its full size
  (`log.index.size.max.bytes`), so that entries of zeros follow the last real
  one. They are cut off when the segment is full or on a clean shutdown, but
  remain after a crash, and in directories of deleted topics. Only in the very
  first entry may zeros be real, as both numbers go up from entry to entry.
doc-ref:
  - https://kafka.apache.org/documentation/#log
  - https://kafka.apache.org/documentation/#brokerconfigs_log.index.interval.bytes
seq:
  - id: entries
    type: entry
    repeat: expr
    repeat-expr: _io.size / 8
    doc: Entries in use, and after them those of zeros if the file is preallocated
  - id: truncated
    size-eos: true
    doc: Nothing, or what there is of an entry; Kafka does not look at it
types:
  entry:
    doc: |
      A hint where to start: no record of this or a greater offset lies before
      this position. It takes a look at the log from there on to find it.
    -webide-representation: '+{relative_offset:dec} @{ofs_entry:dec}'
    seq:
      - id: relative_offset
        -orig-id: relativeOffset
        type: s4
        doc: |
          An offset less that of the segment (its file name).

          The offset is one of what the broker appended together at `ofs_entry`,
          which may be several entries of the log. Up to Kafka 1.1 it is the
          first offset of them, and thus that of the entry to which `ofs_entry`
          points. In later versions it is the last offset of them, which may be
          beyond the end of that entry. A log that is old enough has indexes of
          both kinds, and no file tells which it is.
      - id: ofs_entry
        -orig-id: position
        type: s4
        doc: Position of an entry in the segment file
