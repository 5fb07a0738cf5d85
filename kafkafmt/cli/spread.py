"""Structs spread out: a column for each field of a key and of a value, as people read them in a table."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa


@dataclass(frozen=True)
class Spread:
    """Spreads the structs of record batches.

    Attributes:
        schema: of the batches.
        taken: names that no field gets: it is called by its struct's name too then, as in `value.offset`.
    """

    schema: pa.Schema
    taken: Collection[str]

    @cached_property
    def spread_schema(self) -> pa.Schema:
        """Schema of what comes out."""
        fields: list[pa.Field] = []
        for column in self.schema:
            fields += [pa.field(self._name(column, each), each.type) for each in _fields(column)] or [column]
        return pa.schema(fields)

    def names_in(self, column: str) -> list[str]:
        """Names of the columns that one struct becomes."""
        struct = self.schema.field(column)
        return [self._name(struct, each) for each in _fields(struct)]

    def spread(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The same rows with a column for each field; null where the struct is."""
        arrays: list[pa.Array] = []
        for column in batch.columns:
            arrays += column.flatten() if pa.types.is_struct(column.type) else [column]
        return pa.RecordBatch.from_arrays(arrays, schema=self.spread_schema)

    def _name(self, column: pa.Field, field: pa.Field) -> str:
        others = [each.name for other in self.schema if other.name != column.name for each in _fields(other)]
        return f"{column.name}.{field.name}" if field.name in self.taken or field.name in others else str(field.name)


def _fields(column: pa.Field) -> list[pa.Field]:
    kind = column.type
    return [kind.field(number) for number in range(kind.num_fields)] if pa.types.is_struct(kind) else []
