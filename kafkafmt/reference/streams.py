"""Streams for generated parsers, in place of a `KaitaiStream` with its layers; and one real Kaitai stream."""

import struct
from collections.abc import Callable
from typing import Self

from kaitaistruct import BytesIO, EndOfStreamError, KaitaiStream

from kafkafmt.reference.layout import LOG_OVERHEAD

First = Callable[[int], bytes | memoryview]
"""Returns the first bytes of an entry; the caller has ensured that the entry has them."""

LARGE = 1024 * 1024
"""Size from which on a key, a value or a record is read as a view, in bytes; no more than `record.BYTES_HELD`."""


class RecordStream(BytesIO):  # type: ignore[misc]
    """Stand-in for a `KaitaiStream` over the bytes of records, with the methods that the generated code calls."""

    @property
    def _io(self) -> Self:
        return self

    def read_u1(self) -> int:
        """Read one byte."""
        return int(self.read_bytes(1)[0])

    def read_bytes(self, count: int) -> bytes:
        """Read `count` bytes, or raise the error that a `KaitaiStream` raises."""
        if count < 0:
            raise ValueError(f"requested invalid {count} amount of bytes")
        data: bytes = self.read(count)
        if len(data) < count:
            raise EndOfStreamError(f"requested {count} bytes, but only {len(data)} available", count, len(data))
        return data

    def read_bytes_full(self) -> bytes:
        """Read the remaining bytes."""
        data: bytes = self.read()
        return data

    def pos(self) -> int:
        """Number of bytes read so far."""
        return int(self.tell())

    def size(self) -> int:
        """Total number of bytes."""
        return len(self.getbuffer())


class LargeRecordStream:
    """A `RecordStream` without large copies: reading 1 MiB or more returns a view of its input.

    Args:
        data: bytes of records.
    """

    __slots__ = ("_at", "_data")

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    @property
    def _io(self) -> Self:
        return self

    read_u1 = RecordStream.read_u1
    read_bytes = RecordStream.read_bytes

    def read(self, count: int) -> bytes | memoryview:
        """Read `count` bytes, or fewer at the end."""
        data = self._data[self._at : self._at + count]
        self._at += len(data)
        return data if count >= LARGE else bytes(data)

    def read_bytes_full(self) -> bytes | memoryview:
        """Read the remaining bytes."""
        return self.read(len(self._data) - self._at)

    def pos(self) -> int:
        """Number of bytes read so far."""
        return self._at

    def size(self) -> int:
        """Total number of bytes."""
        return len(self._data)


def record_stream(data: bytes | memoryview) -> RecordStream | LargeRecordStream:
    """Open a stream over the bytes of one or several records; without copying if they are large."""
    return LargeRecordStream(memoryview(data)) if len(data) >= LARGE else RecordStream(data)


def _reader(layout: str, what: str) -> "Callable[[HeaderStream], int]":
    """Make a method of `HeaderStream` that reads one number."""
    number = struct.Struct(layout)
    unpack, size = number.unpack_from, number.size

    def read(stream: "HeaderStream") -> int:
        at = stream._at  # noqa: SLF001 (a method of it)
        try:
            (value,) = unpack(stream._data, at)  # noqa: SLF001
        except struct.error:
            stream._fetch(size)  # noqa: SLF001
            (value,) = unpack(stream._data, at)  # noqa: SLF001
        stream._at = at + size  # noqa: SLF001
        result: int = value
        return result

    read.__doc__ = f"Read {what}."
    return read


class HeaderStream:
    """Stand-in for a `KaitaiStream` over an entry without its first 12 bytes, for headers: it skips payloads.

    Bytes that generated code reads by `read_bytes` are measured and skipped, so it must not use them.

    Args:
        data: the entry's first bytes.
        size: size of the whole entry, in bytes.
        first: returns more of the entry's first bytes when needed, up to `size`.
    """

    __slots__ = ("_at", "_bits", "_bits_left", "_data", "_first", "_size")

    def __init__(self, data: bytes | memoryview, size: int, first: First) -> None:
        self._data = data
        self._size = size
        self._first = first
        self._at = LOG_OVERHEAD
        self._bits = 0
        self._bits_left = 0

    read_s1 = _reader(">b", "a signed byte")
    read_s2be = _reader(">h", "an int16")
    read_s4be = _reader(">i", "an int32")
    read_s8be = _reader(">q", "an int64")
    read_u4be = _reader(">I", "an unsigned int32")

    def read_bits_int_be(self, count: int) -> int:
        """Read bits, the highest first; callers read all bits of a byte before anything else."""
        missing = count - self._bits_left
        if missing > 0:
            size = (missing + 7) // 8
            if self._at + size > len(self._data):
                self._fetch(size)
            self._bits = self._bits << 8 * size | int.from_bytes(self._data[self._at : self._at + size], "big")
            self._at += size
            self._bits_left += 8 * size
        self._bits_left -= count
        number = self._bits >> self._bits_left
        self._bits &= (1 << self._bits_left) - 1
        return number

    def read_bytes(self, count: int) -> bytes:
        """Skip `count` bytes, or raise the error that a `KaitaiStream` raises; the number must not be negative."""
        self._require(count)
        self._at += count
        return b""

    def read_bytes_full(self) -> bytes:
        """Skip the remaining bytes."""
        return self.read_bytes(self._size - self._at)

    def pos(self) -> int:
        """Number of bytes read or skipped so far."""
        return self._at - LOG_OVERHEAD

    def _fetch(self, count: int) -> None:
        self._require(count)
        self._data = self._first(self._at + count)

    def _require(self, count: int) -> None:
        left = self._size - self._at
        if count > left:
            raise EndOfStreamError(f"requested {count} bytes, but only {left} bytes available", count, left)


def stream(data: bytes | memoryview) -> KaitaiStream:
    """Open a Kaitai stream over bytes in memory."""
    return KaitaiStream(BytesIO(data))
