"""Records as Arrow columns: the schema of `record_columns`, and arrays of the reference engine's records."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from kafkafmt.arrays import array, arrow_type, as_text
from kafkafmt.codec.java_text import decode_utf8
from kafkafmt.libraries import pa
from kafkafmt.record_columns import COLUMNS, Origin, RecordColumn
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.record import Record, stored_name

# Memory of a header besides the bytes of its name and value, which may be empty.
_HEADER_OVERHEAD = 64


def _headers_of(name: "pa.DataType") -> "pa.DataType":
    header = pa.struct([pa.field("key", name, nullable=False), pa.field("value", pa.binary())])
    return pa.list_(pa.field("element", header, nullable=False))


if TYPE_CHECKING:
    STORED_HEADERS: pa.Field
    """The column `headers` with names as stored bytes, which need not be UTF-8."""

    SCHEMA: pa.Schema
    """All columns in order; `timestamp` and all other times are ms since the epoch, unchanged (-1 stays -1)."""


def __getattr__(name: str) -> object:
    made = {"SCHEMA": _whole, "STORED_HEADERS": _stored_headers}.get(name)
    if made is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return made()


@cache
def _stored_headers() -> "pa.Field":
    return pa.field("headers", _headers_of(pa.binary()))


@cache
def _whole() -> "pa.Schema":
    names = pa.string()
    return pa.schema(
        [
            pa.field(
                column.name,
                _headers_of(names) if column.type == "headers" else arrow_type(column.type),
                nullable=column.nullable,
            )
            for column in COLUMNS.values()
        ]
    )


def select(columns: Sequence[str] | None, whole: "pa.Schema | None" = None) -> "pa.Schema":
    """The schema of the chosen columns, in the given order; all columns if None.

    Args:
        columns: names of the columns.
        whole: the schema to choose from; None for that of records.

    Raises:
        ValueError: an unknown or repeated name, or no names.
        TypeError: `columns` is a str.
    """
    whole = _whole() if whole is None else whole
    if columns is None:
        return whole
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names, not the str {columns!r}")
    names = list(columns)
    unknown = [name for name in names if name not in whole.names]
    if unknown:
        raise ValueError(f"unknown columns {unknown}; known are {whole.names}")
    if not names or len(set(names)) != len(names):
        raise ValueError(f"columns must be one or more different names, not {names}")
    return pa.schema([whole.field(name) for name in names])


def with_stored_names(schema: "pa.Schema") -> "pa.Schema":
    """The same columns, with `STORED_HEADERS` for headers."""
    stored = _stored_headers()
    return pa.schema([stored if each.name == stored.name else each for each in schema])


def with_text_names(headers: "pa.Array") -> "pa.Array":
    """Headers in the form of `SCHEMA`, from `STORED_HEADERS`: names that are not UTF-8 are decoded as Java does."""
    if headers.type != _stored_headers().type:
        return headers
    stored, values = headers.values.flatten()
    try:
        names = stored.cast(pa.string())
    except pa.ArrowInvalid:
        names = array([decode_utf8(name) for name in stored.to_pylist()], pa.string())
    kind = _whole().field("headers").type
    pairs = pa.StructArray.from_arrays([names, values], fields=list(kind.value_type))
    return pa.Array.from_buffers(
        kind, len(headers), headers.buffers()[:2], headers.null_count, headers.offset, children=[pairs]
    )


@dataclass
class RowBuffer:
    """Records collected for one Arrow record batch.

    Attributes:
        schema: the columns to build; no others are computed.
        rows: number of records held.
        payload_bytes: bytes of keys, values and headers held.
    """

    schema: "pa.Schema"
    rows: int = 0
    payload_bytes: int = 0
    _records: list[Record] = field(default_factory=list)
    _waiting: list[Record] = field(default_factory=list)
    _runs: list[tuple[Origin, BatchHeader, int]] = field(default_factory=list)

    def take(self, origin: Origin, records: Iterator[Record], most_rows: int, most_bytes: int) -> bool:
        """Take records of one batch, until they end or the buffer is full.

        A `memoryview` that fills a buffer on its own gets an empty one: Arrow can then use the bytes in place.

        Returns:
            Whether the buffer is full; then `records` may have more.
        """
        before = len(self._records)
        waiting, self._waiting = self._waiting, []
        for record in chain(waiting, records):
            if self._records and isinstance(record.value, memoryview) and len(record.value) >= most_bytes:
                self._waiting.append(record)
                break
            self._records.append(record)
            self.payload_bytes += len(record.key or b"") + len(record.value or b"")
            for key, value in record.headers:
                self.payload_bytes += len(key) + len(value or b"") + _HEADER_OVERHEAD
            if len(self._records) >= most_rows or self.payload_bytes >= most_bytes:
                break
        self.rows = len(self._records)
        if self.rows > before:
            self._runs.append((origin, self._records[-1].batch, self.rows - before))
        return bool(self._waiting) or self.rows >= most_rows or self.payload_bytes >= most_bytes

    def flush(self) -> "pa.RecordBatch":
        """Build the record batch of all records held, and drop them."""
        arrays = [self._array(each) for each in self.schema]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self.schema)
        self._records.clear()
        self._runs.clear()
        self.rows = self.payload_bytes = 0
        return batch

    def _array(self, column: "pa.Field") -> "pa.Array":
        values = self._column(column.name)
        if column.type == _stored_headers().type:
            values = [each and [(stored_name(name), value) for name, value in each] for each in values]
        if len(values) == 1 and isinstance(values[0], memoryview):
            (view,) = values
            # Otherwise a small view would keep all the bytes around it in memory.
            if 2 * len(view) >= memoryview(view.obj).nbytes:
                offsets = pa.py_buffer(struct.pack("=ii", 0, len(view)))
                return pa.Array.from_buffers(column.type, 1, [None, offsets, pa.py_buffer(view)])
        return array(values, column.type)

    def _column(self, name: str) -> list[Any]:
        column = COLUMNS[name]
        if column.of_record is not None:
            return [column.of_record(record) for record in self._records]
        values: list[Any] = []
        for origin, batch, count in self._runs:
            value = column.of_batch(batch) if column.of_batch is not None else value_of_origin(column, origin)
            values.extend([value] * count)
        return values


def value_of_origin(column: RecordColumn, origin: Origin) -> str | int | None:
    """A value of an `of_origin` column, as Arrow can hold it."""
    value = column.of_origin(origin) if column.of_origin is not None else None
    return as_text(value) if isinstance(value, str) else value
