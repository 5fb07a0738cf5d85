"""Varints as Kafka's `ByteUtils` writes them (KIP-98): zigzag coded, seven bits a byte, lowest first."""


def write_varint(value: int) -> bytes:
    """Write a signed 32-bit number in as few bytes as possible."""
    return _write(value, 32)


def write_varlong(value: int) -> bytes:
    """Write a signed 64-bit number in as few bytes as possible."""
    return _write(value, 64)


def _write(value: int, bits: int) -> bytes:
    assert -(1 << bits - 1) <= value < 1 << bits - 1
    raw = value << 1 ^ value >> bits - 1
    written = bytearray()
    while raw >= 0x80:
        written.append(raw & 0x7F | 0x80)
        raw >>= 7
    return bytes((*written, raw))
