"""Variable-length integers, zigzag coded, exactly as Kafka's `ByteUtils` reads and writes them (KIP-98, format v2).

Seven bits a byte, lowest first. Bits beyond 32 (varint) or 64 (varlong) are dropped without a word, as Kafka drops
them; only a continuation bit in the last possible byte is an error.
"""

from kafkafmt.errors import CorruptError, TruncatedError

_MIN_INT, _MAX_INT = -(2**31), 2**31 - 1
_MIN_LONG, _MAX_LONG = -(2**63), 2**63 - 1


def read_varint(data: bytes | memoryview, position: int) -> tuple[int, int]:
    """Read a signed 32-bit number of one to five bytes.

    Args:
        data: bytes that hold the number.
        position: index of its first byte, not negative.

    Returns:
        The value, and the index after its last byte.

    Raises:
        CorruptError: the fifth byte has its continuation bit set.
        TruncatedError: the data end within the number.
    """
    try:
        byte = data[position]
        if byte < 0x80:
            return (byte >> 1) ^ -(byte & 1), position + 1
        raw = byte & 0x7F
        byte = data[position + 1]
        if byte < 0x80:
            raw |= byte << 7
            return (raw >> 1) ^ -(raw & 1), position + 2
        raw |= (byte & 0x7F) << 7
        for index in (2, 3):
            byte = data[position + index]
            raw |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                return (raw >> 1) ^ -(raw & 1), position + index + 1
        byte = data[position + 4]
    except IndexError:
        raise TruncatedError("data end within a varint") from None
    if byte >= 0x80:
        raise CorruptError("varint is longer than five bytes")
    raw |= (byte & 0x0F) << 28
    return (raw >> 1) ^ -(raw & 1), position + 5


def read_varlong(data: bytes | memoryview, position: int) -> tuple[int, int]:
    """Read a signed 64-bit number of one to ten bytes.

    Args:
        data: bytes that hold the number.
        position: index of its first byte, not negative.

    Returns:
        The value, and the index after its last byte.

    Raises:
        CorruptError: the tenth byte has its continuation bit set.
        TruncatedError: the data end within the number.
    """
    try:
        byte = data[position]
        if byte < 0x80:
            return (byte >> 1) ^ -(byte & 1), position + 1
        raw = byte & 0x7F
        for index in range(1, 9):
            byte = data[position + index]
            raw |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                return (raw >> 1) ^ -(raw & 1), position + index + 1
        byte = data[position + 9]
    except IndexError:
        raise TruncatedError("data end within a varlong") from None
    if byte >= 0x80:
        raise CorruptError("varlong is longer than ten bytes")
    raw |= (byte & 0x01) << 63
    return (raw >> 1) ^ -(raw & 1), position + 10


def write_varint(value: int) -> bytes:
    """Write a signed 32-bit number in as few bytes as it takes.

    Raises:
        ValueError: the value lies outside -2**31 to 2**31 - 1.
    """
    return _write(_zigzag_varint(value))


def write_varlong(value: int) -> bytes:
    """Write a signed 64-bit number in as few bytes as it takes.

    Raises:
        ValueError: the value lies outside -2**63 to 2**63 - 1.
    """
    return _write(_zigzag_varlong(value))


def size_of_varint(value: int) -> int:
    """Tell how many bytes, one to five, `write_varint` takes for a value.

    Raises:
        ValueError: the value lies outside -2**31 to 2**31 - 1.
    """
    return _size(_zigzag_varint(value))


def size_of_varlong(value: int) -> int:
    """Tell how many bytes, one to ten, `write_varlong` takes for a value.

    Raises:
        ValueError: the value lies outside -2**63 to 2**63 - 1.
    """
    return _size(_zigzag_varlong(value))


def _zigzag_varint(value: int) -> int:
    if not _MIN_INT <= value <= _MAX_INT:
        raise ValueError(f"{value} is no signed 32-bit number")
    return (value << 1) ^ (value >> 31)


def _zigzag_varlong(value: int) -> int:
    if not _MIN_LONG <= value <= _MAX_LONG:
        raise ValueError(f"{value} is no signed 64-bit number")
    return (value << 1) ^ (value >> 63)


def _size(raw: int) -> int:
    return max(1, (raw.bit_length() + 6) // 7)


def _write(raw: int) -> bytes:
    written = bytearray()
    while raw >= 0x80:
        written.append((raw & 0x7F) | 0x80)
        raw >>= 7
    written.append(raw)
    return bytes(written)
