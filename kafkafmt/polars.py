"""Polars: a scan as a lazy frame, of which a query reads only the columns, rows and batches that it needs.

>>> import kafkafmt.polars, polars as pl
>>> frame = kafkafmt.polars.scan("/var/lib/kafka/data", topics="orders")
>>> frame.filter(pl.col("offset") >= 1000).select("offset", "value").head(10).collect()
"""

import functools
import json
import operator
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Unpack

from kafkafmt.keywords import ScanKeywords

if TYPE_CHECKING:
    from polars import DataFrame, Expr, LazyFrame
    from pyarrow.compute import Expression

    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning import Scan

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtEq": operator.le,
    "Gt": operator.gt,
    "GtEq": operator.ge,
}
_MIRRORED = {"Lt": "Gt", "LtEq": "GtEq", "Gt": "Lt", "GtEq": "LtEq"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = {"Milliseconds": timedelta(milliseconds=1), "Microseconds": timedelta(microseconds=1)}


def scan(source: "Searchable | Scan", **arguments: Unpack[ScanKeywords]) -> "LazyFrame":
    """Records as a Polars LazyFrame.

    Columns that a query does not need are not decoded. Comparisons of a column with a value, joined by "and", rule out
    segments, batches and records as `Scan.filter` does; Polars applies the whole predicate. `head` ends the pass early.

    Args:
        source: as for `kafkafmt.scan`, or a Scan.
        arguments: arguments for `kafkafmt.scan`.

    Raises:
        ImportError: Polars is not installed.
        KafkafmtError, TypeError, ValueError: as in `kafkafmt.scan`; damage is raised by `collect`.
    """
    try:
        import polars  # noqa: ICN001, PLC0415 - an extra
        from polars.io.plugins import register_io_source  # noqa: PLC0415 - Polars is an extra
    except ImportError as error:
        raise ImportError("kafkafmt.polars needs Polars: pip install 'kafkafmt[polars]'") from error
    from kafkafmt.scanning import Scan, scan  # noqa: PLC0415 - it loads Arrow

    scanned = source if isinstance(source, Scan) and not arguments else scan(source, **arguments)  # type: ignore[arg-type]
    schema = polars.from_arrow(scanned.schema.empty_table()).schema  # type: ignore[union-attr]
    return register_io_source(
        functools.partial(_read, scanned), schema=dict(schema), is_pure=True, explain_name="kafkafmt"
    )


def _read(
    scanned: "Scan", columns: list[str] | None, predicate: "Expr | None", most: int | None, _: int | None
) -> "Iterator[DataFrame]":
    """The rows that Polars asks for."""
    import polars  # noqa: ICN001, PLC0415 - it is there

    wanted = scanned.schema.names if columns is None else columns
    more = [] if predicate is None else [name for name in predicate.meta.root_names() if name not in wanted]
    read = scanned.select([*wanted, *more])
    pushed = None if predicate is None else _pushed(predicate)
    if pushed is not None:
        read = read.filter(pushed)
    left = most
    with read.to_reader() if predicate is not None or most is None else read.head(most) as reader:
        for batch in reader:
            frame: DataFrame = polars.from_arrow(batch)  # type: ignore[assignment]
            if predicate is not None:
                frame = frame.filter(predicate).select(wanted)
            if left is not None:
                frame = frame.head(left)
                left -= len(frame)
            yield frame
            if left == 0:
                return


def _pushed(predicate: "Expr") -> "Expression | None":
    """The part of a predicate that a scan can apply, true wherever the predicate is; None if there is no such part."""
    from polars.exceptions import PolarsError  # noqa: PLC0415 - it is loaded

    try:
        return _of_node(json.loads(predicate.meta.serialize(format="json")))
    except (PolarsError, ValueError, TypeError, LookupError, AttributeError):
        # The serialized form is not stable. Ignoring unknown parts is safe, as Polars applies the whole predicate.
        return None


def _of_node(node: dict[str, Any]) -> "Expression | None":
    from pyarrow.compute import field  # noqa: PLC0415 - a scan has loaded it

    binary = node.get("BinaryExpr")
    if binary is None:
        return None
    left, right, name = binary["left"], binary["right"], binary["op"]
    if name in ("And", "LogicalAnd"):
        both = [each for each in (_of_node(left), _of_node(right)) if each is not None]
        return functools.reduce(operator.and_, both) if both else None
    if "Literal" in left:
        left, right, name = right, left, _MIRRORED.get(name, name)
    if "Column" not in left or "Literal" not in right or name not in _OPERATORS:
        return None
    ((kind, value),) = right["Literal"]["Scalar"].items()
    if kind == "Binary":
        value = bytes(value)
    elif kind == "Datetime":
        number, unit, _zone = value
        value = _EPOCH + number * _UNITS[unit]
    elif kind not in ("String", "Boolean") and not kind.startswith(("Int", "UInt")):
        return None
    compared: Expression = _OPERATORS[name](field(left["Column"]), value)
    return compared
