"""The generated parsers, made to serve: faster varints inside, kafkafmt's errors outside.

stay as they are for other users. Here their own code runs with other globals: `KafkaVarint` and `KafkaVarlong` replaced
by classes that read a number in one loop (twice the speed of a whole record), `KaitaiStream` by streams without its
layers. Tests hold them to the generated ones.
"""

import re
import struct
from collections.abc import Callable
from functools import cache
from types import FunctionType, SimpleNamespace, TracebackType
from typing import Any, Self

from kafkafmt_specs import kafka_header, kafka_record
from kafkafmt_specs.kafka_message import KafkaMessage
from kafkafmt_specs.kafka_record_batch import KafkaRecordBatch
from kaitaistruct import (
    BytesIO,
    EndOfStreamError,
    KaitaiStream,
    KaitaiStructError,
    ValidationFailedError,
    ValidationGreaterThanError,
)

from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError, TruncatedError
from kafkafmt.reference.layout import (
    COMPRESSION,
    CONTROL,
    DELETE_HORIZON,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    TRANSACTIONAL,
)
from kafkafmt.reference.spec_fields import last_field

First = Callable[[int], bytes | memoryview]
"""Gives so many bytes from the beginning of an entry; its caller has made sure that the entry has them."""

MESSAGE_HEADER = 34
"""Bytes of a v1 message with null key and null value, its offset and size included; 8 more than in v0."""

_NEGATIVE = re.compile(r"requested invalid (-\d+)")

LARGE = 1024 * 1024
"""Bytes of a key, a value or a record from which on it is read as a view; no more than `record.BYTES_HELD`."""

SMALLEST_HEADER = 2
"""Bytes of a record header with an empty key and a null value."""


class _Varint:
    """Replaces `KafkaVarint`: zigzag, 7 bits a byte, at most 5 bytes, bits beyond 32 dropped."""

    __slots__ = ("value",)

    _BYTES = 5
    _MASK = (1 << 32) - 1

    def __init__(self, _io: Any, _parent: Any = None, _root: Any = None) -> None:
        read = _io._io.read  # noqa: SLF001 (the stream under Kaitai's, which would unpack byte by byte)
        byte = read(1)
        if not byte:
            raise EndOfStreamError("requested 1 bytes, but only 0 bytes available", 1, 0)
        number = byte[0]
        if number >= 0x80:
            number &= 0x7F
            shift = 7
            while True:
                byte = read(1)
                if not byte:
                    raise EndOfStreamError("requested 1 bytes, but only 0 bytes available", 1, 0)
                group = byte[0]
                number |= (group & 0x7F) << shift
                if group < 0x80:
                    break
                shift += 7
                if shift == self._BYTES * 7:
                    raise ValidationGreaterThanError(0x7F, group, _io, f"/seq/{self._BYTES - 1}")
            number &= self._MASK
        self.value = (number >> 1) ^ -(number & 1)


class _Varlong(_Varint):
    """Replaces `KafkaVarlong`: as `_Varint`, at most 10 bytes, bits beyond 64 dropped."""

    __slots__ = ()

    _BYTES = 10
    _MASK = (1 << 64) - 1


def with_globals(function: Callable[..., Any], **replaced: Any) -> Any:
    """Copy a generated method so that it sees other names."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is not a Python function")
    return FunctionType(
        function.__code__, {**function.__globals__, **replaced}, function.__name__, function.__defaults__
    )


_varints = {
    "kafka_varint": SimpleNamespace(KafkaVarint=_Varint),
    "kafka_varlong": SimpleNamespace(KafkaVarlong=_Varlong),
}


class RecordStream(BytesIO):  # type: ignore[misc]
    """Stand-in for a `KaitaiStream` over the bytes of records, with the methods that the generated code calls."""

    @property
    def _io(self) -> Self:
        return self

    def read_u1(self) -> int:
        """Read one byte."""
        return int(self.read_bytes(1)[0])

    def read_bytes(self, count: int) -> bytes:
        """Read so many bytes, or raise the error that a `KaitaiStream` raises."""
        if count < 0:
            raise ValueError(f"requested invalid {count} amount of bytes")
        data: bytes = self.read(count)
        if len(data) < count:
            raise EndOfStreamError(f"requested {count} bytes, but only {len(data)} available", count, len(data))
        return data

    def read_bytes_full(self) -> bytes:
        """Read all bytes that are left."""
        data: bytes = self.read()
        return data

    def pos(self) -> int:
        """Bytes read so far."""
        return int(self.tell())

    def size(self) -> int:
        """Bytes in all."""
        return len(self.getbuffer())


class LargeRecordStream:
    """A `RecordStream` without large copies: a read of 1 MiB or more gives a view of its input.

    Args:
        data: the bytes of records.
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
        """Read so many bytes, or all that are left."""
        data = self._data[self._at : self._at + count]
        self._at += len(data)
        return data if count >= LARGE else bytes(data)

    def read_bytes_full(self) -> bytes | memoryview:
        """Read all bytes that are left."""
        return self.read(len(self._data) - self._at)

    def pos(self) -> int:
        """Bytes read so far."""
        return self._at

    def size(self) -> int:
        """Bytes in all."""
        return len(self._data)


def record_stream(data: bytes | memoryview) -> RecordStream | LargeRecordStream:
    """Open a stream over the bytes of records, or of one: without a copy if they are large."""
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
        size: of the whole entry, in bytes.
        first: gives more of its first bytes as they are needed, up to `size`.
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
        """Read bits, the highest first, of bytes that are read to their last bit before anything else is."""
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
        """Skip so many bytes, or raise the error that a `KaitaiStream` raises; the number is never negative."""
        self._require(count)
        self._at += count
        return b""

    def read_bytes_full(self) -> bytes:
        """Pass over all bytes that are left."""
        return self.read_bytes(self._size - self._at)

    def pos(self) -> int:
        """Bytes read or skipped so far."""
        return self._at - LOG_OVERHEAD

    def _fetch(self, count: int) -> None:
        self._require(count)
        self._data = self._first(self._at + count)

    def _require(self, count: int) -> None:
        left = self._size - self._at
        if count > left:
            raise EndOfStreamError(f"requested {count} bytes, but only {left} bytes available", count, left)


def _as_it_is(stream: RecordStream | LargeRecordStream) -> RecordStream | LargeRecordStream:
    return stream


class _Header(kafka_header.KafkaHeader):  # type: ignore[misc]
    _read = with_globals(kafka_header.KafkaHeader._read, **_varints)  # noqa: SLF001


@cache
def record_parser(max_headers: int) -> type[kafka_record.KafkaRecord]:
    """Make a `KafkaRecord` with the faster varints, which refuses records of more headers than it may hold.

    It raises CorruptError for a header count that exceeds the record (or is negative), and LimitExceededError for one
    above `max_headers`.
    """

    def at_most(count: int) -> range:
        if count > max_headers:
            raise LimitExceededError(
                "more headers in one record than max_headers_per_record", expected=max_headers, found=count
            )
        return range(count)

    # The headers are all that this code counts by a range.
    read = with_globals(
        kafka_record.KafkaRecord.Body._read,  # noqa: SLF001
        kafka_header=SimpleNamespace(KafkaHeader=_Header),
        range=at_most,
        **_varints,
    )

    class Body(kafka_record.KafkaRecord.Body):  # type: ignore[misc]
        def _read(self) -> None:
            try:
                read(self)
            except LimitExceededError:
                room = (self._io.size() - self._io.pos()) // SMALLEST_HEADER
                if not 0 <= self.num_headers.value <= room:
                    raise CorruptError(
                        "the header count does not fit the record",
                        expected=f"0 to {room}",
                        found=self.num_headers.value,
                    ) from None
                raise

    class Record(kafka_record.KafkaRecord):  # type: ignore[misc]
        _read = with_globals(
            kafka_record.KafkaRecord._read,  # noqa: SLF001
            KafkaRecord=SimpleNamespace(Body=Body),
            KaitaiStream=_as_it_is,
            BytesIO=record_stream,
            **_varints,
        )

    return Record


class _Attributes:
    """Replaces `KafkaRecordBatch.Attributes`: all bits of one number, and no reference to the batch."""

    __slots__ = ("compression", "has_delete_horizon", "is_control", "is_transactional", "reserved", "timestamp_type")

    def __init__(self, _io: HeaderStream, _parent: Any = None, _root: Any = None) -> None:
        bits = _io.read_s2be()
        self.reserved = (bits & 0xFFFF) >> 7
        self.has_delete_horizon = bits & DELETE_HORIZON != 0
        self.is_control = bits & CONTROL != 0
        self.is_transactional = bits & TRANSACTIONAL != 0
        self.timestamp_type = int(bits & LOG_APPEND_TIME != 0)
        self.compression = bits & COMPRESSION


class _BatchHeader(KafkaRecordBatch):  # type: ignore[misc]
    """A generated parser that keeps no reference to itself, so that it is freed without the garbage collector."""

    _read = with_globals(
        KafkaRecordBatch._read,  # noqa: SLF001
        KafkaRecordBatch=SimpleNamespace(Attributes=_Attributes),
    )

    def __init__(self, _io: HeaderStream) -> None:
        self._io = _io
        self._parent = self._root = None
        self._read()


def stream(data: bytes | memoryview) -> KaitaiStream:
    """Open a Kaitai stream over bytes in memory."""
    return KaitaiStream(BytesIO(data))


def parse_batch_header(entry: bytes | memoryview) -> KafkaRecordBatch:
    """Parse the header of a v2 entry, and no more: its `records` must not be used.

    Args:
        entry: its first 61 bytes or more; all of an entry that is smaller.

    Raises:
        CorruptError: the header breaks a rule of `kafka_record_batch.ksy`; without file and position.
    """
    with generated_errors():
        return _BatchHeader(HeaderStream(entry, len(entry), lambda _: entry))


def parse_message_header(first: First, size: int) -> KafkaMessage:
    """Parse a v0 or v1 entry without its key, value and trailing bytes, which are empty in the result.

    The key is read too, as the size of the value comes after it.

    Args:
        first: gives the entry's first bytes.
        size: of the whole entry, in bytes.

    Raises:
        CorruptError: the message breaks a rule of `kafka_message.ksy`; without file and position.
    """
    with generated_errors():
        return KafkaMessage(HeaderStream(first(min(size, MESSAGE_HEADER)), size, first))


def parse_message(entry: bytes | memoryview) -> KafkaMessage:
    """Parse a whole v0 or v1 entry.

    Raises:
        CorruptError: the message breaks a rule of `kafka_message.ksy`; without file and position.
    """
    with generated_errors():
        message = KafkaMessage(stream(memoryview(entry)[LOG_OVERHEAD:]))
    # Key and value are copies; a wrapper's bytes need not be held twice.
    message.close()
    return message


class generated_errors:  # noqa: N801 (used as a function is, and a generator would take longer than a header)
    """Turn errors of generated parsers on bad bytes into kafkafmt's.

    Raises:
        TruncatedError: the data ends before its declared size.
        CorruptError: a value that the spec rules out, or a negative length.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Raise kafkafmt's error for a parser's."""
        if error is None:
            return
        if isinstance(error, EndOfStreamError):
            raise TruncatedError(
                "the data ends before its declared size",
                expected=f"{error.bytes_needed} bytes",
                found=f"{error.bytes_available} bytes",
            ) from error
        if isinstance(error, ValidationFailedError):
            raise validation_error(error) from error
        if isinstance(error, ValueError) and (negative := _NEGATIVE.search(str(error))):
            field = last_field(error)
            of_what = "length" if field is None else f"{field[0]} in the {field[1]}"
            raise CorruptError(f"the {of_what} is negative", expected="at least 0", found=negative[1]) from error
        if isinstance(error, (KaitaiStructError, ValueError)):
            raise CorruptError(str(error)) from error


def validation_error(error: ValidationFailedError) -> KafkafmtError:
    """Name the expected and the found value in one `CorruptError`."""
    actual = getattr(error, "actual", None)
    expected: object = getattr(error, "expected", None)
    if hasattr(error, "min"):
        expected = f"at least {error.min}"
    elif hasattr(error, "max"):
        expected = f"at most {error.max}"
    found = getattr(actual, "value", actual)
    if isinstance(found, bytes | memoryview):
        found = f"0x{bytes(found).hex()}" if expected else f"{len(found)} bytes"
    if isinstance(expected, bytes | memoryview):
        expected = f"0x{bytes(expected).hex()}" if expected else "0 bytes"
    field = last_field(error)
    if field is None:
        message = "a value that the format does not allow"
    elif not field[2]:
        message = f"the number after {field[0]} in the {field[1]} takes too many bytes"
    elif expected == "0 bytes":
        message = f"bytes left after the last field of the {field[1]}"
    else:
        message = f"{field[0]} of the {field[1]} is out of range"
    return CorruptError(message, expected=expected, found=found)
