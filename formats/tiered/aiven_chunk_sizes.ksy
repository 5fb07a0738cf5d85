meta:
  id: aiven_chunk_sizes
  title: Sizes of the chunks of a tiered Kafka segment
  application: Aiven's tiered storage plugin for Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  Sizes of the chunks of a log segment in the object that Aiven's plugin has
  made of it (KIP-405), if chunks are compressed. It is compressed with zstd,
  then written as base64 into the field `transformedChunks` of a
  `.rsm-manifest`.

  All sizes but the last are stored minus the smallest of them, in as few bytes
  as the largest difference needs.
doc-ref:
  - https://github.com/Aiven-Open/tiered-storage-for-apache-kafka
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-405%3A+Kafka+Tiered+Storage KIP-405
seq:
  - id: num_chunks
    type: s4
    valid:
      min: 0
    doc: Number of chunks
  - id: base
    type: s4
    valid:
      min: 0
    if: num_chunks > 1
    doc: The smallest size of all chunks but the last
  - id: len_difference
    type: u1
    valid:
      min: 1
      max: 4
    if: num_chunks > 1
    doc: Size of each of `differences` in bytes
  - id: differences
    type: difference
    repeat: expr
    repeat-expr: num_chunks - 1
    if: num_chunks > 1
    doc: The size of each chunk but the last, minus `base`
  - id: last
    type: s4
    valid:
      min: 0
    if: num_chunks > 0
    doc: The size of the last chunk
types:
  difference:
    doc: An unsigned integer of `len_difference` bytes
    -webide-representation: '{value:dec}'
    seq:
      - id: digits
        type: u1
        repeat: expr
        repeat-expr: _root.len_difference
        doc: Its bytes, the most significant one first
    instances:
      value:
        value: |
          _root.len_difference == 1 ? digits[0].as<u8> :
          _root.len_difference == 2 ? (digits[0].as<u8> * 256 + digits[1].as<u8>).as<u8> :
          _root.len_difference == 3 ? (digits[0].as<u8> * 65536 + digits[1].as<u8> * 256 + digits[2].as<u8>).as<u8> :
          (digits[0].as<u8> * 16777216 + digits[1].as<u8> * 65536 + digits[2].as<u8> * 256 + digits[3].as<u8>).as<u8>
        doc: The number itself
