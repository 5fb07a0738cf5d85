"""Generated segments: entries of all formats as Kafka writes them, and odd ones under a correct CRC."""

import random
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from kafkafmt.codec.compression import Compression
from tests.codec.compression.compressors import compress
from tests.reference import builder
from tests.varints import write_varint, write_varlong

T = TypeVar("T")

INT32_EDGES = (-(2**31), -2, -1, 0, 1, 2**31 - 2, 2**31 - 1)
INT64_EDGES = (-(2**63), -2, -1, 0, 2**31, 2**62, 2**63 - 2, 2**63 - 1)
KEYS = (None, None, b"", b"k-1", b"k-1", b"k-2", b"k-", b"\0\xff" * 20)
VALUES = (None, b"", b"v", b"v" * 13, bytes(range(256)))
HEADER_KEYS = (b"h", b"", b"trace-id", "sch\u00f6n".encode(), "\U0001f600\u20ac".encode(), b"a" * 70)
# Invalid UTF-8: lone continuations, truncated, overlong, surrogates, beyond U+10FFFF.
MALFORMED_KEYS = (
    b"\xff",
    b"\x80",
    b"a\xc3",
    b"\xe2\x82",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf5\x80\x80\x80",
    b"\xf0\x9fx",
)
CONTROL_KEYS = (
    b"\0\0\0\0",
    b"\0\0\0\1",
    b"\0\0\0\2",
    b"\0\0\0\x63",
    b"\0\1\0\0\xff",
    b"\0\0",
    b"",
    b"\xff\xff\0\0",
    None,
)
CODECS = list(Compression)


class Making:
    """Generates entries of one segment; `odd` is the probability that a field is wrong."""

    def __init__(self, rnd: random.Random, odd: float) -> None:
        self.rnd = rnd
        self._odd = odd

    def usually(self, usual: T, *odd: T) -> T:
        return self.rnd.choice(odd) if self.rnd.random() < self._odd else usual

    def is_odd(self) -> bool:
        return self.rnd.random() < self._odd

    def varint(self, number: int) -> bytes:
        return self._padded(write_varint(number), 5)

    def varlong(self, number: int) -> bytes:
        return self._padded(write_varlong(number), 10)

    def sized(self, data: bytes | None) -> bytes:
        if data is None:
            return self.varint(self.usually(-1, -2, -(2**31)))
        return self.varint(self.usually(len(data), *INT32_EDGES, len(data) + 1)) + data

    def record(self, delta: int, key: bytes | None) -> bytes:
        rnd = self.rnd
        headers: list[tuple[bytes | None, bytes | None]] = [
            (self.usually(rnd.choice(MALFORMED_KEYS if rnd.random() < 0.1 else HEADER_KEYS), None), rnd.choice(VALUES))
            for _ in range(rnd.choice((0, 0, 0, 1, 2, 3)))
        ]
        body = bytes([self.usually(0, 1, 255)])
        body += self.varlong(self.usually(rnd.randrange(100), -5, *INT64_EDGES))
        body += self.varint(self.usually(delta, *INT32_EDGES))
        body += self.sized(key) + self.sized(rnd.choice(VALUES))
        body += self.varint(self.usually(len(headers), *INT32_EDGES, len(headers) + 1, 1000))
        body += b"".join(self.sized(name) + self.sized(value) for name, value in headers)
        body += self.usually(b"", b"\0", b"more")
        return self.varint(self.usually(len(body), len(body) - 1, len(body) + 1, *INT32_EDGES)) + body

    def batch(self, offset: int) -> tuple[bytes, int]:
        """Generate a batch of format 2; return it and the offset after it."""
        rnd = self.rnd
        is_control = rnd.random() < 0.25
        keys = CONTROL_KEYS if is_control else KEYS
        count = rnd.choice((0, 1, 1, 2, 5, 20))
        deltas = sorted(rnd.sample(range(2 * count), count)) if rnd.random() < 0.3 else list(range(count))
        last = deltas[-1] + rnd.choice((0, 0, 0, 3)) if deltas else rnd.choice((0, 4))
        append_time = rnd.random() < 0.2
        codec = rnd.choice(CODECS) if rnd.random() < 0.6 else Compression.NONE
        payload = b"".join(self.record(delta, rnd.choice(keys)) for delta in deltas) + self.usually(b"", b"\0", b"left")
        stored = compress(codec, payload)
        if self.is_odd():
            stored = self._broken(stored)
        fits = last < 2**31
        entry = builder.batch(
            base_offset=self.usually(offset, offset - 3, offset + 1000, *INT64_EDGES),
            leader_epoch=self.usually(rnd.randrange(3), *INT32_EDGES),
            magic=self.usually(2, 3, -1, 1, 0),
            attributes=codec
            | (builder.LOG_APPEND_TIME if append_time else 0)
            | (builder.CONTROL if is_control else 0)
            | (builder.TRANSACTIONAL if is_control or rnd.random() < 0.2 else 0)
            | self.usually(0, builder.DELETE_HORIZON, builder.DELETE_HORIZON, 0x80, 0x4000, 7),
            last_offset_delta=self.usually(last if fits else 0, *INT32_EDGES, last + 1),
            base_timestamp=self.usually(1000 + rnd.randrange(50), -1, *INT64_EDGES),
            max_timestamp=self.usually(1150 + rnd.randrange(50), -1, 1, *INT64_EDGES),
            producer_id=rnd.choice((-1, -1, 7, 2**62)),
            producer_epoch=rnd.choice((-1, 0, 2**15 - 1)),
            base_sequence=rnd.choice((-1, -1, 0, 2**31 - 3, -5)),
            count=self.usually(count, count + 1, count - 1, *INT32_EDGES),
            payload=stored,
        )
        return self._framed(entry), offset + last + 1

    def message(self, offset: int, magic: int | None = None) -> tuple[bytes, int]:
        """Generate a message of format 0 or 1; return it and the offset after it."""
        rnd = self.rnd
        return self._framed(self._message(offset, rnd.choice((0, 1)) if magic is None else magic)), offset + 1

    def wrapper(self, offset: int) -> tuple[bytes, int]:
        """Generate a compressed message set; return it and the offset after it."""
        rnd = self.rnd
        magic = rnd.choice((0, 1))
        count = self.usually(rnd.choice((1, 2, 5)), 0)
        deltas = sorted(rnd.sample(range(2 * count), count)) if rnd.random() < 0.3 else list(range(count))
        last = offset + (deltas[-1] if deltas else 0)
        first = offset if magic == 0 else 0
        inner = b"".join(self._message(first + delta, self.usually(magic, 0, 1, 2)) for delta in deltas)
        inner = self.usually(inner, inner[:-1], inner + b"\0" * 11, inner + b"\0" * 14, inner + b"\xff" * 20)
        codec = rnd.choice((Compression.GZIP, Compression.SNAPPY, Compression.LZ4))
        stored = compress(codec, inner)
        if self.is_odd():
            stored = self._broken(stored)
        entry = builder.message(
            self.usually(last, 0, first, last + 5, -1, 2**63 - 1),
            self.usually(stored, None, b""),
            rnd.choice((None, None, b"key")),
            magic=magic,
            attributes=self.usually(codec, 4, 7, codec | 0x40)
            | (builder.LOG_APPEND_TIME if magic and rnd.random() < 0.3 else 0),
            timestamp=self.usually(1000 + rnd.randrange(100), -1, *INT64_EDGES),
        )
        return self._framed(entry), last + 1

    def _message(self, offset: int, magic: int) -> bytes:
        rnd = self.rnd
        entry = builder.message(
            self.usually(offset, offset - 2, *INT64_EDGES),
            rnd.choice(VALUES),
            rnd.choice(KEYS),
            magic=self.usually(magic, 2, 5, -1),
            attributes=self.usually(0, 0x08, 0x08, 0x10, 1, 4),
            timestamp=self.usually(1000 + rnd.randrange(100), -1, *INT64_EDGES),
            trailing=self.usually(b"", b"\0"),
            crc=self.usually(None, 1),
        )
        if self.is_odd():
            data = bytearray(entry)
            # A length: that of the key, or the bytes in its place in the other format.
            at = rnd.choice((18, 26))
            data[at : at + 4] = rnd.choice(INT32_EDGES).to_bytes(4, "big", signed=True)
            return bytes(data)
        return entry

    def _framed(self, entry: bytes) -> bytes:
        """An entry whose size and CRC may be wrong."""
        if self.is_odd():
            size = len(entry) - 12
            return builder.with_size(
                entry, self.rnd.choice((0, 13, 14, 48, size - 1, size + 1, 2 * size, *INT32_EDGES))
            )
        return self._broken(entry) if self.is_odd() else entry

    def _broken(self, data: bytes) -> bytes:
        if not data:
            return b"\0"
        changed = bytearray(data)
        changed[self.rnd.randrange(len(data))] ^= 1 << self.rnd.randrange(8)
        return bytes(changed)

    def _padded(self, number: bytes, most: int) -> bytes:
        """The same number in more bytes than needed, or in more than permitted."""
        more = self.usually(0, 1, 2, most - len(number), most - len(number) + 1)
        if more <= 0:
            return number
        return number[:-1] + bytes([number[-1] | 0x80]) + b"\x80" * (more - 1) + b"\0"


KINDS: dict[str, Callable[[Making, int], tuple[bytes, int]]] = {
    "batch": Making.batch,
    "message": Making.message,
    "wrapper": Making.wrapper,
}


def entries(kinds: list[str], seed: int, odd: float, base_offset: int) -> Iterator[bytes]:
    """A sequence of entries of these kinds, with ascending offsets except for odd ones."""
    making = Making(random.Random(seed), odd)
    offset = base_offset
    for kind in kinds:
        entry, offset = KINDS[kind](making, offset)
        offset += making.usually(0, 1, 50)
        yield entry


def in_order(arguments: dict[str, Any]) -> dict[str, Any]:
    """The same with valid scan ranges: no offset below 0, and no start after its end."""
    arguments = dict(arguments)
    for what in ("offset", "timestamp"):
        start, end = (arguments.get(f"{which}_{what}") for which in ("start", "end"))
        if what == "offset":
            start, end = (None if bound is None else max(bound, 0) for bound in (start, end))
        if start is not None and end is not None:
            start, end = sorted((start, end))
        arguments |= {f"start_{what}": start, f"end_{what}": end}
    return arguments
