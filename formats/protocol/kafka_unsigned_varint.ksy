meta:
  id: kafka_unsigned_varint
  title: Apache Kafka unsigned 32-bit integer of variable length
  application: Apache Kafka
  xref:
    wikidata: Q6457577 # LEB128
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
doc: |
  `UNSIGNED_VARINT` of the Kafka protocol: an integer cut into groups of 7 bits,
  the least significant group first, and the top bit of each byte tells whether
  another one follows. It is not "zigzag" as a `kafka_varint` is.

  There are at most 5 bytes, and it is an error if the last of them has its top
  bit set. Bits of it that are too many for 32 bits are dropped, as Kafka does.
  A number may take more bytes than it needs.
doc-ref:
  - https://kafka.apache.org/protocol#protocol_types
  - https://protobuf.dev/programming-guides/encoding/#varints
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
    value: |
      b0 < 128 ? b0.as<s4> :
      b1 < 128 ? (b0.as<s4> % 128 + b1.as<s4> * 128).as<s4> :
      b2 < 128 ? (b0.as<s4> % 128 + b1.as<s4> % 128 * 128 + b2.as<s4> * 16384).as<s4> :
      b3 < 128 ? (b0.as<s4> % 128 + b1.as<s4> % 128 * 128 + b2.as<s4> % 128 * 16384 +
        b3.as<s4> * 2097152).as<s4> :
      (b0.as<s4> % 128 + b1.as<s4> % 128 * 128 + b2.as<s4> % 128 * 16384 +
        b3.as<s4> % 128 * 2097152 +
        (b4 % 16 < 8 ? (b4 % 16).as<s4> : ((b4 % 16).as<s4> - 16).as<s4>) * 268435456).as<s4>
    doc: |
      The number itself. From 2^31 on it comes out negative, less 2^32: Kafka
      has it in a signed integer and takes it so. Bit operations would not do
      for this in all languages.
