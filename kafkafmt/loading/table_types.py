"""Column types of a table: the types that it supports, the evolution of its schema, and the conversion of rows.

A table's columns are matched by name, also inside structs. Columns that new rows add are appended, and null in existing
rows; columns that new rows lack are null in these. A type that fits into the table's type is cast to it; any other type
is refused before anything is written.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.errors import SourceError
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.times import NAMED_SECONDS

_MOST_DIGITS: Final = 38
"""Most digits of a decimal in Delta and Iceberg."""

_WIDER: Final = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
}
_INTEGERS: Final = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
_MICROSECONDS_OF: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}

Leaf: TypeAlias = Callable[[pa.DataType, str], pa.DataType]
"""Gives the table's type for a type that is not nested; the text names the column, for errors."""


def identical(kind: pa.DataType, _: str) -> pa.DataType:
    """The same type, as Parquet supports all types."""
    return kind


def for_delta(kind: pa.DataType, name: str) -> pa.DataType:
    """The type in Delta Lake.

    Raises:
        SourceError: there is no such type.
    """
    if pa.types.is_time(kind):
        return pa.string()
    return _common(kind, name)


def for_iceberg(kind: pa.DataType, name: str) -> pa.DataType:
    """The type in Iceberg.

    Raises:
        SourceError: there is no such type.
    """
    if pa.types.is_time(kind):
        return pa.time64("us")
    common = _common(kind, name)
    return pa.int32() if common in (pa.int8(), pa.int16()) else common


def _common(kind: pa.DataType, name: str) -> pa.DataType:
    """The type in both Delta Lake and Iceberg."""
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", None if kind.tz is None else "UTC")
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_decimal(kind) and kind.precision <= _MOST_DIGITS:
        return pa.decimal128(kind.precision, kind.scale)
    if kind in _WIDER:
        return _WIDER[kind]
    simple = (pa.types.is_signed_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_date32)
    if any(is_one(kind) for is_one in (*simple, pa.types.is_string, pa.types.is_binary)):
        return kind
    raise SourceError(f"the column {name} has the type {kind}, which the table cannot store")


@dataclass(frozen=True)
class TableTypes:
    """The types that a kind of table supports.

    Attributes:
        leaf: gives the table's type for a type that is not nested.
        promotes: whether a column may get a wider type: int64 for int32, double for float, more digits.
    """

    leaf: Leaf
    promotes: bool = False

    def schema(self, rows: pa.Schema) -> pa.Schema:
        """The columns of a new table for some rows, without columns that have no type or no field, and thus no value.

        Raises:
            SourceError: a type has no counterpart, or two names differ only in case.
        """
        return pa.schema(self._fields(rows, ""))

    def joined(self, table: pa.Schema, rows: pa.Schema, target: str) -> pa.Schema:
        """The columns of a table with those that new rows add.

        Args:
            table: columns of the table.
            rows: columns of the rows, of any types.
            target: name of the table, for errors.

        Raises:
            SourceError: the type of a column in the rows does not fit that in the table.
        """
        return pa.schema(self._joined(table, self.schema(rows), "", target))

    def _fields(self, fields: Iterable[pa.Field], place: str) -> list[pa.Field]:
        found: dict[str, pa.Field] = {}
        for each in fields:
            kind = self._kind(each.type, f"{place}{each.name}")
            if kind is None:
                continue
            same = found.setdefault(each.name.lower(), pa.field(each.name, kind))
            if same.name != each.name:
                both = f"{place}{same.name} and {place}{each.name}"
                raise SourceError(f"the columns {both} differ only in case, which tables ignore")
        return list(found.values())

    def _kind(self, kind: pa.DataType, name: str) -> pa.DataType | None:
        """The type in a table; None if there is nothing to store."""
        if pa.types.is_null(kind):
            return None
        if pa.types.is_dictionary(kind):
            return self._kind(kind.value_type, name)
        if pa.types.is_struct(kind):
            fields = self._fields(kind, f"{name}.")
            return pa.struct(fields) if fields else None
        if pa.types.is_map(kind):
            key, item = self._kind(kind.key_type, f"{name}.key"), self._kind(kind.item_type, f"{name}.value")
            return None if key is None or item is None else pa.map_(key, item)
        if is_list(kind):
            item = self._kind(kind.value_type, f"{name}.element")
            return None if item is None else pa.list_(pa.field("element", item))
        return self.leaf(kind, name)

    def _joined(self, table: Iterable[pa.Field], rows: Iterable[pa.Field], place: str, target: str) -> list[pa.Field]:
        new = {each.name.lower(): each for each in rows}
        fields = []
        for each in table:
            other = new.pop(each.name.lower(), None)
            kind = each.type if other is None else self._one(each.type, other.type, f"{place}{each.name}", target)
            fields.append(each.with_type(kind))
        return [*fields, *new.values()]

    def _one(self, table: pa.DataType, rows: pa.DataType, name: str, target: str) -> pa.DataType:
        """The type of a column that table and rows have."""
        if pa.types.is_struct(table) and pa.types.is_struct(rows):
            return pa.struct(self._joined(table, rows, f"{name}.", target))
        if pa.types.is_map(table) and pa.types.is_map(rows):
            key = self._one(table.key_type, rows.key_type, f"{name}.key", target)
            item = table.item_field.with_type(self._one(table.item_type, rows.item_type, f"{name}.value", target))
            return pa.map_(table.key_field.with_type(key), item)
        if is_list(table) and is_list(rows):
            item = self._one(table.value_type, rows.value_type, f"{name}.element", target)
            field = table.value_field.with_type(item)
            return pa.large_list(field) if pa.types.is_large_list(table) else pa.list_(field)
        if _fits(rows, table):
            return table
        if self.promotes and _fits(table, rows):
            return rows
        text = f"the type of column {name} does not fit that in the table: nothing is written. Load into another table"
        raise SourceError(text, file=target, expected=table, found=rows)


def _named(kind: pa.DataType, table: pa.DataType) -> pa.DataType:
    """A type with the names that the table has for its fields, which may differ in case."""
    if pa.types.is_struct(kind) and pa.types.is_struct(table):
        known = {each.name.lower(): each for each in table}
        found = [(each, known.get(each.name.lower())) for each in kind]
        return pa.struct(
            [
                each if of is None else each.with_name(of.name).with_type(_named(each.type, of.type))
                for each, of in found
            ]
        )
    if pa.types.is_map(kind) and pa.types.is_map(table):
        key, item = _named(kind.key_type, table.key_type), _named(kind.item_type, table.item_type)
        return pa.map_(kind.key_field.with_type(key), kind.item_field.with_type(item))
    if pa.types.is_list(kind) and is_list(table):
        return pa.list_(kind.value_field.with_type(_named(kind.value_type, table.value_type)))
    return kind


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is a list type."""
    return any(is_one(kind) for is_one in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def _fits(kind: pa.DataType, into: pa.DataType) -> bool:
    """Whether each value of a type fits into another type, which is not nested."""
    if kind == into:
        return True
    if pa.types.is_integer(kind) and pa.types.is_integer(into):
        return kind in _INTEGERS and into in _INTEGERS and bool(kind.bit_width <= into.bit_width)
    if pa.types.is_decimal(kind) and pa.types.is_decimal(into):
        return bool(kind.scale == into.scale and kind.precision <= into.precision)
    if pa.types.is_timestamp(kind) and pa.types.is_timestamp(into):
        return bool(kind.unit == into.unit and (kind.tz is None) == (into.tz is None))
    same = (
        (pa.float32(), pa.float64()),
        (pa.string(), pa.large_string()),
        (pa.binary(), pa.large_binary()),
    )
    return (kind, into) in same


class TableRows:
    """Converts rows to the columns and types of a table.

    Args:
        schema: columns of the table's files.
        needed: other columns, which are kept unchanged.
        has_days: whether the table is divided by days, which the libraries of Delta and Iceberg support only for the
            years 1 to 9999.

    Attributes:
        unfit: number of record timestamps that the table's type cannot represent, and which are null.
    """

    def __init__(self, schema: pa.Schema, needed: Iterable[str] = (), *, has_days: bool = False) -> None:
        self.unfit = 0
        self._has_days = has_days
        self._schema = schema
        self._needed = [name for name in needed if name not in schema.names]

    def conformed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows of a batch with the table's columns.

        Raises:
            SourceError: a value does not fit, or is null where the table forbids that.
        """
        names = {name.lower(): number for number, name in enumerate(batch.schema.names)}
        columns = []
        for field in self._schema:
            number = names.get(field.name.lower())
            column = pa.nulls(batch.num_rows, field.type) if number is None else self._cast(batch.column(number), field)
            if column.null_count and not field.nullable:
                raise SourceError(f"the column {field.name} is null in a record, which the table forbids")
            columns.append(column)
        fields = [*self._schema, *(batch.schema.field(name) for name in self._needed)]
        columns += [self._within(batch.column(name), batch.schema.field(name)) for name in self._needed]
        return pa.record_batch(columns, schema=pa.schema(fields))

    def _cast(self, column: pa.Array, field: pa.Field) -> pa.Array:
        column = self._within(column, field)
        try:
            named = _named(column.type, field.type)
            # A cast finds fields by their exact names, and gives nulls for others.
            column = column if named == column.type else column.view(named)
            return column if column.type == field.type else column.cast(field.type)
        except pa.ArrowException as error:
            raise SourceError(f"the column {field.name} has a value that the table cannot store: {error}") from error

    def _within(self, column: pa.Array, field: pa.Field) -> pa.Array:
        """Replace record timestamps that the table cannot represent by null: a producer may write any number."""
        kind = column.type
        if field.name != "timestamp" or not pa.types.is_timestamp(kind) or kind.unit not in _MICROSECONDS_OF:
            return column
        if self._has_days:
            a_second = 1_000_000 // _MICROSECONDS_OF[kind.unit]
            least, most = NAMED_SECONDS.start * a_second, NAMED_SECONDS.stop * a_second - 1
        elif field.type.unit == "us":
            most = INT64_MAX // _MICROSECONDS_OF[kind.unit]
            least = -most
        else:
            return column
        numbers = column.view(pa.int64())
        ends = pc.min_max(numbers).as_py()
        if ends["max"] is None or (ends["max"] <= most and ends["min"] >= least):
            return column
        is_held = pc.and_(pc.less_equal(numbers, most), pc.greater_equal(numbers, least))
        self.unfit += int(pc.sum(pc.invert(is_held)).as_py())
        return pc.if_else(is_held, numbers, pa.scalar(None, pa.int64())).view(column.type)
