"""Narrowing: filters of a query as bounds of the scan, wide enough that no row is lost that Spark would keep."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from pyspark_kafkafmt.columns import TIMESTAMP_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql.datasource import Filter

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
class Narrowing:
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

    def by(self, filters: "Iterable[Filter]") -> "Narrowing":
        """Narrow by as many of these filters as bounds can be made of."""
        narrowed = self
        for each in filters:
            narrowed = narrowed._by(each)
        return narrowed

    def _by(self, each: "Filter") -> "Narrowing":
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
