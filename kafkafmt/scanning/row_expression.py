"""RowExpression: a filter of records that the caller writes as an expression of pyarrow over the columns."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from kafkafmt.columns import SCHEMA
from kafkafmt.scanning.gather import Part, record_batches

if TYPE_CHECKING:
    from pyarrow.compute import Expression


@dataclass(frozen=True, eq=False)
class RowExpression:
    """Keeps the records for which an expression is true; false and null drop them, as in `pyarrow.dataset`.

    Attributes:
        expression: of type bool, over the columns of a scan.
    """

    expression: "Expression"

    def __and__(self, other: "RowExpression") -> "RowExpression":
        return RowExpression(self.expression & other.expression)

    def keep(self, parts: Iterable[Part], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The records kept.

        Args:
            parts: records with the columns of `reads(schema)`.
            schema: columns to give.

        Raises:
            KafkafmtError: as reading the parts does; what came before is given first.
            pyarrow.ArrowException: the expression fails on a record, such as a cast of text that is no number.
        """
        for batch in record_batches(parts, self.reads(schema)):
            for kept in _filtered(batch, self.expression):
                yield kept.select(schema.names)

    def reads(self, schema: pa.Schema) -> pa.Schema:
        """Columns to decode: those to give, and those that the expression is about."""
        more = [SCHEMA.field(name) for name in self._names if name not in schema.names]
        return schema if not more else SCHEMA if len(self._names) == len(SCHEMA) else pa.schema([*schema, *more])

    @cached_property
    def _names(self) -> list[str]:
        """Columns that the expression is about, perhaps more: pyarrow tells them in its text alone."""
        text = str(self.expression)
        names = [name for name in SCHEMA.names if name in text]
        try:
            _filtered(
                pa.RecordBatch.from_pylist([], pa.schema([SCHEMA.field(name) for name in names])), self.expression
            )
        except pa.ArrowException:  # columns by their numbers, as in `pyarrow.compute.field(4)`
            return [*SCHEMA.names]
        return names


def row_expression(expression: "Expression") -> RowExpression:
    """Check an expression.

    Raises:
        TypeError: none of pyarrow's expressions, or one that is not of type bool.
        ValueError: it names an unknown column, or compares types that cannot be compared.
    """
    from pyarrow.compute import Expression  # noqa: PLC0415 - most scans need no more of Arrow than its arrays

    if not isinstance(expression, Expression):
        raise TypeError(f"a filter must be an expression of pyarrow.compute over columns, not {expression!r}")
    try:
        _filtered(pa.RecordBatch.from_pylist([], SCHEMA), expression)
    except pa.ArrowTypeError as error:
        raise TypeError(f"the filter {expression} is of no use: {error}") from None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = str(error).partition(" in key: ")[0]  # after that it shows the schema
        raise ValueError(f"the filter {expression} does not fit the columns {SCHEMA.names}: {reason}") from None
    return RowExpression(expression)


def _filtered(batch: pa.RecordBatch, expression: "Expression") -> list[pa.RecordBatch]:
    # Not Table.filter: it takes all threads that Arrow has.
    from pyarrow.acero import Declaration, FilterNodeOptions, TableSourceNodeOptions  # noqa: PLC0415

    source = Declaration("table_source", TableSourceNodeOptions(pa.Table.from_batches([batch])))
    kept = Declaration("filter", FilterNodeOptions(expression), [source])
    batches: list[pa.RecordBatch] = kept.to_table(use_threads=False).to_batches()
    return batches
