"""ValueFormat: the interface of all formats of keys and values, and the formats without schemas."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import repeat
from typing import Final, NamedTuple

import pyarrow as pa

from kafkafmt.errors import DataError
from kafkafmt.topics.record_rows import MOST_BYTES, MOST_ROWS, slices
from kafkafmt.values.decoded import NOTHING, Decoded, DecodedColumn, Gathered, in_bounds, joined
from kafkafmt.values.primitives import PRIMITIVES

Headers = Iterable[tuple[str, bytes | None]]


SHOWN_AS_WRITTEN: Final = " ({written} shows them)"
"""Suffix of a remark's text about data that is lost when values are resolved."""


@dataclass
class Remark:
    """A remark about decoded values.

    Attributes:
        text: what the values have, to follow "with"; may end in `SHOWN_AS_WRITTEN`.
        values: number of values.
        names: the first of their fields.
    """

    text: str
    values: int
    names: dict[str, None] = field(default_factory=dict)

    def said(self, written: str | None) -> str:
        """The text with the first names.

        Args:
            written: the argument that shows values as they are written; None if there is none.
        """
        advice = SHOWN_AS_WRITTEN.format(written=written) if written else ""
        named = [repr(name) for name in self.names]
        others = ", .." if len(named) > _NAMED else ""
        text = self.text.replace(SHOWN_AS_WRITTEN, advice)
        return f"{text}{': ' if named else ''}{', '.join(named[:_NAMED])}{others}"


_NAMED: Final = 5
_MOST_NAMES: Final = 100


class ReadColumn(NamedTuple):
    """The result of reading many values.

    Attributes:
        column: the column of values.
        remarks: remarks about decoded values.
    """

    column: DecodedColumn
    remarks: list[Remark]

    @property
    def values(self) -> pa.Array:
        """The Arrow array of the values."""
        return self.column.values

    @property
    def errors(self) -> Mapping[int, DataError]:
        """The reasons why rows cannot be decoded, by row number."""
        return self.column.errors


class ValueFormat(ABC):
    """Decodes the keys or the values of a topic.

    Attributes:
        name: "avro", "json", "string", ..
        kind: Arrow type of the decoded values.
        reads_headers: whether the headers of records are needed.
        most_rows: most records that `decode_all` takes at once.
        most_bytes: most bytes of these records' values.
        as_text: fields whose columns are JSON text, as no single type fits; "" for the whole value.
        unread: the reason why bytes that name a schema are not decoded, for a note; "" if they are.
    """

    name: str
    kind: pa.DataType
    reads_headers: bool = False
    most_rows: int = MOST_ROWS
    most_bytes: int = MOST_BYTES
    as_text: tuple[str, ...] = ()
    unread: str = ""
    _arguments: tuple[object, ...] = ()
    _remarks: dict[str, Remark] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by the arguments, as functions of schemas cannot be pickled."""
        return type(self), self._arguments

    @abstractmethod
    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:
        """Decode a key or value that is not null.

        Args:
            data: the bytes as stored.
            headers: the headers of the record.

        Raises:
            DataError: the bytes are not a value of the format, or cannot be resolved to its schema.
        """

    def decode_all(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode the keys or values of many records; a bad value does not affect the others.

        Args:
            stored: the keys or values as stored, of type binary.
            headers: the headers of the records, as in the column `headers`; may be null if the format does not read
                them.

        Raises:
            TooManyTogetherError: they take too much memory together; `decode_column` decodes them in parts.
        """
        gathered = Gathered(self.kind)
        beside = pairs_of(headers) if self.reads_headers else repeat(())
        for data, of_record in zip(stored.to_pylist(), beside, strict=False):
            gathered.add(*((NOTHING, None) if data is None else self._attempt(data, of_record)))
        return gathered.column()

    def decode_column(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode any number of values into one column; arguments as for `decode_all`."""
        batch = pa.RecordBatch.from_arrays([stored, headers], ["value", "headers"])
        pieces = [
            each
            for some in slices(batch, self.most_rows, self.most_bytes)
            for each in in_bounds(lambda part: self.decode_all(*part.columns), some)
        ]
        return joined(pieces) if pieces else self.decode_all(stored, headers)

    def remark(self, remark: Remark) -> None:
        """Add a remark about decoded values; `take_remarks` returns it."""
        self._remarks = with_remark(self._remarks or {}, remark)

    def take_remarks(self) -> Iterable[Remark]:
        """The remarks about values decoded since the last call."""
        remarks, self._remarks = self._remarks or {}, None
        return remarks.values()

    def _attempt(self, data: bytes, headers: Headers) -> tuple[Decoded, DataError | None]:
        """Decode a value; returns the result, or known facts about a value that cannot be decoded, with the error."""
        try:
            return self.decode(data, headers), None
        except DataError as error:
            return NOTHING, error


def with_remark(remarks: dict[str, Remark], remark: Remark) -> dict[str, Remark]:
    """Add a remark to others, by their texts."""
    known = remarks.setdefault(remark.text, Remark(remark.text, 0))
    known.values += remark.values
    for name in remark.names:
        if len(known.names) < _MOST_NAMES:
            known.names[name] = None
    return remarks


def pairs_of(headers: pa.Array) -> list[list[tuple[str, bytes | None]]]:
    """The headers of records in the column `headers`, as pairs."""
    return [[(each["key"], each["value"]) for each in of_record or ()] for of_record in headers.to_pylist()]


_AS_STORED: Final = ("bytes", "string")


class Primitive(ValueFormat):
    """A format without schemas: one of `PRIMITIVES`."""

    def __init__(self, name: str) -> None:
        self._arguments = (name,)
        self.name = name
        self.kind, self._decode = PRIMITIVES[name]

    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:  # noqa: ARG002 - headers say nothing here
        """Decode a value, as described by `ValueFormat`."""
        return Decoded(self._decode(data))

    def decode_all(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode many values: nulls, bytes and text are cast at once if all text is UTF-8."""
        if self.name in _AS_STORED or stored.null_count == len(stored):
            with suppress(pa.ArrowInvalid):
                return DecodedColumn(stored.cast(self.kind), pa.nulls(len(stored), pa.int32()), {})
        return super().decode_all(stored, headers)
