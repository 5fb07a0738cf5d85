meta:
  id: kafka_varlong
  title: Apache Kafka signed 64-bit integer of variable length
  application: Apache Kafka
  xref:
    wikidata: Q6457577 # LEB128
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  Signed 64-bit integer as a "zigzag" number, in which 0, -1, 1, -2, 2 are 0, 1,
  2, 3, 4. It is divided into groups of 7 bits, the least significant group
  first, and the top bit of each byte says whether another byte follows. There
  are at most 10 bytes, and a top bit set in the tenth is an error. Bits beyond
  64 are dropped, as by Kafka. A number may take more bytes than it needs.

  In languages that have only floating point numbers, such as JavaScript, the
  value is exact up to 53 bits.
doc-ref:
  - https://kafka.apache.org/documentation/#record
  - https://protobuf.dev/programming-guides/encoding/#signed-ints
-webide-representation: '{value:dec}'
seq:
  - id: b0
    type: u1
  - id: b1
    type: u1
    if: b0 >= 128
  - id: b2
    type: u1
    if: b0 >= 128 and b1 >= 128
  - id: b3
    type: u1
    if: b0 >= 128 and b1 >= 128 and b2 >= 128
  - id: b4
    type: u1
    if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128
  - id: b5
    type: u1
    if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128
  - id: b6
    type: u1
    if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128 and b5 >= 128
  - id: b7
    type: u1
    if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128 and b5 >= 128 and b6 >= 128
  - id: b8
    type: u1
    if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128 and b5 >= 128 and b6 >= 128 and b7 >= 128
  - id: b9
    type: u1
    valid:
      max: 127
    if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128 and b4 >= 128 and b5 >= 128 and b6 >= 128 and b7 >= 128 and b8 >= 128
instances:
  value:
    value: 'b0 % 2 == 0 ? half : (-half - 1).as<s8>'
    doc: The number itself
  half:
    value: |
      ((b0 % 128 / 2).as<s8> + (b0 < 128 ? (0).as<s8> : (64 *
      ((b1 % 128).as<s8> + (b1 < 128 ? (0).as<s8> : (128 *
      ((b2 % 128).as<s8> + (b2 < 128 ? (0).as<s8> : (128 *
      ((b3 % 128).as<s8> + (b3 < 128 ? (0).as<s8> : (128 *
      ((b4 % 128).as<s8> + (b4 < 128 ? (0).as<s8> : (128 *
      ((b5 % 128).as<s8> + (b5 < 128 ? (0).as<s8> : (128 *
      ((b6 % 128).as<s8> + (b6 < 128 ? (0).as<s8> : (128 *
      ((b7 % 128).as<s8> + (b7 < 128 ? (0).as<s8> : (128 *
      ((b8 % 128).as<s8> + (b8 < 128 ? (0).as<s8> : (128 *
      (b9 % 2).as<s8>
      ).as<s8>)).as<s8>).as<s8>)).as<s8>).as<s8>)).as<s8>
      ).as<s8>)).as<s8>).as<s8>)).as<s8>).as<s8>)).as<s8>
      ).as<s8>)).as<s8>).as<s8>)).as<s8>).as<s8>)).as<s8>
    doc: |
      The zigzag number without its lowest bit, which is the sign. In JavaScript
      bit operations are limited to 32 bits; in Rust all operations are, but for
      the casts.
