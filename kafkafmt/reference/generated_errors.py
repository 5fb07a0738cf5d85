"""Converts errors of generated parsers to kafkafmt's errors, naming the broken field of the spec."""

import re
from types import TracebackType

from kaitaistruct import EndOfStreamError, KaitaiStructError, ValidationFailedError

from kafkafmt.errors import CorruptError, KafkafmtError, TruncatedError
from kafkafmt.phrases import sized
from kafkafmt.reference.spec_fields import last_field

_NEGATIVE = re.compile(r"requested invalid (-\d+)")


class generated_errors:  # noqa: N801 (used like a function; a generator would take longer than parsing a header)
    """Turn errors of generated parsers on bad bytes into kafkafmt's.

    Raises:
        TruncatedError: the data ends before its declared size.
        CorruptError: a value violates the spec, or a length is negative.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Raise kafkafmt's error in place of a parser's error."""
        if error is None:
            return
        if isinstance(error, EndOfStreamError):
            raise TruncatedError(
                "the data ends before its declared size",
                expected=sized(error.bytes_needed),
                found=sized(error.bytes_available),
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
    """Make a `CorruptError` with the expected and the found value."""
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
