meta:
  id: kafka_log_segment
  title: Apache Kafka log segment
  application: Apache Kafka
  file-extension:
    - log
    - checkpoint
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_message
    - kafka_record_batch
  endian: be
doc: |
  Apache Kafka keeps each partition of a topic as a directory of segments. A
  segment file is named after the offset at which it starts, in 20 digits
  (`00000000000000000000.log`), and consists of entries, one after another,
  without a file header. An entry is

  * a message of format 0 (until Kafka 0.9) or 1 (0.10), or
  * a batch of records, format 2 (since Kafka 0.11).

  A file may mix entries of all three formats, as a broker keeps old data when
  the message format of a topic changes.

  Two more things have this format: the `.checkpoint` snapshots of the metadata
  log of Kafka's own Raft protocol (KIP-630; their offsets start at 0 whatever
  the file is called), and the decompressed value of a compressed message of
  format 0 or 1, which is a sequence of messages.

  A file ends after a whole entry; with an incomplete entry, if the broker did
  not write it completely (see `truncated`); or with zeros, if the broker
  preallocates segments and was not shut down cleanly. Zeros are not entries,
  and this parser stops at them with an error (on `len_body`), as Kafka's own
  reader does.
doc-ref:
  - https://kafka.apache.org/documentation/#messageformat
  - https://kafka.apache.org/documentation/#log
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-630%3A+Kafka+Raft+Snapshot KIP-630
seq:
  - id: entries
    type: entry(_io.pos)
    repeat: eos
    doc: |
      All entries. The last one may be incomplete: then it has `truncated` in
      place of its body.
types:
  entry:
    doc: |
      A message or a record batch, after its offset and its size.
    -webide-representation: '@{ofs_entry:dec} offset {base_offset:dec}: {body}'
    params:
      - id: ofs_entry
        type: s8
        doc: |
          Position of the entry in the stream. Entries of a `kafka_offset_index`
          point to this position in the segment file.
    seq:
      - id: base_offset
        -orig-id: baseOffset
        type: s8
        if: len_left >= 12
        doc: |
          Offset of the first record of a batch, of an uncompressed message, or
          of the last message in a compressed one. No CRC covers it, so that a
          broker can assign offsets without reading the data again: a flipped
          bit in it goes unnoticed.
      - id: len_body
        -orig-id: batchLength
        type: s4
        valid:
          min: 'len_left > 17 ? (14).as<s4> : len_body'
        if: len_left >= 12
        doc: |
          Size of the rest of the entry in bytes. The smallest possible size is
          14, that of a message of format 0 without key and value. No CRC covers
          it. Kafka treats 17 bytes or fewer at the end of a file as the start
          of an incomplete entry, and ignores its size.
      - id: body
        size: len_body
        type:
          switch-on: magic
          cases:
            2: kafka_record_batch
            _: kafka_message
        if: is_complete
        doc: |
          The message or the record batch itself. All formats have their magic
          byte at the same place. Kafka reads an entry with any magic byte below
          2, also a negative one, as a message.
      - id: truncated
        size-eos: true
        if: not is_complete
        doc: |
          The present bytes of an incomplete entry, after its size if that is
          complete. Only the last entry of a file may be incomplete. This is not
          an error: a broker drops these bytes when it starts after a crash.
    instances:
      len_left:
        value: (_io.size - ofs_entry).as<s8>
        doc: |
          Number of bytes from the start of the entry to the end of the stream
      is_complete:
        value: len_left > 17 and len_left - 12 >= len_body.as<s8>
        doc: Whether the entry is complete
      magic:
        pos: ofs_entry + 16
        type: s1
        valid:
          max: 2
        if: is_complete
        doc: |
          Number of the message format: 0, 1 or 2. The CRC of a record batch
          does not cover this byte. If a flipped bit makes it more than 2,
          brokers read the entry as a good batch of format 2 and keep it;
          consumers fail at it.
