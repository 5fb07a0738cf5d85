"""Numbers of variable length in kernels: zigzag, 7 bits a byte, the lowest first (`formats/kafka_varint.ksy`).

Each function gives the number and where it ends. It reads up to 10 bytes that the caller has made sure exist, if they
belong to the record or not. A number of more bytes than it may have ends beyond the last record of the source, in the
first half of its slack: no record ends there, and some more numbers can be read before that is noticed.
"""

from kafkafmt.columnar.compiling import part, rare_part
from kafkafmt.columnar.copying import SLACK, UInt8s, byte_at

_INT32_BYTES = 5
_INT64_BYTES = 10
_LOW_32 = 0xFFFFFFFF


@part
def varint(source: UInt8s, at: int) -> tuple[int, int]:
    """Read an int32 of at most 5 bytes; bits beyond 32 are dropped."""
    first = byte_at(source, at)
    if first < 0x80:
        return (first >> 1) ^ -(first & 1), at + 1
    second = byte_at(source, at + 1)
    if second < 0x80:
        number = (first & 0x7F) | second << 7
        return (number >> 1) ^ -(number & 1), at + 2
    number, end = _groups(source, at, _INT32_BYTES)
    number &= _LOW_32
    return (number >> 1) ^ -(number & 1), end


@part
def length(source: UInt8s, at: int) -> tuple[int, int]:
    """Read an int32 of which only one that is not negative matters: any negative one is -1."""
    first = byte_at(source, at)
    if first < 0x80:
        return -1 if first & 1 else first >> 1, at + 1
    second = byte_at(source, at + 1)
    if second < 0x80:
        return -1 if first & 1 else (first & 0x7F) >> 1 | second << 6, at + 2
    number, end = _groups(source, at, _INT32_BYTES)
    return -1 if number & 1 else (number & _LOW_32) >> 1, end


@part
def varlong(source: UInt8s, at: int) -> tuple[int, int]:
    """Read an int64 of at most 10 bytes (`formats/kafka_varlong.ksy`); bits beyond 64 are dropped."""
    first = byte_at(source, at)
    if first < 0x80:
        return (first >> 1) ^ -(first & 1), at + 1
    second = byte_at(source, at + 1)
    if second < 0x80:
        number = (first & 0x7F) | second << 7
        return (number >> 1) ^ -(number & 1), at + 2
    number, end = _groups(source, at, _INT64_BYTES)
    # The highest bit is no sign.
    return ((number >> 1) & 0x7FFFFFFFFFFFFFFF) ^ -(number & 1), end


@rare_part
def _groups(source: UInt8s, at: int, most: int) -> tuple[int, int]:
    """Put together groups of 7 bits, at most so many."""
    number = 0
    for index in range(most):
        group = byte_at(source, at + index)
        number |= (group & 0x7F) << 7 * index
        if group < 0x80:
            return number, at + index + 1
    return -1, source.size - SLACK + 1
