"""The generated parsers, made to serve: faster varints inside, kafkafmt's errors outside.

The generated classes of `kafkafmt_specs` stay as they are for everybody else. Here their own code runs with other
globals: `KafkaVarint` and `KafkaVarlong` replaced by classes that read a number in one loop (twice the speed of a whole
record), which tests hold to the generated ones.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, SimpleNamespace
from typing import Any

from kafkafmt_specs import kafka_header, kafka_record
from kafkafmt_specs.kafka_log_segment import KafkaLogSegment
from kaitaistruct import (
    BytesIO,
    EndOfStreamError,
    KaitaiStream,
    KaitaiStructError,
    ValidationFailedError,
    ValidationGreaterThanError,
)

from kafkafmt.errors import CorruptError, KafkafmtError, TruncatedError


class _Varint:
    """Stand-in for `KafkaVarint`: zigzag, 7 bits a byte, at most 5 bytes, bits beyond 32 dropped."""

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
    """Stand-in for `KafkaVarlong`: as `_Varint`, at most 10 bytes, bits beyond 64 dropped."""

    __slots__ = ()

    _BYTES = 10
    _MASK = (1 << 64) - 1


def _with_globals(function: Callable[..., Any], **replaced: Any) -> Any:
    """Copy a generated method so that it sees other names."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is no Python function")
    return FunctionType(
        function.__code__, {**function.__globals__, **replaced}, function.__name__, function.__defaults__
    )


_varints = {
    "kafka_varint": SimpleNamespace(KafkaVarint=_Varint),
    "kafka_varlong": SimpleNamespace(KafkaVarlong=_Varlong),
}


class _Header(kafka_header.KafkaHeader):  # type: ignore[misc]
    _read = _with_globals(kafka_header.KafkaHeader._read, **_varints)  # noqa: SLF001


class _Body(kafka_record.KafkaRecord.Body):  # type: ignore[misc]
    _read = _with_globals(
        kafka_record.KafkaRecord.Body._read,  # noqa: SLF001
        kafka_header=SimpleNamespace(KafkaHeader=_Header),
        **_varints,
    )


class Record(kafka_record.KafkaRecord):  # type: ignore[misc]
    """`KafkaRecord` with the faster varints; same attributes."""

    _read = _with_globals(kafka_record.KafkaRecord._read, KafkaRecord=SimpleNamespace(Body=_Body), **_varints)  # noqa: SLF001


def stream(data: bytes | memoryview) -> KaitaiStream:
    """Open a Kaitai stream over bytes in memory."""
    return KaitaiStream(BytesIO(data))


def parse_entry(data: bytes | memoryview) -> KafkaLogSegment.Entry:
    """Parse one whole entry (offset and size included) that starts at `data[0]`.

    Of a v2 batch only the header is parsed: its records are instances of the spec, read on demand.

    Raises:
        CorruptError: the bytes break a rule of `kafka_log_segment.ksy`; without file and position.
    """
    with generated_errors():
        return KafkaLogSegment.Entry(0, stream(data))


@contextmanager
def generated_errors() -> Iterator[None]:
    """Turn what generated parsers raise on bad bytes into kafkafmt's errors.

    Raises:
        TruncatedError: the bytes end before what they announce.
        CorruptError: a value that the spec rules out, or a negative length.
    """
    try:
        yield
    except EndOfStreamError as error:
        raise TruncatedError(
            "the bytes end before what they announce",
            expected=f"{error.bytes_needed} bytes",
            found=f"{error.bytes_available} bytes",
        ) from error
    except ValidationFailedError as error:
        raise validation_error(error) from error
    except (KaitaiStructError, ValueError) as error:
        raise CorruptError(str(error)) from error


def validation_error(error: ValidationFailedError) -> KafkafmtError:
    """Say what the spec expects and what is found, in one `CorruptError`."""
    actual = getattr(error, "actual", None)
    expected: object = getattr(error, "expected", None)
    if hasattr(error, "min"):
        expected = f"at least {error.min}"
    elif hasattr(error, "max"):
        expected = f"at most {error.max}"
    found = getattr(actual, "value", actual)
    if isinstance(found, bytes):
        found = f"{len(found)} bytes"
    return CorruptError(f"a value that the format rules out at {error.src_path}", expected=expected, found=found)
