"""Containers of decoded values: a single one, and columns that are joined, with a bound on their memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.errors import DataError
from kafkafmt.topics.record_rows import MOST_BYTES, MOST_ROWS, slices

Rows: TypeAlias = npt.NDArray[np.int64]
"""Numbers of rows."""

MOST_TOGETHER: Final = 1 << 26
"""Most bytes of the columns of several values; those that take more are decoded in smaller parts."""

MANY_BYTES: Final = 1 << 24
"""Most bytes of the values that a kernel decodes at once."""

_MANY_ROWS: Final = 1 << 16

FIELD_BYTES: Final = 64
"""Approximate memory of a field or item as a Python object, in bytes."""

LETTERS_A_FIELD: Final = 64
"""Letters of a name or a default that count as a field, as every value of a list repeats them."""

_Made = TypeVar("_Made")
_MOST_PENDING: Final = 1 << 24
_NULL: Final = -1


class TooManyTogetherError(Exception):
    """Raised when several values together take too much memory, and fewer must be decoded at once."""


def check_together(size: int, rows: int) -> None:
    """Check the memory of values before it is taken.

    Args:
        size: memory in bytes.
        rows: number of values.

    Raises:
        TooManyTogetherError: the memory is too much, and fewer values could be decoded at once.
    """
    if size > MOST_TOGETHER and rows > 1:
        raise TooManyTogetherError


def many_rows(row_bytes: int) -> int:
    """The number of values that a kernel decodes at once.

    Args:
        row_bytes: least memory of a value in bytes.
    """
    return max(1, min(_MANY_ROWS, MOST_TOGETHER // 2 // (row_bytes + 1)))


class Decoded(NamedTuple):
    """A decoded key or value.

    Attributes:
        value: an object that `pyarrow.array` accepts for the format's Arrow type.
        schema_id: id of the writer's schema, or None.
        bytes_left: number of bytes after the value.
        fields: approximate number of fields and items.
    """

    value: object
    schema_id: int | None = None
    bytes_left: int = 0
    fields: int = 1


class DecodedColumn(NamedTuple):
    """Decoded keys or values of many records.

    Attributes:
        values: values of the format's Arrow type; null for stored nulls, and for values that cannot be decoded.
        schema_ids: ids of the writers' schemas, int32.
        errors: the reason why a row cannot be decoded, by row number, in rising order.
        bytes_left: number of values with bytes after them.
    """

    values: pa.Array
    schema_ids: pa.Array
    errors: Mapping[int, DataError]
    bytes_left: int = 0


NOTHING: Final = Decoded(None)
"""The result for a null, and for values that cannot be decoded."""


class Gathered:
    """Gathers values that are decoded one by one.

    Args:
        kind: Arrow type of the values.
    """

    def __init__(self, kind: pa.DataType) -> None:
        self._kind, self._row_bytes = kind, _row_bytes(kind)
        self._made: list[pa.Array] = []
        self._values: list[object] = []
        self._ids: list[int | None] = []
        self._errors: dict[int, DataError] = {}
        self._bytes_left = self._size = self._pending = 0

    def add(self, decoded: Decoded, error: DataError | None = None) -> None:
        """Add a value.

        Args:
            decoded: the value; if it cannot be decoded, the facts known about it.
            error: the reason why it cannot be decoded.

        Raises:
            TooManyTogetherError: the values take too much memory.
        """
        if error is not None:
            self._errors[len(self._ids)] = error
        self._values.append(decoded.value)
        self._ids.append(decoded.schema_id)
        self._bytes_left += decoded.bytes_left > 0
        self._pending += FIELD_BYTES * decoded.fields + self._row_bytes
        if self._pending > _MOST_PENDING:
            self._make()

    def column(self) -> DecodedColumn:
        """The column of all values; raises as `add` does."""
        self._make()
        values = self._made[0] if len(self._made) == 1 else pa.concat_arrays(self._made)
        return DecodedColumn(values, pa.array(self._ids, pa.int32()), self._errors, self._bytes_left)

    def _make(self) -> None:
        """Convert the pending Python objects to an array."""
        made = pa.array(self._values, self._kind)
        self._values, self._pending = [], 0
        # pyarrow returns a chunked array if text is too long for one array.
        self._made += made.chunks if isinstance(made, pa.ChunkedArray) else [made]
        self._size += made.nbytes
        check_together(self._size, len(self._ids))


def _row_bytes(kind: pa.DataType) -> int:
    """Approximate bytes that a row takes, even if it is null."""
    if pa.types.is_struct(kind):
        return sum(_row_bytes(each.type) for each in kind)
    return kind.byte_width if pa.types.is_fixed_size_binary(kind) else 8


def rows_of_each(values: pa.Array) -> Iterator[tuple[Any, Rows]]:
    """Each distinct value of an array, with the rows that have it."""
    encoded = values.dictionary_encode()
    numbers = encoded.indices.fill_null(_NULL).to_numpy(zero_copy_only=False)
    order = np.argsort(numbers, kind="stable")
    ends = np.flatnonzero(np.diff(numbers[order], append=_NULL - 1)) + 1
    for begin, end in pairwise([0, *ends.tolist()]):
        rows = order[begin:end]
        number = int(numbers[rows[0]])
        yield None if number == _NULL else encoded.dictionary[number].as_py(), rows


def together(parts: Iterable[tuple[Rows, DecodedColumn]]) -> DecodedColumn:
    """Merge parts that were decoded separately into one column.

    Args:
        parts: row numbers and decoded column of each part; every row is in one part.
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
        stored: the values, of type binary; at least one.
        headers: headers of the records.
        most_rows: most values of a call.
        most_bytes: most bytes of these values.

    Raises:
        TooManyTogetherError: all values together take too much memory.
    """
    batch = pa.RecordBatch.from_arrays([stored, headers], ["value", "headers"])
    pieces: list[DecodedColumn] = []
    size = 0
    for each in slices(batch, most_rows, most_bytes):
        pieces.append(decode(*each.columns))
        size += pieces[-1].values.nbytes
        check_together(size, len(stored))
    return joined(pieces)


def in_bounds(decode: Callable[[pa.RecordBatch], _Made], batch: pa.RecordBatch) -> Iterator[_Made]:
    """Decode rows, in parts that do not take too much memory.

    Args:
        decode: decodes rows; raises `TooManyTogetherError` if there are too many.
        batch: the rows.
    """
    waiting = [batch]
    while waiting:
        part = waiting.pop()
        try:
            yield decode(part)
        except TooManyTogetherError:
            half = len(part) // 2
            waiting += [part.slice(half), part.slice(0, half)]


def joined(pieces: Sequence[DecodedColumn]) -> DecodedColumn:
    """Concatenate columns, at least one."""
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
    """Replace some rows of a column, which have no error, by the results of another reader.

    Args:
        column: all rows.
        rows: numbers of the rows to replace, in rising order.
        others: the results for these rows.
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
