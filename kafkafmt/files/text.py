"""Helpers for a log directory's small text files: lines with positions, Java's numbers, UUIDs, JSON, checkpoints.

Each function takes bytes as they are in the file, and raises CorruptError with the position of an error.
"""

import base64
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, TypeVar

from kafkafmt.errors import CorruptError, DataError, TruncatedError, UnsupportedError

# Java's readLine knows only these three line ends; str.splitlines knows eight.
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
# The ASCII characters of \s in Java.
_WHITE_SPACE = re.compile(r"[ \t\n\x0b\f\r]+")
_UUID = re.compile(r"[A-Za-z0-9_-]{22}(?:==)?")


_T = TypeVar("_T")
_MOST_KEPT = 4096
_LONGEST_KEPT = 256


@lru_cache(_MOST_KEPT)
def _kept(read: Callable[[bytes, str | None], _T], data: bytes) -> _T:
    return read(data, None)


def read_once(read: Callable[[bytes, str | None], _T], data: bytes, file: str | None) -> _T:
    """Parse a small file, or return the earlier result for the same bytes, as many partitions have identical files.

    Args:
        read: a module's function that parses bytes, called with the name of the file for its errors.
        data: the whole file.
        file: its name, or None.

    Raises:
        DataError: as raised by `read`.
    """
    if len(data) <= _LONGEST_KEPT:
        with suppress(DataError):  # its error would not name the file
            found: _T = _kept(read, data)
            return found
    return read(data, file)


class IllegalArgumentError(CorruptError):
    """Kafka's IllegalArgumentException: Kafka's readers of files catch only malformed lines, so it ends the broker."""


class Line(NamedTuple):
    """A line of a text file.

    Attributes:
        number: number of the line, from 1.
        position: position of its first byte in the file.
        content: the line without its end.
    """

    number: int
    position: int
    content: bytes


def lines(data: bytes) -> Iterator[Line]:
    r"""Split as `java.io.BufferedReader.readLine` does: at ``\n``, ``\r`` or ``\r\n``; no line after the last end."""
    if b"\r" not in data:
        position = 0
        for number, content in enumerate(data.split(b"\n"), 1):
            if position < len(data):
                yield Line(number, position, content)
            position += len(content) + 1
        return
    for number, match in enumerate(_LINE.finditer(data), 1):
        if match.start() < len(data):
            yield Line(number, match.start(), match[1])


def decode(data: bytes, *, position: int = 0, file: str | None = None) -> str:
    """Decode UTF-8; `position` is the position of `data` in the file."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise CorruptError(
            "the text is not valid UTF-8",
            file=file,
            position=position + error.start,
            found=repr(data[error.start : error.end]),
        ) from error


def shown(text: str | bytes) -> str:
    """Quote a found text for an error, shortened if it is long."""
    quoted = repr(text[:80])
    return quoted if len(text) <= 80 else f"{quoted}..."


def integer(text: str, bits: int, what: str, *, position: int, file: str | None = None) -> int:
    """Parse a decimal number as Java's `Integer.parseInt` (32 bits) and `Long.parseLong` (64 bits) do; ASCII only."""
    value = int(text) if _INTEGER.fullmatch(text) else None
    if value is None or not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise CorruptError(
            f"{what} is not a {bits}-bit number",
            file=file,
            position=position,
            expected=f"an int{bits}",
            found=shown(text),
        )
    return value


def kafka_uuid(text: str, what: str, *, position: int, file: str | None = None) -> uuid.UUID:
    """Parse a UUID as `org.apache.kafka.common.Uuid` prints it: 16 bytes in URL-safe base64, padded or not."""
    if not _UUID.fullmatch(text):
        raise IllegalArgumentError(
            f"{what} is not a UUID in base64", file=file, position=position, expected="22 characters", found=shown(text)
        )
    return uuid.UUID(bytes=base64.urlsafe_b64decode(text[:22] + "=="))


def well_formed(text: str) -> str:
    r"""Join surrogate pairs that ``\u`` escapes spelt out; a lone surrogate becomes U+FFFD, as it cannot be encoded."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class CheckpointLine:
    """The fields of one line of a checkpoint, separated by white space."""

    def __init__(self, line: Line, count: int, file: str | None) -> None:
        content = decode(line.content, position=line.position, file=file)
        self._line = line
        self._file = file
        self.values = _WHITE_SPACE.split(content)
        # Java's split drops empty fields at the end, but keeps one at the start.
        while len(self.values) > 1 and not self.values[-1]:
            self.values.pop()
        if len(self.values) != count:
            raise CorruptError(
                f"line {line.number} of the checkpoint is malformed",
                file=file,
                position=line.position,
                expected=f"{count} fields",
                found=shown(content),
            )

    @property
    def position(self) -> int:
        """Position of the line in the file, in bytes."""
        return self._line.position

    def integer(self, index: int, bits: int) -> int:
        """A field as a number of `bits` bits."""
        return integer(
            self.values[index],
            bits,
            f"field {index + 1} of line {self._line.number}",
            position=self._line.position,
            file=self._file,
        )


def checkpoint(entries: Iterable[str]) -> bytes:
    """Make a checkpoint file of version 0: version, number of entries, an entry per line (Kafka's `CheckpointFile`)."""
    listed = list(entries)
    return "".join(f"{line}\n" for line in ("0", len(listed), *listed)).encode()


def checkpoint_lines(data: bytes, fields: int, *, file: str | None = None) -> Iterator[CheckpointLine]:
    """Yield the entry lines of a checkpoint (Kafka's CheckpointFile), each split into `fields` fields.

    The first line has the version, the second one the number of entries. A file of 0 bytes, and one that ends after its
    version, has no entries.

    Raises:
        UnsupportedError: the version is not 0.
        TruncatedError: there are fewer entries than declared.
        CorruptError: a line is malformed, or there are more entries than declared.
    """
    following = lines(data)
    version_line = next(following, None)
    if version_line is None:
        return
    version = CheckpointLine(version_line, 1, file).integer(0, 32)
    if version != 0:
        raise UnsupportedError(
            "unknown version of a checkpoint", file=file, position=version_line.position, expected=0, found=version
        )
    count_line = next(following, None)
    if count_line is None:
        return
    declared = CheckpointLine(count_line, 1, file).integer(0, 32)
    if declared < 0:
        raise IllegalArgumentError(
            "the checkpoint declares a negative number of entries",
            file=file,
            position=count_line.position,
            found=declared,
        )
    count = 0
    for line in following:
        if count == declared:
            raise CorruptError(
                "the checkpoint has more entries than it declares",
                file=file,
                position=line.position,
                expected=declared,
                found=shown(line.content),
            )
        yield CheckpointLine(line, fields, file)
        count += 1
    if count < declared:
        raise TruncatedError(
            "the checkpoint has fewer entries than it declares",
            file=file,
            position=len(data),
            expected=declared,
            found=count,
        )


def json_object(data: bytes, *, file: str | None = None) -> Mapping[str, object]:
    """Parse a file that holds one JSON object."""
    text = decode(data, file=file)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        position = len(text[: error.pos].encode())
        raise CorruptError(f"the file is not JSON: {error.msg}", file=file, position=position) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or brackets without end
        raise CorruptError("the JSON cannot be read", file=file, position=0) from error
    if not isinstance(value, dict):
        raise CorruptError("the file is not a JSON object", file=file, position=0, found=type(value).__name__)
    return value


def json_integer(value: object, bits: int, what: str, *, file: str | None = None) -> int:
    """A number in a JSON object, checked to have at most `bits` bits."""
    if type(value) is not int or not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise CorruptError(
            f"{what} is not a {bits}-bit number", file=file, expected=f"an int{bits}", found=_shown_value(value)
        )
    return value


def json_string(value: object, what: str, *, file: str | None = None) -> str:
    """A value in a JSON object, checked to be a string, and made well-formed."""
    if not isinstance(value, str):
        raise CorruptError(f"{what} is not a string", file=file, expected="a string", found=_shown_value(value))
    return well_formed(value)


def _shown_value(value: object) -> str:
    # Of arrays and objects only the type is shown: their text may be large, and nested too deeply for repr.
    return type(value).__name__ if isinstance(value, list | dict) else shown(repr(value))
