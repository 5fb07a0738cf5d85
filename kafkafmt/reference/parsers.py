"""Wraps the generated parsers, with faster varints inside, and kafkafmt's errors outside.

The generated classes stay unchanged for other users. Here their own code runs with other globals: `KafkaVarint` and
`KafkaVarlong` are replaced by classes that read a number in one loop (which doubles the speed of a whole record),
`KaitaiStream` by streams without its layers (`streams`). Tests compare the replacements with the generated classes.
"""

from collections.abc import Callable
from functools import cache, partial
from types import FunctionType, SimpleNamespace
from typing import Any

from kafkafmt_specs import kafka_header, kafka_record
from kafkafmt_specs.kafka_message import KafkaMessage
from kafkafmt_specs.kafka_record_batch import KafkaRecordBatch
from kaitaistruct import EndOfStreamError, ValidationGreaterThanError

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.reference.generated_errors import generated_errors
from kafkafmt.reference.layout import COMPRESSION, CONTROL, DELETE_HORIZON, LOG_APPEND_TIME, LOG_OVERHEAD, TRANSACTIONAL
from kafkafmt.reference.streams import First, HeaderStream, LargeRecordStream, RecordStream, record_stream, stream

MESSAGE_HEADER = 34
"""Size of a v1 message with null key and null value, including its offset and size; 8 more than in v0."""

SMALLEST_HEADER = 2
"""Size of a record header with an empty key and a null value."""


class _Varint:
    """Replaces `KafkaVarint`: zigzag, 7 bits per byte, at most 5 bytes, bits beyond 32 dropped."""

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
    """Replaces `KafkaVarlong`: like `_Varint`, with at most 10 bytes, and bits beyond 64 dropped."""

    __slots__ = ()

    _BYTES = 10
    _MASK = (1 << 64) - 1


def with_globals(function: Callable[..., Any], **replaced: Any) -> Any:
    """Copy a generated method with replaced globals, such as faster classes under the names it uses."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is not a Python function")
    return FunctionType(
        function.__code__, {**function.__globals__, **replaced}, function.__name__, function.__defaults__
    )


_varints = {
    "kafka_varint": SimpleNamespace(KafkaVarint=_Varint),
    "kafka_varlong": SimpleNamespace(KafkaVarlong=_Varlong),
}


def _as_it_is(stream: RecordStream | LargeRecordStream) -> RecordStream | LargeRecordStream:
    return stream


class _WithoutCycles:
    """A generated parser without references to itself and its parent, so it is freed without a search for cycles."""

    _read: Callable[[], None]

    def __init__(self, _io: Any, _parent: Any = None, _root: Any = None) -> None:
        self._io = _io
        self._parent = self._root = None
        self._read()


class _Header(_WithoutCycles, kafka_header.KafkaHeader):  # type: ignore[misc]
    _read = with_globals(kafka_header.KafkaHeader._read, **_varints)  # noqa: SLF001


def range_of_headers(max_headers: int, count: int) -> range:
    """Replacement for `range` in generated code that counts headers.

    Raises:
        LimitExceededError: there are more headers than `max_headers`.
    """
    if count > max_headers:
        raise LimitExceededError(
            "more headers in one record than max_headers_per_record", expected=max_headers, found=count
        )
    return range(count)


@cache
def record_parser(max_headers: int) -> type[kafka_record.KafkaRecord]:
    """Make a `KafkaRecord` with faster varints, which refuses records with more than `max_headers` headers.

    It raises CorruptError for a header count that exceeds the record (or is negative), and LimitExceededError for one
    above `max_headers`.
    """
    # The generated code uses `range` only to count headers, so a replaced `range` can check the count.
    read = with_globals(
        kafka_record.KafkaRecord.Body._read,  # noqa: SLF001
        kafka_header=SimpleNamespace(KafkaHeader=_Header),
        range=partial(range_of_headers, max_headers),
        **_varints,
    )

    class Body(_WithoutCycles, kafka_record.KafkaRecord.Body):  # type: ignore[misc]
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

    class Record(_WithoutCycles, kafka_record.KafkaRecord):  # type: ignore[misc]
        _read = with_globals(
            kafka_record.KafkaRecord._read,  # noqa: SLF001
            KafkaRecord=SimpleNamespace(Body=Body),
            KaitaiStream=_as_it_is,
            BytesIO=record_stream,
            **_varints,
        )

    return Record


class _Attributes:
    """Replaces `KafkaRecordBatch.Attributes`: reads all bits from one number, without a reference to the batch."""

    __slots__ = ("compression", "has_delete_horizon", "is_control", "is_transactional", "reserved", "timestamp_type")

    def __init__(self, _io: HeaderStream, _parent: Any = None, _root: Any = None) -> None:
        bits = _io.read_s2be()
        self.reserved = (bits & 0xFFFF) >> 7
        self.has_delete_horizon = bits & DELETE_HORIZON != 0
        self.is_control = bits & CONTROL != 0
        self.is_transactional = bits & TRANSACTIONAL != 0
        self.timestamp_type = int(bits & LOG_APPEND_TIME != 0)
        self.compression = bits & COMPRESSION


class _BatchHeader(_WithoutCycles, KafkaRecordBatch):  # type: ignore[misc]
    _read = with_globals(
        KafkaRecordBatch._read,  # noqa: SLF001
        KafkaRecordBatch=SimpleNamespace(Attributes=_Attributes),
    )


def parse_batch_header(entry: bytes | memoryview) -> KafkaRecordBatch:
    """Parse only the header of a v2 entry; `records` of the result must not be used.

    Args:
        entry: the first 61 bytes or more of the entry; all of a smaller entry.

    Raises:
        CorruptError: the header breaks a rule of `kafka_record_batch.ksy`; without file and position.
    """
    with generated_errors():
        return _BatchHeader(HeaderStream(entry, len(entry), lambda _: entry))


def parse_message_header(first: First, size: int) -> KafkaMessage:
    """Parse a v0 or v1 entry without its key, value and trailing bytes, which are empty in the result.

    The key is read too, as the size of the value comes after it.

    Args:
        first: returns the entry's first bytes.
        size: size of the whole entry, in bytes.

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
    # Key and value are copies; a wrapper's bytes must not be held twice.
    message.close()
    return message
