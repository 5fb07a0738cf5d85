"""How keys or values are decoded: what every format gives, and the formats without schemas."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.errors import DataError
from kafkafmt.topics.internal_log import MOST_BYTES, MOST_ROWS, slices
from kafkafmt.values.primitives import PRIMITIVES

Headers = Iterable[tuple[str, bytes | None]]


class Decoded(NamedTuple):
    """A decoded key or value.

    Attributes:
        value: what `pyarrow.array` takes for the format's Arrow type.
        schema_id: id of the writer's schema, or None.
        bytes_left: number of bytes after the value.
    """

    value: object
    schema_id: int | None = None
    bytes_left: int = 0


class DecodedColumn(NamedTuple):
    """Decoded keys or values of many records.

    Attributes:
        values: of the format's Arrow type; null where nothing is stored, and where it cannot be decoded.
        schema_ids: ids of the writers' schemas, int32.
        errors: why a row cannot be decoded, by its number, in rising order.
        bytes_left: number of values with bytes after them.
    """

    values: pa.Array
    schema_ids: pa.Array
    errors: Mapping[int, DataError]
    bytes_left: int = 0


@dataclass
class Remark:
    """What is to be said of values that were decoded.

    Attributes:
        text: what they have, after "with".
        values: how many they are.
        names: the first fields of them.
    """

    text: str
    values: int
    names: dict[str, None] = field(default_factory=dict)

    def __str__(self) -> str:
        named = [repr(name) for name in self.names]
        return f"{self.text}{': ' if named else ''}{', '.join(named[:_NAMED])}{', ..' if len(named) > _NAMED else ''}"


_NAMED: Final = 5
_MOST_NAMES: Final = 100


class ValueFormat(ABC):
    """Decodes the keys or the values of a topic.

    Attributes:
        name: "avro", "json", "string", ..
        kind: Arrow type of what it decodes.
        reads_headers: whether it asks the headers of a record.
        most_rows: how many records `decode_all` takes at once.
        most_bytes: and how many bytes of them.
        as_text: fields whose columns are JSON text, as no one type fits; "" for the whole value.
        unread: why bytes that name a schema are not decoded, for a note; "" if they are.
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
        """Pickle as it was made: functions of schemas cannot be pickled."""
        return type(self), self._arguments

    @abstractmethod
    def decode(self, data: bytes, headers: Headers = ()) -> Decoded:
        """Decode a key or value that is not null.

        Args:
            data: the bytes as stored.
            headers: the headers of the record.

        Raises:
            DataError: the bytes are no value of the format, or cannot be resolved to its schema.
        """

    def decode_all(self, stored: pa.Array, headers: pa.Array) -> DecodedColumn:
        """Decode the keys or values of many records; a bad one costs no other one.

        Args:
            stored: binary, as stored.
            headers: the headers of the records, as the column `headers` has them; may be null if the format does not
                read them.
        """
        values: list[object] = []
        ids: list[int | None] = []
        errors: dict[int, DataError] = {}
        bytes_left = 0
        beside = pairs_of(headers) if self.reads_headers else repeat(())
        for row, (data, of_record) in enumerate(zip(stored.to_pylist(), beside, strict=False)):
            decoded, error = (_NOTHING, None) if data is None else self._attempt(data, of_record)
            if error is not None:
                errors[row] = error
            values.append(decoded.value)
            ids.append(decoded.schema_id)
            bytes_left += decoded.bytes_left > 0
        return DecodedColumn(pa.array(values, self.kind), pa.array(ids, pa.int32()), errors, bytes_left)

    def remark(self, remark: Remark) -> None:
        """Say something of decoded values, until `take_remarks`."""
        self._remarks = with_remark(self._remarks or {}, remark)

    def take_remarks(self) -> Iterable[Remark]:
        """What is to be said of the values that were decoded since the last call."""
        remarks, self._remarks = self._remarks or {}, None
        return remarks.values()

    def _attempt(self, data: bytes, headers: Headers) -> tuple[Decoded, DataError | None]:
        """Decode a value; of one that cannot be decoded what is known of it, and why."""
        try:
            return self.decode(data, headers), None
        except DataError as error:
            return _NOTHING, error


def with_remark(remarks: dict[str, Remark], remark: Remark) -> dict[str, Remark]:
    """Add a remark to others, by their texts."""
    known = remarks.setdefault(remark.text, Remark(remark.text, 0))
    known.values += remark.values
    for name in remark.names:
        if len(known.names) < _MOST_NAMES:
            known.names[name] = None
    return remarks


_NULL: Final = -1
Rows: TypeAlias = npt.NDArray[np.int64]


def rows_of_each(values: pa.Array) -> Iterator[tuple[Any, Rows]]:
    """Each different value of an array, and the rows that have it."""
    encoded = values.dictionary_encode()
    numbers = encoded.indices.fill_null(_NULL).to_numpy(zero_copy_only=False)
    order = np.argsort(numbers, kind="stable")
    ends = np.flatnonzero(np.diff(numbers[order], append=_NULL - 1)) + 1
    for begin, end in pairwise([0, *ends.tolist()]):
        rows = order[begin:end]
        number = int(numbers[rows[0]])
        yield None if number == _NULL else encoded.dictionary[number].as_py(), rows


def together(parts: Iterable[tuple[Rows, DecodedColumn]]) -> DecodedColumn:
    """One column of the parts that were decoded apart.

    Args:
        parts: the numbers of the rows, and their decoded column; all rows are in one of them.
    """
    rows, columns = zip(*parts, strict=True)
    if len(columns) == 1:
        return columns[0]  # type: ignore[no-any-return]
    every = np.concatenate(rows)
    order = np.empty(len(every), np.int64)
    order[every] = np.arange(len(every))
    errors = {
        int(of[row]): error for of, column in zip(rows, columns, strict=True) for row, error in column.errors.items()
    }
    return DecodedColumn(
        pa.concat_arrays([column.values for column in columns]).take(order),
        pa.concat_arrays([column.schema_ids for column in columns]).take(order),
        dict(sorted(errors.items())),
        sum(column.bytes_left for column in columns),
    )


def in_pieces(
    decode: Callable[[pa.Array, pa.Array], DecodedColumn],
    stored: pa.Array,
    headers: pa.Array,
    most_rows: int = MOST_ROWS,
    most_bytes: int = MOST_BYTES,
) -> DecodedColumn:
    """Decode values that are too many for one call.

    Args:
        decode: decodes some values.
        stored: binary, at least one.
        headers: the headers of the records.
        most_rows: values of a call, at most.
        most_bytes: bytes of these values, at most.
    """
    batch = pa.RecordBatch.from_arrays([stored, headers], ["value", "headers"])
    pieces = [decode(*each.columns) for each in slices(batch, most_rows, most_bytes)]
    if len(pieces) == 1:
        return pieces[0]
    ends = np.cumsum([len(each.values) for each in pieces]).tolist()
    errors = {
        begin + row: error
        for begin, each in zip([0, *ends], pieces, strict=False)
        for row, error in each.errors.items()
    }
    return DecodedColumn(
        pa.concat_arrays([each.values for each in pieces]),
        pa.concat_arrays([each.schema_ids for each in pieces]),
        errors,
        sum(each.bytes_left for each in pieces),
    )


def replaced(column: DecodedColumn, rows: Rows, others: DecodedColumn) -> DecodedColumn:
    """The column with some rows, which have no error, as another reader decoded them.

    Args:
        column: all rows.
        rows: the numbers of the others, in rising order.
        others: these alone.
    """
    values = column.values
    if others.values.null_count < len(rows) or values.is_valid().to_numpy(zero_copy_only=False)[rows].any():
        order = np.arange(len(values))
        order[rows] = np.arange(len(values), len(values) + len(rows))
        values = pa.concat_arrays([values, others.values]).take(order)
    is_other = np.zeros(len(values), np.bool_)
    is_other[rows] = True
    errors = {**column.errors, **{int(rows[row]): error for row, error in others.errors.items()}}
    return DecodedColumn(
        values,
        pc.replace_with_mask(column.schema_ids, is_other, others.schema_ids),
        dict(sorted(errors.items())),
        column.bytes_left + others.bytes_left,
    )


def pairs_of(headers: pa.Array) -> list[list[tuple[str, bytes | None]]]:
    """The headers of records, of the column `headers`, as pairs."""
    return [[(each["key"], each["value"]) for each in of_record or ()] for of_record in headers.to_pylist()]


_NOTHING: Final = Decoded(None)


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
        """Decode many values: nulls, bytes and text as they are, as long as all of it is UTF-8."""
        if self.name in _AS_STORED or stored.null_count == len(stored):
            with suppress(pa.ArrowInvalid):
                return DecodedColumn(stored.cast(self.kind), pa.nulls(len(stored), pa.int32()), {})
        return super().decode_all(stored, headers)
