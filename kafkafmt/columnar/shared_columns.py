"""Columns whose values all records of a batch share: header fields, and the position in the file."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.arrays import array
from kafkafmt.codec.compression import LABELS
from kafkafmt.columnar.headers import Headers
from kafkafmt.columns import value_of_origin
from kafkafmt.record_columns import ALWAYS, COLUMNS, Origin

Counts = npt.NDArray[np.int64]


class Constants:
    """Arrow arrays of one value each, made once and sliced for every record batch; for one thread."""

    __slots__ = ("_longest",)

    def __init__(self) -> None:
        self._longest: dict[str, tuple[Any, pa.Array]] = {}

    @property
    def kept(self) -> int:
        """Number of bytes of memory that the arrays take."""
        return sum(array.nbytes for _, array in self._longest.values())

    def clear(self) -> None:
        """Drop all arrays."""
        self._longest.clear()

    def column(self, field: pa.Field, value: object, rows: int) -> pa.Array:
        """Return an array with `rows` times the value; the last value of each column is cached."""
        known = self._longest.get(field.name)
        if known is None or known[0] != value or len(known[1]) < rows:
            known = value, pa.repeat(array([value], field.type)[0], rows + rows // 4)
            self._longest[field.name] = known
        return known[1].slice(0, rows)

    def runs(self, field: pa.Field, values: npt.NDArray[Any], counts: Counts, rows: int) -> pa.Array:
        """Return an array with each value repeated by its count.

        Args:
            field: the column; `values` of "compression" are ids.
            values: value of each run, at least one; only one if all runs have the same.
            counts: number of rows of each run.
            rows: sum of the counts.
        """
        if len(values) == 1 or (values == values[0]).all():
            value = values[0].item()
            return self.column(field, LABELS[value] if pa.types.is_string(field.type) else value, rows)
        repeated = np.repeat(values, counts)
        if pa.types.is_string(field.type):
            labels = array([LABELS[index] for index in range(len(LABELS))], field.type)
            return labels.take(_numbers(repeated))
        return _numbers(repeated).cast(field.type)


def _numbers(values: npt.NDArray[Any]) -> pa.Array:
    """Convert numbers to an Arrow array; `pyarrow.array` would import pandas first."""
    stored = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(stored)])


# Without `magic`, which never differs here, as adjacent batches are all of format 2.
_FIELDS = sorted({column.field for column in COLUMNS.values() if column.field} - {"magic"})


class SharedColumns:
    """Makes the columns of a schema whose values all records of a batch share; for one thread.

    Most record batches come from batches of one producer, so that all these columns are slices of earlier ones.

    Args:
        schema: the columns, among others.
        constants: makes constant columns.
    """

    __slots__ = ("_constants", "_fields", "_known", "_long", "_of_origin")

    def __init__(self, schema: pa.Schema, constants: Constants) -> None:
        known = [(COLUMNS[field.name], field) for field in schema]
        self._of_origin = [(field, column) for column, field in known if column.of_origin]
        # Kernels fill the others, and some of these again if a record has a value of its own.
        self._fields = [
            field for column, field in known if column.field or not (column.of_origin or column.absent is ALWAYS)
        ]
        self._constants = constants
        self.clear()

    def clear(self) -> None:
        """Forget earlier columns."""
        self._known: tuple[object, ...] | None = None
        self._long = pa.RecordBatch.from_arrays([], [])

    def columns(self, origin: Origin, headers: Headers, counts: Counts, rows: int) -> dict[str, pa.Array]:
        """Make the columns, and those of nulls or -1 for when no record has a key, a header or a sequence number.

        Args:
            origin: where the batches were read.
            headers: headers of the batches, at least one.
            counts: number of rows of each batch.
            rows: total number of rows.
        """
        arrays = {
            field.name: self._constants.column(field, value_of_origin(column, origin), rows)
            for field, column in self._of_origin
        }
        known: tuple[object, ...] = tuple(headers[name][0] for name in _FIELDS)
        if not all((headers[name] == value).all() for name, value in zip(_FIELDS, known, strict=True)):
            return arrays | {field.name: self._column(field, headers, counts, rows) for field in self._fields}
        if known != self._known or rows > self._long.num_rows:
            self._known = None
            longest = [self._column(field, headers[:1], counts[:1], rows) for field in self._fields]
            self._long = pa.RecordBatch.from_arrays(longest, schema=pa.schema(self._fields))
            self._known = known
        for field, longer in zip(self._fields, self._long.slice(0, rows).columns, strict=True):
            arrays[field.name] = longer
        return arrays

    def _column(self, field: pa.Field, headers: Headers, counts: Counts, rows: int) -> pa.Array:
        column = COLUMNS[field.name]
        if column.field is None:
            return self._constants.column(field, column.absent, rows)
        values = headers[column.field]
        return self._constants.runs(field, column.of_field(values) if column.of_field else values, counts, rows)
