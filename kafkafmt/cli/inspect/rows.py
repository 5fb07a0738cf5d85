"""Rows of `kafkafmt inspect`: fields with position, length, bytes and value, and the specs' text on them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any

from kafkafmt_specs_with_positions.documentation import ENUMS, TYPES
from kaitaistruct import (
    BytesIO,
    InvalidArgumentError,
    KaitaiStream,
    KaitaiStruct,
    KaitaiStructError,
    ValidationFailedError,
)

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.reference.generated_errors import generated_errors
from kafkafmt.reference.streams import LARGE

TO_THE_END = "bytes to the end"
"""Type of a field that takes all remaining bytes, usually none."""

_SENTENCE_END = re.compile(r"(?<=\.)\s+(?=[A-Z0-9`(-])|\n\n")
_BITS = re.compile(r"b(\d+)")

Explain = Callable[[Any, str, Any], str]
"""Returns the note on a field from the structure, the field's name and its value; "" for none."""

NUMBERS = frozenset(
    {"kafka_varint", "kafka_varlong", "kafka_unsigned_varint", "kafka_array_length", "kafka_boolean"},
)
"""Types that readers see as numbers, although they are structures."""

# Errors that the generated code raises on bad bytes; a stream over records raises ValueError.
_OF_SPECS = (KaitaiStructError, ValueError)
_ZIGZAG = frozenset({"kafka_varint", "kafka_varlong"})


@dataclass(frozen=True, slots=True)
class FieldDocumentation:
    """What a spec says about a field.

    Attributes:
        type: type in the spec: "s4", "b3", "kafka_varint", "kafka_header[]", "bytes", "bytes to the end".
        meaning: first sentence of its doc, without the final full stop; "" if it has none.
        bits: number of bits of a field that does not consist of whole bytes, else None.
    """

    type: str
    meaning: str
    bits: int | None


def fields_of(parser: type) -> dict[str, FieldDocumentation]:
    """The documentation of a generated class's fields, by field name."""
    return _fields(parser.__qualname__)


@cache
def _fields(name: str) -> dict[str, FieldDocumentation]:
    return {
        field: FieldDocumentation(content["type"], first_sentence(content["doc"]), _bits(content["type"]))
        for field, content in TYPES[name]["fields"].items()
    }


def meaning_of_field(spec: str, field: str) -> str:
    """First sentence of a spec's text on a field, by the name of the generated class; "" if there is none."""
    fields = TYPES[spec]["fields"] if spec in TYPES else {}
    return first_sentence(fields[field]["doc"]) if field in fields else ""


def meaning_of_type(parser: type) -> str:
    """First sentence of a spec's text on a type."""
    return first_sentence(TYPES[parser.__qualname__]["doc"])


def meaning_of_value(value: IntEnum) -> str:
    """First sentence of a spec's text on a value of an enumeration."""
    documented: dict[str, Any] = ENUMS[type(value).__qualname__][str(value.value)]
    return first_sentence(documented["doc"])


def first_sentence(text: str) -> str:
    """The first sentence of a doc, without its full stop."""
    return _SENTENCE_END.split(text, maxsplit=1)[0].rstrip(".")


def _bits(name: str) -> int | None:
    match = _BITS.fullmatch(name)
    return int(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class Space:
    """A range of bytes with its own positions: those of an entry in a file, or its decompressed bytes.

    Attributes:
        data: the bytes.
        begin: position of the first byte.
        name: field whose bytes were decompressed, or None for a part of a file.
    """

    data: memoryview
    begin: int = 0
    name: str | None = None


@dataclass(slots=True)
class Row:
    """One field.

    Attributes:
        field: its path, with the names of the specs.
        type: type in the spec; "" for bytes that were not parsed.
        space: the bytes that contain it.
        begin: index of its first byte in the space's data.
        end: index after its last byte.
        value: decoded value: int, bool, bytes (a view if they are large), text, an enumeration's value, or None for a
            structure and for an unparsed field.
        note: a remark on the value.
        meaning: the spec's text on the field.
        bits: highest and lowest bit of a field that does not consist of whole bytes, counted in the bytes that hold it.
        is_group: whether its bytes are those of the next rows.
        error: why the bytes from here on, or after this field, were not parsed; or the fault of the field.
        is_decoded: whether it is decoded from the bytes of an earlier row, and has no bytes itself.
    """

    field: str
    type: str
    space: Space
    begin: int
    end: int
    value: int | bytes | memoryview | str | None = None
    note: str = ""
    meaning: str = ""
    bits: tuple[int, int] | None = None
    is_group: bool = False
    error: KafkafmtError | None = None
    is_decoded: bool = False

    @property
    def position(self) -> int:
        """Position of the first byte in the file, or in the decompressed bytes."""
        return self.space.begin + self.begin

    @property
    def data(self) -> memoryview:
        """The bytes themselves."""
        return self.space.data[self.begin : self.end]


class ViewIO:
    """A stream over bytes for Kaitai's runtime without large copies: a read of 1 MiB or more returns a view."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def read(self, count: int = -1) -> bytes | memoryview:
        """Read at most `count` bytes, or all remaining bytes."""
        data = self._data[self._at :] if count < 0 else self._data[self._at : self._at + count]
        self._at += len(data)
        return data if len(data) >= LARGE else bytes(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move to a position, counted from the start (0), from here (1) or from the end (2)."""
        self._at = offset + (0, self._at, len(self._data))[whence]
        return self._at

    def tell(self) -> int:
        """The position in the stream, in bytes."""
        return self._at

    def close(self) -> None:
        """Release the bytes."""
        self._data = memoryview(b"")


def stream_of(data: bytes | memoryview) -> BytesIO | ViewIO:
    """Open a stream over bytes."""
    return ViewIO(memoryview(data)) if len(data) >= LARGE else BytesIO(data)


def parse(parser: Callable[[KaitaiStream], Any], data: bytes | memoryview) -> tuple[Any, KafkafmtError | None]:
    """Run a generated parser; the objects that it made before a failure are kept.

    Returns:
        The structure, and the error that ended it early, or None.
    """
    parsed = parser(KaitaiStream(stream_of(data)))
    try:
        with generated_errors():
            parsed._read()
    except KafkafmtError as error:
        return parsed, _in_plain_words(error)
    return parsed, None


class Walk:
    """Makes rows of a parsed structure.

    Args:
        space: the bytes of the structure.
        explain: function that returns the note on a field.

    Attributes:
        rows: the rows so far.
    """

    def __init__(self, space: Space, explain: Explain) -> None:
        self.rows: list[Row] = []
        self.space = space
        self._explain = explain
        self._stop: Row | None = None

    def structure(
        self,
        parsed: Any,
        begin: int,
        end: int,
        path: str = "",
        error: KafkafmtError | None = None,
    ) -> None:
        """Add the fields of a structure, followed by its unparsed bytes.

        Args:
            parsed: the objects of a generated parser, which may be incomplete.
            begin: index in the space of the first byte of the parser's stream.
            end: index after the last byte of the stream.
            path: prefix of the names of its fields.
            error: why it was not parsed to its end. The error is attached to the field that could not be read, or to
                the last one that was, if that breaks a rule of its spec.
        """
        self._stop = None
        self._fields(parsed, begin, path)
        if error is None:
            return
        if self._stop is not None:
            self._stop.end = end
            self.rows.append(self._stop)
        self.rows[-1].error = error
        if self.end < end:
            self.unread(f"{path}(rest)", self.end, end)

    def group(self, path: str, type_name: str, parser: type, begin: int, end: int) -> Row:
        """Add the row of a structure whose fields follow."""
        row = Row(path, type_name, self.space, begin, end, is_group=True)
        row.meaning = meaning_of_type(parser)
        self.rows.append(row)
        return row

    def unread(self, path: str, begin: int, end: int, note: str = "not parsed") -> Row:
        """Add the row of bytes that were not parsed."""
        row = Row(path, "", self.space, begin, end, note=note)
        self.rows.append(row)
        return row

    @property
    def end(self) -> int:
        """Index after the last byte of a row that is not a group."""
        return next((row.end for row in reversed(self.rows) if not row.is_group), 0)

    def _fields(self, parsed: Any, begin: int, path: str) -> None:
        places = parsed._debug
        documented = fields_of(type(parsed))
        bits = _BitFields(sum(field.bits or 0 for field in documented.values()))
        for name in parsed.SEQ_FIELDS:
            if name not in places:
                continue
            place, field, value = places[name], documented[name], getattr(parsed, name, None)
            start = begin + place["start"]
            if "arr" in place:
                element = field.type.removesuffix("[]")
                for index, (where, item) in enumerate(zip(place["arr"], value or (), strict=False)):
                    self._one(parsed, name, item, f"{path}{name}[{index}]", element, begin, where)
            elif field.bits is not None and "end" in place:
                row = bits.place(field.bits, Row(path + name, field.type, self.space, start, start, value))
                row.meaning = field.meaning
                self._add(row, parsed, name)
            else:
                self._one(parsed, name, value, path + name, field.type, begin, place)

    def _one(self, owner: Any, name: str, value: Any, path: str, type_name: str, begin: int, place: Any) -> None:
        start, end = begin + place["start"], begin + place.get("end", place["start"])
        field = fields_of(type(owner))[name]
        row = Row(path, type_name, self.space, start, end, meaning=field.meaning)
        if isinstance(value, KaitaiStruct) and type_name not in NUMBERS:
            row.is_group = True
            row.type = _type_of(value, type_name)
            if path.endswith("]"):
                row.meaning = meaning_of_type(type(value))
            row.note = self._explain(owner, name, value)
            self.rows.append(row)
            own_stream = value._io is not owner._io
            self._fields(value, start if own_stream else begin, path + ".")
            if "end" not in place:
                row.end = start + value._io.size() if own_stream else max(start, self.end)
        elif "end" not in place:
            row.note = "not parsed"
            self._stop = row
        elif end > start or type_name != TO_THE_END:
            row.value = value.value if isinstance(value, KaitaiStruct) else value
            self._add(row, owner, name)

    def _add(self, row: Row, owner: Any, name: str) -> None:
        row.note = self._explain(owner, name, row.value)
        if not row.note and isinstance(row.value, IntEnum):
            row.note = meaning_of_value(row.value)
        if row.type in _ZIGZAG:
            row.note = f"{row.note}; zigzag {_number_in_groups(row.data)}".removeprefix("; ")
        self.rows.append(row)


class _BitFields:
    """Counts the bits of a structure that consists of bit fields."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._begin: int | None = None

    def place(self, width: int, row: Row) -> Row:
        """Assign the next `width` bits to a row."""
        if self._begin is None:
            self._begin = row.begin
        highest = self._total - 1 - self._done
        row.begin = self._begin + self._done // 8
        self._done += width
        row.end = self._begin + -(-self._done // 8)
        row.bits = (highest, highest - width + 1)
        return row


def _number_in_groups(data: memoryview) -> int:
    """The number in the lower 7 bits of each byte, before zigzag decoding."""
    return sum((byte & 0x7F) << 7 * index for index, byte in enumerate(data))


def _type_of(value: Any, declared: str) -> str:
    """Name of a structure's spec if several are possible, else the declared type."""
    return str(type(value).__module__.rpartition(".")[2]) if " or " in declared else declared


def more_telling(reference: KafkafmtError | None, positioned: KafkafmtError | None) -> KafkafmtError | None:
    """Choose between the errors of the reference engine and of a parser with positions for the same bytes.

    Both run the same specs, and for errors of these the parser's words are plainer; but the engine knows more rules.
    """
    if reference is None or positioned is None:
        return reference or positioned
    by_the_spec = isinstance(reference, CorruptError) and isinstance(reference.__cause__, _OF_SPECS)
    return positioned if by_the_spec else reference


def _in_plain_words(error: KafkafmtError) -> KafkafmtError:
    cause = error.__cause__
    if isinstance(cause, ValidationFailedError):
        error.message = "the format rules this value out"
    elif isinstance(cause, InvalidArgumentError):
        error.message = "a size below 0"
    return error
