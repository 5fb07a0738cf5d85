"""Columns that all records of a batch share: what its header says, and where it was read."""

import pyarrow as pa

from kafkafmt.columnar.constants import Constants, Counts
from kafkafmt.columnar.headers import Headers
from kafkafmt.columns import Origin, value_of_origin
from kafkafmt.record_columns import ALWAYS, COLUMNS

# Batches side by side are all of one format.
_FIELDS = sorted({column.field for column in COLUMNS.values() if column.field} - {"magic"})


class SharedColumns:
    """Makes those columns of a schema that are the same for all records of a batch; of one thread.

    Most record batches come from batches of one producer, and then all these columns are slices of those before.

    Args:
        schema: the columns, among others.
        constants: makes columns of one value.
    """

    __slots__ = ("_constants", "_fields", "_known", "_long", "_of_origin")

    def __init__(self, schema: pa.Schema, constants: Constants) -> None:
        known = [(COLUMNS[field.name], field) for field in schema]
        self._of_origin = [(field, column) for column, field in known if column.of_origin]
        # Kernels fill the others, and some of these again where a record has something to say.
        self._fields = [field for column, field in known if not column.of_origin and column.absent is not ALWAYS]
        self._constants = constants
        self.clear()

    def clear(self) -> None:
        """Forget the columns made before."""
        self._known: tuple[object, ...] | None = None
        self._long = pa.RecordBatch.from_arrays([], [])

    def columns(self, origin: Origin, headers: Headers, counts: Counts, rows: int) -> dict[str, pa.Array]:
        """Make the columns, and those of nulls or of -1 for when no record has a key, a header or a sequence number.

        Args:
            origin: where the batches were read.
            headers: their headers, one at least.
            counts: how many rows each has.
            rows: how many rows there are.
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
        for field, array in zip(self._fields, self._long.slice(0, rows).columns, strict=True):
            arrays[field.name] = array
        return arrays

    def _column(self, field: pa.Field, headers: Headers, counts: Counts, rows: int) -> pa.Array:
        column = COLUMNS[field.name]
        if column.field is None:
            return self._constants.column(field, column.absent, rows)
        values = headers[column.field]
        return self._constants.runs(field, column.of_field(values) if column.of_field else values, counts, rows)
