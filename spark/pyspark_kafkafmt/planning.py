"""Planning: the splits that become tasks, the filters that Spark pushes down, and lines on stderr while it takes long.

Spark applies its filters again, so rows may be left that do not pass; none that passes may be missing.
"""

import logging
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa
import pyarrow.compute as pc

import kafkafmt
from kafkafmt.columns import SCHEMA, Origin
from kafkafmt.files.names import parse_partition_name
from kafkafmt.io.uri import shown
from pyspark_kafkafmt.columns import TIMESTAMP_MS
from pyspark_kafkafmt.offsets import resolve
from pyspark_kafkafmt.paths import expand

if TYPE_CHECKING:
    from pyarrow.compute import Expression
    from pyspark.sql.datasource import Filter

    from kafkafmt.files.damage import Damage
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.planning import Plan
    from pyspark_kafkafmt.options import SourceOptions

PATIENCE_SECONDS: Final = 2.0
"""After how long the first line comes."""

_SLOWER: Final = 2.0
_SLOWEST_SECONDS: Final = 60.0
_GB: Final = 10**9

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


class PlanningProgress:
    """Says what is going on, at longer and longer intervals, from a thread of its own.

    Attributes:
        now: what is being done.
    """

    def __init__(self) -> None:
        self.now = ""
        self._begun = time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._report, name="kafkafmt-progress", daemon=True)

    def planned(self, partitions: int, files: int, size: int) -> None:
        """Take the numbers of partitions, files and bytes planned so far."""
        self.now = f"planned {partitions:,} partitions, {files:,} segments, {size / _GB:,.1f} GB"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _report(self) -> None:
        wait = PATIENCE_SECONDS
        while not self._done.wait(wait):
            seconds = time.monotonic() - self._begun
            sys.stderr.write(f"kafkafmt: {self.now} ({seconds:.0f} s)\n")
            sys.stderr.flush()
            wait = min(wait * _SLOWER, _SLOWEST_SECONDS)


_LOG: Final = logging.getLogger(__package__)


def plan(options: "SourceOptions", columns: Sequence[str], kept: "Expression | None" = None) -> "Plan":
    """List what the paths hold, look up where to begin and end in each partition, and split what lies between.

    Args:
        options: of the data source.
        columns: kafkafmt's columns to read.
        kept: what filters leave of it; None for all.

    Raises:
        OptionError: an option that does not fit what was found.
        SourceError: a path matches nothing, or cannot be read.
        KafkafmtError: damage, in mode FAILFAST.
    """
    for note in options.notes:
        _warn(note)
    with PlanningProgress() as progress:
        progress.now = f"listing {', '.join(map(shown, options.paths))}"
        scan = kafkafmt.scan(
            expand(options.paths),
            decryption_keys=options.decryption_keys,
            columns=columns,
            isolation_level=options.isolation_level,
            replica=options.replica,
            on_damage="raise" if options.mode == "FAILFAST" else "skip",
            limits=_limits(options),
        )
        progress.now = "looking up offsets"
        scan = _bounded(scan, options)
        if kept is not None:
            scan = scan.filter(kept)
        planned = scan.without_warnings().plan(
            max_split_bytes=options.max_partition_bytes,
            min_splits=options.min_partitions,
            max_records_per_split=options.max_records_per_partition,
            progress=progress.planned,
        )
    for note in planned.notes:
        _warn(note)
    return planned


def origin_of(damage: "Damage") -> Origin:
    """Where damage is that planning met, by the names in its path."""
    file = damage.file or ""
    parent = parse_partition_name(os.path.basename(os.path.dirname(file)))
    return Origin(parent.topic, parent.partition, file)


def _bounded(scan: "Scan", options: "SourceOptions") -> "Scan":
    """The scan with the topics, partitions and offsets that the options leave."""
    is_bounded = options.bounds.starting is not None or options.bounds.ending is not None
    resolution = resolve(options, scan.best_partitions() if is_bounded else scan.partitions)
    for warning in resolution.warnings:
        _warn(warning)
    if resolution.is_everything:
        return scan
    topics: Mapping[str, list[int]] = defaultdict(list)
    for (topic, partition), (start, end) in resolution.ranges.items():
        if start is None or end is None or start < end:
            topics[topic].append(partition)
    starts = {key: start for key, (start, _) in resolution.ranges.items() if start is not None}
    ends = {key: end for key, (_, end) in resolution.ranges.items() if end is not None}
    return scan.narrowed(dict(topics), starts or None, ends or None)


def _limits(options: "SourceOptions") -> kafkafmt.Limits:
    if options.max_decompressed_bytes is None:
        return kafkafmt.Limits()
    return kafkafmt.Limits(max_decompressed_bytes=options.max_decompressed_bytes)


def _warn(text: str) -> None:
    _LOG.warning("kafkafmt: %s", text)


def expression_of(filters: "Iterable[Filter]") -> pc.Expression | None:
    """What all filters together leave, as far as they are understood; None for everything; see `Scan.filter`."""
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
