meta:
  id: kafka_varint
  title: Apache Kafka signed 32-bit integer of variable length
  application: Apache Kafka
  xref:
    wikidata: Q6457577 # LEB128
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
doc: |
  Signed 32-bit integer as a "zigzag" number, in which 0, -1, 1, -2, 2 are 0, 1,
  2, 3, 4. It is divided into groups of 7 bits, the least significant group
  first, and the top bit of each byte says whether another byte follows. There
  are at most 5 bytes, and a top bit set in the fifth is an error. Bits beyond
  32 are dropped, as by Kafka. A number may take more bytes than it needs.
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
    valid:
      max: 127
    if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128
instances:
  value:
    value: 'b0 % 2 == 0 ? half : (-half - 1).as<s4>'
    doc: The number itself
  half:
    value: |
      b0 < 128 ? (b0 / 2).as<s4> :
      b1 < 128 ? ((b0 % 128 / 2).as<s4> + b1.as<s4> * 64).as<s4> :
      b2 < 128 ? ((b0 % 128 / 2).as<s4> + b1.as<s4> % 128 * 64 + b2.as<s4> * 8192).as<s4> :
      b3 < 128 ? ((b0 % 128 / 2).as<s4> + b1.as<s4> % 128 * 64 + b2.as<s4> % 128 * 8192 +
        b3.as<s4> * 1048576).as<s4> :
      ((b0 % 128 / 2).as<s4> + b1.as<s4> % 128 * 64 + b2.as<s4> % 128 * 8192 +
        b3.as<s4> % 128 * 1048576 + b4.as<s4> % 16 * 134217728).as<s4>
    doc: |
      The zigzag number without its lowest bit, which is the sign. In JavaScript
      bit operations are limited to 32 bits.
