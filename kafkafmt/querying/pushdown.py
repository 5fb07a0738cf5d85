"""The parts of a query that are passed to the scan: columns, filters, and bytes that records must contain.

DuckDB reads any `pyarrow.dataset.Dataset` by calling `scanner(columns=.., filter=..)` of its class, as it does with
Lance's. DuckDB does not check a filter that it passes on, so it is applied here in full.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.dataset as pads

from kafkafmt.columnar.row_filter import Needles
from kafkafmt.querying import text
from kafkafmt.scanning.row_expression import RowExpression

if TYPE_CHECKING:
    from pyarrow.compute import Expression

Read = Callable[[Sequence[str], "Expression | None"], Iterator[pa.RecordBatch]]
"""Reads a relation: given names of columns and a filter, makes batches of these columns and the matching rows."""

ROWS = "_"
"""Name of the first column, which has no values: DuckDB asks for the first column when it only counts rows."""

_ROWS_FIELD = pa.field(ROWS, pa.null())
OF_BYTES = ("key", "value")
"""Columns of records in which a scan can search for bytes."""


class LazyDataset(pads.Dataset):  # type: ignore[misc]
    """A relation that is read when a query needs it, limited to the columns and rows that the query needs.

    Args:
        schema: columns of the relation.
        read: reads the relation.
    """

    def __init__(self, schema: pa.Schema, read: Read) -> None:
        # Dataset's own __init__ refuses to be called; C++ code does not read this object.
        self._schema = pa.schema([_ROWS_FIELD, *map(_without_zone, schema)])
        self._read = read

    @staticmethod
    def zoned(expression: "Expression") -> "Expression":
        """A filter of DuckDB's, converted for the columns that are read."""
        return with_zone(expression)

    @property
    def schema(self) -> pa.Schema:
        """Columns as DuckDB gets them: with the one without values, and times without a zone (TIMESTAMP_MS)."""
        return self._schema

    def scanner(
        self,
        columns: Sequence[str] | None = None,
        filter: "Expression | None" = None,  # noqa: A002 - as DuckDB calls it
        **_: object,
    ) -> "_Scanner":
        """Begin to read.

        Args:
            columns: names of the wanted columns; None for all.
            filter: condition on the rows; None for all.
        """
        names = self._schema.names if columns is None else list(columns)
        schema = pa.schema([self._schema.field(name) for name in names])
        wanted = None if filter is None else self.zoned(filter)
        batches = (
            pa.RecordBatch.from_arrays(_arrays(batch, schema), schema=schema) for batch in self._read(names, wanted)
        )
        # The first batch is read here: an error of a reader would come with Arrow's traceback in DuckDB's message.
        first = [*islice(batches, 1)]
        return _Scanner(pa.RecordBatchReader.from_batches(schema, chain(first, batches)))


class _Scanner:
    """The subset of `pyarrow.dataset.Scanner` that DuckDB uses."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self._reader = reader

    def to_reader(self) -> pa.RecordBatchReader:
        """The rows."""
        return self._reader


def _without_zone(field: pa.Field) -> pa.Field:
    # DuckDB has times with a zone only in µs, where some ms timestamps of records would overflow.
    return field.with_type(pa.timestamp(field.type.unit)) if pa.types.is_timestamp(field.type) else field


def _arrays(batch: pa.RecordBatch, schema: pa.Schema) -> list[pa.Array]:
    return [
        pa.nulls(batch.num_rows)
        if field.name == ROWS
        else batch.column(field.name).view(field.type)
        if pa.types.is_timestamp(field.type)
        else batch.column(field.name)
        for field in schema
    ]


def with_zone(expression: "Expression") -> "Expression":
    """The same expression with UTC as the zone of its times, as in kafkafmt's columns.

    An expression cannot be taken apart in Python, but it can be pickled: then its literals are columns of a record
    batch.
    """
    rebuild, (pickled,) = expression.__reduce__()
    literals = pa.ipc.open_file(pickled).get_batch(0)
    for number, field in enumerate(literals.schema):
        kind = _zoned(field.type)
        if kind != field.type:
            literals = literals.set_column(number, field.with_type(kind), literals.column(number).cast(kind))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, literals.schema) as writer:
        writer.write_batch(literals)
    return rebuild(sink.getvalue())


def held(expression: "Expression") -> Needles | None:
    """Bytes contained in every record for which an expression is true, from conditions on text; None if unknown."""
    _, (pickled,) = expression.__reduce__()
    literals = pa.ipc.open_file(pickled).get_batch(0)
    constants = [literal[0].as_py() for literal in literals if pa.types.is_binary(literal.type)]
    rows = RowExpression(expression)
    return text.sought(each for each in constants if any(rows.rules_out({name: each}) for name in OF_BYTES))


def _zoned(kind: pa.DataType) -> pa.DataType:
    """A type with UTC as the zone of its times, also for lists of times (`in`) and inside a struct of options."""
    if pa.types.is_timestamp(kind) and kind.tz is None:
        return pa.timestamp(kind.unit, "UTC")
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_zoned(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_zoned(field.type)) for field in kind])
    return kind
