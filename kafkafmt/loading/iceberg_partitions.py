"""The partitions of an Iceberg table: the dividers of a load as fields of the spec, and rows divided by any spec."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from kafkafmt.loading.dividing import codes_of, together

if TYPE_CHECKING:
    from pyiceberg.partitioning import PartitionField, PartitionKey, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.table import Table

    from kafkafmt.loading.dividing import Codes
    from kafkafmt.loading.parquet_files import Values

_HOUR_US: Final = 3_600_000_000


class SpecDivision:
    """Rows divided by the partitions of a table; a `Division`.

    Args:
        spec: how the table is divided.
        schema: columns of the table.
    """

    def __init__(self, spec: "PartitionSpec", schema: "Schema") -> None:
        self.label = "the partitions of the table"
        self._spec, self._schema = spec, schema
        self._fields = [(each, schema.find_column_name(each.source_id) or "") for each in spec.fields]

    def divided(self, batch: pa.RecordBatch) -> "Iterator[tuple[Values, pa.RecordBatch]]":
        """The rows, grouped by the values of the partition's fields as Iceberg stores them."""
        columns = [self._values(batch, field, path) for field, path in self._fields]
        for row, rows in together(batch, [codes for codes, _ in columns]):
            yield tuple(values[int(codes[row])] for codes, values in columns), rows

    def key(self, values: "Values") -> "PartitionKey":
        """The partition with these values, for the location of a file."""
        from pyiceberg.partitioning import PartitionFieldValue, PartitionKey  # noqa: PLC0415 - an extra

        fields = [PartitionFieldValue(field, value) for (field, _), value in zip(self._fields, values, strict=True)]
        return PartitionKey(fields, self._spec, self._schema)

    def _values(self, batch: pa.RecordBatch, field: "PartitionField", path: str) -> "tuple[Codes, Mapping[int, Any]]":
        """The code of each row, and the partition's value for each code."""
        column = batch.column(path.partition(".")[0])
        for name in path.split(".")[1:]:
            column = pa.compute.struct_field(column, name)
        if pa.types.is_timestamp(column.type):
            hours = column.view(pa.int64()).to_numpy(zero_copy_only=False) if not column.null_count else None
            if hours is not None and str(field.transform) != "identity":
                column = pa.array(hours // _HOUR_US * _HOUR_US)  # all coarser units follow from it
            else:
                column = column.view(pa.int64())
        elif pa.types.is_date32(column.type):
            column = column.view(pa.int32())
        codes = codes_of(column)
        distinct = column.dictionary_encode().dictionary
        transform = self._transform(field)
        values = dict(enumerate(map(transform, distinct.to_pylist())))
        values[-1] = transform(None)
        found = {value: code for code, value in values.items()}
        renamed = np.array([found[values[code]] for code in range(len(distinct))] + [found[values[-1]]], np.int64)
        return renamed[codes], values

    def _transform(self, field: "PartitionField") -> Callable[[Any], Any]:
        transform: Callable[[Any], Any] = field.transform.transform(self._schema.find_field(field.source_id).field_type)
        return transform


def without_coarser(dividers: Sequence[str]) -> list[str]:
    """Dividers of an Iceberg table without coarser ones, as its hour transform includes the day."""
    return [name for name in dividers if name != "day" or "hour" not in dividers]


def transform_of(divider: str) -> tuple[str, Any]:
    """The source column of a divider, and its transform."""
    from pyiceberg.transforms import DayTransform, HourTransform, IdentityTransform  # noqa: PLC0415 - an extra

    transforms: dict[str, Any] = {"day": DayTransform(), "hour": HourTransform()}
    return ("timestamp", transforms[divider]) if divider in transforms else (divider, IdentityTransform())


def dividers_of(table: "Table") -> list[str]:
    """The dividers of a table, in the words of --partition-by where it has one."""
    found = []
    for field in table.spec().fields:
        source, transform = table.schema().find_column_name(field.source_id), str(field.transform)
        if transform == "identity":
            found.append(str(source))
        else:
            found.append(transform if source == "timestamp" else f"{transform}({source})")
    return found
