"""Filters that Spark pushes down, as one expression of Arrow, by which a scan reads less; see `kafkafmt.Scan.filter`.

Spark applies its filters again, so rows may be left that do not pass; none that passes may be missing.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.columns import SCHEMA
from pyspark_kafkafmt.columns import TIMESTAMP_MS

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter

_TIMESTAMP: Final = "timestamp"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1
_PYTHONS: Final = {pa.string(): str, pa.binary(): bytes, pa.bool_(): bool}
# Which of the bounds of a value a column is compared with, where the value lies between two whole ms.
_COMPARED: Final[dict[str, Callable[[Any, Any, Any], pc.Expression]]] = {
    "GreaterThan": lambda column, below, _: column > below,
    "GreaterThanOrEqual": lambda column, _, above: column >= above,
    "LessThan": lambda column, _, above: column < above,
    "LessThanOrEqual": lambda column, below, _: column <= below,
}
_MATCHED: Final = {
    "StringStartsWith": pc.starts_with,
    "StringEndsWith": pc.ends_with,
    "StringContains": pc.match_substring,
}


def expression_of(filters: "Iterable[Filter]") -> pc.Expression | None:
    """What all filters together leave, as far as they are understood; None for everything."""
    understood = [each for each in map(_expression, filters) if each is not None]
    return reduce(lambda one, other: one & other, understood) if understood else None


def _expression(each: "Filter") -> pc.Expression | None:
    kind = type(each).__name__
    child = getattr(each, "child", None)
    if kind == "Not" and child is not None:
        negated = _expression(child)
        # What is null stays null, which Spark drops as Arrow does; only EqualNullSafe is never null.
        return None if negated is None or type(child).__name__ == "EqualNullSafe" else ~negated
    path: tuple[str, ...] = getattr(each, "attribute", ())
    name = _TIMESTAMP if path == (TIMESTAMP_MS,) else path[0] if len(path) == 1 else ""
    if name not in SCHEMA.names or pa.types.is_nested(SCHEMA.field(name).type):
        return None
    column = pc.field(name)
    if kind in ("IsNull", "IsNotNull"):
        # Spark's timestamps are also null where they are out of its range.
        return None if not SCHEMA.field(name).nullable else column.is_null() if kind == "IsNull" else column.is_valid()
    value: Any = getattr(each, "value", None)
    if kind in _MATCHED:
        is_text = isinstance(value, str) and pa.types.is_string(SCHEMA.field(name).type)
        return _MATCHED[kind](column, value) if is_text else None
    kind_of_value = _type(name)
    around = [_around(path[0], kind_of_value, one) for one in (value if kind == "In" else [value]) if one is not None]
    known = [each for each in around if each is not None]
    if not known or len(known) < len(around):
        return None
    if kind in ("EqualTo", "EqualNullSafe", "In"):
        # No record has a time between two whole ms.
        whole = [below for below, above in known if below == above]
        if len(whole) == 1:
            return column == pa.scalar(whole[0], kind_of_value)
        return column.isin(pa.array(whole, kind_of_value))
    if kind not in _COMPARED:
        return None
    return _COMPARED[kind](column, *(pa.scalar(one, kind_of_value) for one in known[0]))


def _type(column: str) -> pa.DataType:
    """Type of what a column is compared with: Spark's integers may be larger than those of the column."""
    kind = SCHEMA.field(column).type
    return pa.int64() if pa.types.is_integer(kind) else kind


def _around(column: str, kind: pa.DataType, value: object) -> tuple[Any, Any] | None:
    """The values of a column at or below and at or above one that Spark compares it with; None if they are unknown.

    Args:
        column: its name in Spark.
        kind: its type, int64 for all integers.
        value: what it is compared with.
    """
    if column == _TIMESTAMP:
        if not isinstance(value, datetime) or value.tzinfo is None:
            return None
        since = value - _EPOCH
        return since // _MS, -(-since // _MS)
    if isinstance(value, bytearray):
        value = bytes(value)
    if type(value) is not _PYTHONS.get(kind, int) or (isinstance(value, int) and not _LOWEST <= value <= _HIGHEST):
        return None
    return value, value
