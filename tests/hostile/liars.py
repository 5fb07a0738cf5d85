"""Logs with wrong counts and sizes but many keys, values and headers, under correct CRCs."""

import random
import struct

from kafkafmt.codec.checksum import crc32
from kafkafmt.codec.compression import Compression
from kafkafmt.reference.record_batch import SMALLEST_RECORD
from tests.reference.builder import batch, framed, wrapper
from tests.varints import write_varint, write_varlong

_SIZES = (-1, 0, 1, 2, 5, 31, 32, 33, 64, 200, 513, 1500)
_HEADERS = (0, 0, 1, 3, 9, 60, 400, 1500)
_RECORDS = (1, 1, 2, 4, 12, 40)
# Probability of a wrong length: in most logs only a batch count is wrong, so that all before it is walked over.
_LIES = (0.0, 0.0, 0.0, 0.002, 0.05)
_MOST_HEADERS = 4000


def lying_log(rnd: random.Random) -> bytes:
    """A few entries, each of which may have wrong counts or sizes."""
    return b"".join(_entry(rnd) for _ in range(rnd.choice((1, 1, 2, 3))))


def _entry(rnd: random.Random) -> bytes:
    lies = rnd.choice(_LIES)
    kind = rnd.random()
    if kind < 0.75:
        return _batch(rnd, lies)
    magic = rnd.randrange(2)
    if kind < 0.85:
        return _message(rnd, rnd.randrange(1000), magic, lies)
    inner = b"".join(_message(rnd, number, magic, lies) for number in range(rnd.choice(_RECORDS)))
    codec = rnd.choice((Compression.GZIP, Compression.SNAPPY, Compression.LZ4))
    return wrapper(rnd.choice((0, 39, 1000)), inner, codec=codec, magic=magic)


def _batch(rnd: random.Random, lies: float) -> bytes:
    headers = rnd.choice(_HEADERS)
    records = min(rnd.choice(_RECORDS), max(1, _MOST_HEADERS // max(headers, 1)))
    packed = [_record(rnd, number, headers, lies) for number in range(records)]
    most = sum(map(len, packed)) // SMALLEST_RECORD
    count = rnd.choice(
        (records, records, records - 1, records + 1, most, most, most + 1, rnd.randrange(most + 1), 2**31 - 1)
    )
    return batch(
        packed,
        count=count,
        base_offset=rnd.randrange(1000),
        last_offset_delta=min(max(count, records, 1) - 1, 2**31 - 2),
        attributes=rnd.choice((0, 0, *Compression)),
    )


def _record(rnd: random.Random, number: int, headers: int, lies: float) -> bytes:
    fields = b"\0" + write_varlong(rnd.randrange(300)) + write_varint(number)
    fields += _sized(rnd, _content(rnd), lies) + _sized(rnd, _content(rnd), lies)
    small = headers > _HEADERS[4]
    fields += write_varint(_lie(rnd, headers, lies))
    for _ in range(headers):
        key = b"" if small else _content(rnd) or b""
        fields += _sized(rnd, key, lies) + _sized(rnd, rnd.choice((None, b"")) if small else _content(rnd), lies)
    return write_varint(_lie(rnd, len(fields), lies)) + fields


def _message(rnd: random.Random, offset: int, magic: int, lies: float) -> bytes:
    covered = struct.pack(">bb", magic, 0) + (struct.pack(">q", 1000) if magic else b"")
    for content in (_content(rnd), _content(rnd)):
        covered += struct.pack(">i", _lie(rnd, -1 if content is None else len(content), lies)) + (content or b"")
    return framed(offset, struct.pack(">I", crc32(covered)) + covered)


def _content(rnd: random.Random) -> bytes | None:
    size = rnd.choice(_SIZES)
    return None if size < 0 else rnd.randbytes(min(size, 8)) + bytes(max(size - 8, 0))


def _sized(rnd: random.Random, content: bytes | None, lies: float) -> bytes:
    return write_varint(_lie(rnd, -1 if content is None else len(content), lies)) + (content or b"")


def _lie(rnd: random.Random, size: int, lies: float) -> int:
    if rnd.random() >= lies:
        return size
    return rnd.choice((0, -1, size + 1, size - 1, 2 * size, rnd.randrange(4096), 2**31 - 1, -(2**31)))
