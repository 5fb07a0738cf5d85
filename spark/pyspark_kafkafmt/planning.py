"""Planning: filters that Spark pushes down, the splits that become tasks, and lines on stderr while that takes long."""

import logging
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import kafkafmt
from kafkafmt.columns import Origin
from kafkafmt.files.names import parse_partition_name
from kafkafmt.io.uri import shown
from pyspark_kafkafmt.columns import TIMESTAMP_MS
from pyspark_kafkafmt.offsets import OffsetRange, resolve
from pyspark_kafkafmt.paths import expand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_US: Final = timedelta(microseconds=1)


@dataclass(frozen=True)
class Bounds:
    """Integers from `start` up to but not including `end`; None for no bound."""

    start: int | None = None
    end: int | None = None

    def within(self, start: int | None, end: int | None) -> "Bounds":
        """The integers that are in other bounds too."""
        return Bounds(_strictest(max, self.start, start), _strictest(min, self.end, end))

    def in_order(self) -> "Bounds":
        """The same, with an end that is not before the start."""
        if self.start is None or self.end is None:
            return self
        return Bounds(self.start, max(self.start, self.end))


@dataclass(frozen=True)
class PushedFilters:
    """What filters, all of them together, leave of a scan.

    Attributes:
        topics: names, or None for any.
        partitions: numbers, or None for any.
        offsets: bounds of the offset.
        timestamps: bounds of the timestamp, in ms.
        key: the only key, or None for any.
    """

    topics: frozenset[str] | None = None
    partitions: frozenset[int] | None = None
    offsets: Bounds = Bounds()
    timestamps: Bounds = Bounds()
    key: bytes | None = None

    def takes(self, topic: str, partition: int) -> bool:
        """Whether records of a partition can pass."""
        return (self.topics is None or topic in self.topics) and (
            self.partitions is None or partition in self.partitions
        )

    def by(self, filters: "Iterable[Filter]") -> "PushedFilters":
        """Narrow by as many of these filters as bounds can be made of."""
        narrowed = self
        for each in filters:
            narrowed = narrowed._by(each)
        return narrowed

    def _by(self, each: "Filter") -> "PushedFilters":
        path: tuple[str, ...] = getattr(each, "attribute", ())
        if len(path) != 1 or not hasattr(each, "value"):
            return self
        column, kind = path[0], type(each).__name__
        if column == "topic":
            return replace(self, topics=_common(self.topics, _values(kind, each.value, str)))
        if column == "partition":
            return replace(self, partitions=_common(self.partitions, _values(kind, each.value, int)))
        if column == "key":
            keys = _values(kind, each.value, bytes)
            return self if keys is None or len(keys) != 1 else replace(self, key=next(iter(keys)))
        if column == "offset":
            return replace(self, offsets=self.offsets.within(*_range(kind, each.value, _of_int)))
        if column == TIMESTAMP_MS:
            return replace(self, timestamps=self.timestamps.within(*_range(kind, each.value, _of_int)))
        if column == "timestamp":
            return replace(self, timestamps=self.timestamps.within(*_range(kind, each.value, _of_time)))
        return self


def _values(kind: str, value: Any, of: type) -> frozenset[Any] | None:  # noqa: ANN401
    """The values that a column must have one of; None if the filter does not name them."""
    if kind not in ("EqualTo", "EqualNullSafe", "In"):
        return None
    values = [each for each in (value if kind == "In" else [value]) if each is not None]
    if of is bytes:
        values = [bytes(each) if isinstance(each, bytearray) else each for each in values]
    if not values or not all(type(each) is of for each in values):
        return None
    return frozenset(values)


def _range(
    kind: str,
    value: Any,  # noqa: ANN401
    of: "Callable[[object], tuple[int, int] | None]",
) -> tuple[int | None, int | None]:
    """First and past-the-last integer that pass a filter; `of` gives those at or below and at or above a value."""
    if kind in ("EqualTo", "EqualNullSafe", "In"):
        values = [of(each) for each in (value if kind == "In" else [value]) if each is not None]
        known = [each for each in values if each is not None]
        if not known or len(known) < len(values):
            return None, None
        return min(above for _, above in known), max(below for below, _ in known) + 1
    around = of(value)
    if around is None:
        return None, None
    below, above = around
    if kind == "GreaterThan":
        return below + 1, None
    if kind == "GreaterThanOrEqual":
        return above, None
    if kind == "LessThan":
        return None, above
    if kind == "LessThanOrEqual":
        return None, below + 1
    return None, None


def _of_int(value: object) -> tuple[int, int] | None:
    return (value, value) if type(value) is int else None


def _of_time(value: object) -> tuple[int, int] | None:
    if not isinstance(value, datetime) or value.tzinfo is None:
        return None
    since = value - _EPOCH
    return since // _MS, -(-since // _MS)


def _common(known: frozenset[Any] | None, wanted: frozenset[Any] | None) -> frozenset[Any] | None:
    if known is None or wanted is None:
        return wanted if known is None else known
    return known & wanted


def _strictest(choose: "Callable[[int, int], int]", one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return choose(one, other)


_LOG: Final = logging.getLogger(__package__)


def plan(options: "SourceOptions", columns: Sequence[str], narrowing: PushedFilters) -> "Plan":
    """List what the paths hold, look up where to begin and end in each partition, and split what lies between.

    Args:
        options: of the data source.
        columns: kafkafmt's columns to read.
        narrowing: what filters leave of it.

    Raises:
        OptionError: an option that does not fit what was found.
        SourceError: a path matches nothing, or cannot be read.
        KafkafmtError: damage, in mode FAILFAST.
    """
    for note in options.notes:
        _warn(note)
    # Filters may contradict each other, which selects nothing.
    times = narrowing.timestamps.in_order()
    with PlanningProgress() as progress:
        progress.now = f"listing {', '.join(map(shown, options.paths))}"
        scan = kafkafmt.scan(
            expand(options.paths),
            decryption_keys=options.decryption_keys,
            start_timestamp=times.start,
            end_timestamp=times.end,
            key=narrowing.key,
            columns=columns,
            isolation_level=options.isolation_level,
            replica=options.replica,
            on_damage="raise" if options.mode == "FAILFAST" else "skip",
            limits=_limits(options),
        )
        progress.now = "looking up offsets"
        scan = _bounded(scan, options, narrowing)
        planned = scan.plan(
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


def _bounded(scan: "Scan", options: "SourceOptions", narrowing: PushedFilters) -> "Scan":
    """The scan with the topics, partitions and offsets that options and filters leave."""
    is_bounded = options.bounds.starting is not None or options.bounds.ending is not None
    resolution = resolve(options, scan.best_partitions() if is_bounded else scan.partitions)
    for warning in resolution.warnings:
        _warn(warning)
    offsets = narrowing.offsets
    if resolution.is_everything and narrowing.topics is None and narrowing.partitions is None:
        return scan.narrowed(start_offset=offsets.start, end_offset=offsets.end)
    ranges = {key: _within(offsets, wanted) for key, wanted in resolution.ranges.items() if narrowing.takes(*key)}
    topics: Mapping[str, list[int]] = defaultdict(list)
    for (topic, partition), (start, end) in ranges.items():
        if start is None or end is None or start < end:
            topics[topic].append(partition)
    starts = {key: start for key, (start, _) in ranges.items() if start is not None}
    ends = {key: end for key, (_, end) in ranges.items() if end is not None}
    return scan.narrowed(dict(topics), starts or None, ends or None)


def _within(bounds: Bounds, wanted: OffsetRange) -> OffsetRange:
    both = bounds.within(*wanted)
    return both.start, both.end


def _limits(options: "SourceOptions") -> kafkafmt.Limits:
    if options.max_decompressed_bytes is None:
        return kafkafmt.Limits()
    return kafkafmt.Limits(max_decompressed_bytes=options.max_decompressed_bytes)


def _warn(text: str) -> None:
    _LOG.warning("kafkafmt: %s", text)
