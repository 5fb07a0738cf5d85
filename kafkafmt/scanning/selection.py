"""Selection: which records a scan keeps, asked of one header, of many headers, or of records."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeGuard

import numpy as np

from kafkafmt.columnar import headers as batch_headers
from kafkafmt.columnar.headers import CONTROL, Batches, Mask
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.transactions import AbortedTransactions
from kafkafmt.reference.header import LOG_APPEND_TIME, BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.reference.record import Record
from kafkafmt.scanning.batching import RowExpression

TopicPartition = tuple[str, int]
Topics = Collection[str] | Mapping[str, Collection[int]] | re.Pattern[str]
OffsetBound = int | Mapping[TopicPartition, int]
EndOffset = OffsetBound | Literal["high_watermark"]
Time = int | datetime
Bound = OffsetBound | str | None
IsolationLevel = Literal["read_uncommitted", "read_committed"]

HIGH_WATERMARK: Literal["high_watermark"] = "high_watermark"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_NAMES = 10
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Selection:
    """Filters of a scan; see `kafkafmt.scan` for what each argument means.

    Raises:
        TypeError, ValueError: an argument that makes no sense.
    """

    topics: Topics | None = None
    partitions: Collection[int] | None = None
    start_offset: OffsetBound | None = None
    end_offset: EndOffset | None = None
    start_timestamp: int | None = None
    end_timestamp: int | None = None
    key: bytes | None = None
    control_records: bool = False
    below_log_start: bool = False
    isolation_level: IsolationLevel = "read_uncommitted"
    expression: RowExpression | None = None

    def takes(self, partition: Partition) -> bool:
        """Whether records of this partition are wanted at all."""
        return self.takes_named(partition.topic, partition.partition)

    def takes_named(self, topic: str | None, partition: int | None) -> bool:
        """Whether records of the partition of this topic and number are wanted at all."""
        if isinstance(self.topics, re.Pattern):
            if topic is None or self.topics.fullmatch(topic) is None:
                return False
        elif isinstance(self.topics, Mapping):
            if partition not in self.topics.get(topic or "", ()):
                return False
        elif self.topics is not None and topic not in self.topics:
            return False
        return self.partitions is None or partition in self.partitions

    def absent(self, there: Iterable[tuple[str | None, int | None]]) -> Iterator[str]:
        """Tell which topics and partitions are named that are nowhere.

        Args:
            there: topic and partition of each directory that was found.
        """
        for name, wanted in (("topics", self.topics), ("partitions", self.partitions)):
            if wanted is not None and not isinstance(wanted, re.Pattern) and not wanted:
                yield f"nothing is selected: {name} is empty. None selects all."
        numbers: dict[str, set[int]] = {}
        for topic, number in there:
            if topic is not None:
                numbers.setdefault(topic, set()).update(() if number is None else (number,))
        names = listed(sorted(numbers)) or "none"
        if isinstance(self.topics, re.Pattern):
            chosen = {name for name in numbers if self.topics.fullmatch(name)}
            if not chosen:
                yield f"no topic matches {self.topics.pattern}. There are: {names}."
        else:
            chosen = set(numbers if self.topics is None else self.topics)
            missing = sorted(chosen - numbers.keys())
            if missing:
                yield f"no topic {listed(missing)}. There are: {names}."
            if isinstance(self.topics, Mapping):
                for topic in sorted(chosen & numbers.keys()):
                    yield from _absent_numbers(f" of {topic}", self.topics[topic], numbers[topic])
        yield from _absent_numbers(
            "", self.partitions or (), set().union(*(numbers.get(topic, ()) for topic in chosen))
        )
        for name, bound in (("start_offset", self.start_offset), ("end_offset", self.end_offset)):
            if isinstance(bound, Mapping):
                unread = [
                    f"{topic}-{number}"
                    for topic, number in sorted(bound)
                    if number not in numbers.get(topic, ()) or not self.takes_named(topic, number)
                ]
                if unread:
                    yield f"{name} is given for {listed(unread)}, which {'is' if len(unread) == 1 else 'are'} not read."

    def outside(self, partitions: Iterable[Partition]) -> Iterator[str]:
        """Tell of which partitions all offsets wanted lie below the log start or beyond the log end.

        What cannot be read for that is not mentioned; nothing depends on it.

        Args:
            partitions: those that records are wanted of.
        """
        below: list[str] = []
        beyond: list[str] = []
        for partition in partitions:
            start, end = _bound(self.start_offset, partition), _bound(self.end_offset, partition)
            with suppress(KafkafmtError):
                log_end = None if start is None else partition.log_end_offset
                if start is not None and log_end is not None and start > log_end:
                    beyond.append(f"{partition.name} ({log_end})")
                log_start = None if end is None or self.below_log_start else partition.log_start_offset
                if end is not None and log_start is not None and end <= log_start:
                    below.append(f"{partition.name} ({log_start})")
        if beyond:
            yield f"nothing is selected: start_offset is beyond the log end of {listed(beyond)}."
        if below:
            yield f"nothing is selected: end_offset is not beyond the log start of {listed(below)}."

    def of_records(self) -> "Selection":
        """What is left of the filters for whoever has the partitions and their offsets already."""
        return replace(self, topics=None, partitions=None, start_offset=None, end_offset=None)

    def offsets(self, partition: Partition, log_start_offset: int | None) -> "OffsetRange":
        """Offsets that are wanted of one partition.

        Args:
            partition: where the high watermark is looked up.
            log_start_offset: lowest offset to deliver, or None.

        Raises:
            SourceError: the high watermark is asked for and not known.
            CorruptError, UnsupportedError: the replication-offset-checkpoint is broken.
        """
        asked = _bound(self.start_offset, partition)
        start = max((offset for offset in (asked, log_start_offset) if offset is not None), default=None)
        if self.end_offset == HIGH_WATERMARK:
            end = partition.high_watermark
            if end is None:
                raise SourceError(
                    "the high watermark is unknown: the replication-offset-checkpoint has no such partition",
                    file=partition.path,
                )
        else:
            end = _bound(self.end_offset, partition)
        return OffsetRange(start, end)

    def is_bounded(self, offsets: "OffsetRange") -> bool:
        """Whether offsets or times are bounded, so that a header can tell that its batch lies outside."""
        bounds = (offsets.start, offsets.end, self.start_timestamp, self.end_timestamp)
        return any(bound is not None for bound in bounds)

    def passes_over(self, header: BatchHeader, offsets: "OffsetRange") -> bool:
        """Whether the header alone tells that no record of its batch is wanted."""
        if header.is_control_batch and not self.control_records:
            return True
        if _is_wrapper(header):
            # Its offset and timestamp are what its producer said; only the messages in it tell.
            return False
        if offsets.start is not None and header.last_offset is not None and header.last_offset < offsets.start:
            return True
        if offsets.end is not None and header.base_offset is not None and header.base_offset >= offsets.end:
            return True
        latest = header.max_timestamp
        if self.start_timestamp is not None and latest is not None and latest < self.start_timestamp:
            return True
        return (
            self.end_timestamp is not None
            and header.timestamp_type == LOG_APPEND_TIME
            and latest is not None
            and latest >= self.end_timestamp
        )

    def keeps_all(self, header: BatchHeader, offsets: "OffsetRange") -> bool:
        """Whether the header alone tells that every record of its batch is wanted."""
        if self.start_timestamp is not None or self.end_timestamp is not None or self.key is not None:
            return False
        if _is_wrapper(header):
            return offsets.start is None and offsets.end is None
        if offsets.start is not None and (header.base_offset is None or header.base_offset < offsets.start):
            return False
        return offsets.end is None or (header.last_offset is not None and header.last_offset < offsets.end)

    def filter(self, records: Iterable[Record], offsets: "OffsetRange") -> Iterator[Record]:
        """The records that are wanted."""
        start, end = offsets.start, offsets.end
        for record in records:
            if (
                (start is None or record.offset >= start)
                and (end is None or record.offset < end)
                and (self.start_timestamp is None or record.timestamp >= self.start_timestamp)
                and (self.end_timestamp is None or record.timestamp < self.end_timestamp)
                and (self.key is None or record.key == self.key)
            ):
                yield record


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Offsets from `start` up to but not including `end`; None for no bound.

    Where only committed records are wanted, `transactions` tells which of them are not, and `end` is at most the last
    stable offset.
    """

    start: int | None = None
    end: int | None = None
    transactions: AbortedTransactions | None = None

    def excludes(self, header: BatchHeader) -> bool:
        """Whether the offsets that a header states, or the only one that it does, lie outside."""
        last = header.last_offset
        first = header.base_offset if header.base_offset is not None else last
        return (self.start is not None and last is not None and last < self.start) or (
            self.end is not None and first is not None and first >= self.end
        )

    def leaves_out(self, header: BatchHeader) -> bool:
        """Whether the records of a batch belong to a transaction that was aborted.

        The header says so, and one bit in a producer id makes the difference: to be believed when its CRC is right.
        """
        return self.transactions is not None and self.transactions.is_aborted(header)


def check_offsets(start: Bound, end: Bound) -> Iterator[str]:
    """Check bounds of offsets as `check_range` does.

    Raises:
        ValueError: an offset below 0, or a start after its end.
    """
    names = ("start_offset", "end_offset")
    for name, bound in zip(names, (start, end), strict=True):
        negative = [each for each in (bound.values() if isinstance(bound, Mapping) else (bound,)) if _is_negative(each)]
        if negative:
            raise ValueError(f"{name} must be 0 or more, not {negative[0]}")
    yield from check_range(start, end, names)


def check_range(start: Bound, end: Bound, names: tuple[str, str]) -> Iterator[str]:
    """Check bounds of offsets, or of times: the end is not included. Tell which ranges are empty.

    Args:
        start: an int for every partition, or by partition; or None.
        end: likewise.
        names: what the caller calls them, for messages.

    Raises:
        ValueError: a start after its end.
    """
    named = {key for bound in (start, end) if isinstance(bound, Mapping) for key in bound}
    keys: list[TopicPartition | None] = [*sorted(named)] or [None]
    for key in keys:
        first, last = (bound.get(key) if isinstance(bound, Mapping) and key else bound for bound in (start, end))
        if not _is_int(first) or not _is_int(last) or first < last:
            continue
        where = "" if key is None else f" of {key[0]}-{key[1]}"
        if first > last:
            raise ValueError(f"{names[0]} {first}{where} is after {names[1]} {last}")
        yield f"nothing is selected{where}: {names[0]} and {names[1]} are both {first}, and the end is not included."


def listed(names: Sequence[str]) -> str:
    """Name the first few, and how many there are beyond."""
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def topics(
    wanted: str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None,
) -> Topics | None:
    """Names of topics, with or without partition numbers of each, or a pattern that the whole name must match.

    Raises:
        TypeError: none of these.
    """
    if wanted is None or (isinstance(wanted, re.Pattern) and isinstance(wanted.pattern, str)):
        return wanted
    if isinstance(wanted, re.Pattern):
        raise TypeError(f"the pattern for topics must be one of str, not {wanted!r}")
    names = frozenset([wanted] if isinstance(wanted, str) else wanted)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"topics must be names, a mapping of names to partitions, or a pattern, not {wanted!r}")
    if isinstance(wanted, Mapping):
        return {name: _numbers(f"partitions of {name}", numbers) for name, numbers in wanted.items()}
    return names


def partitions(wanted: int | Iterable[int] | None) -> Collection[int] | None:
    """Partition numbers.

    Raises:
        TypeError: no ints.
    """
    return None if wanted is None else _numbers("partitions", wanted)


def end_bound(bound: EndOffset | None, name: str) -> EndOffset | None:
    """The high watermark, or what `offset_bound` takes.

    Raises:
        TypeError, ValueError: anything else.
    """
    return HIGH_WATERMARK if bound == HIGH_WATERMARK else offset_bound(bound, name)


def offset_bound(bound: OffsetBound | str | None, name: str) -> OffsetBound | None:
    """An offset for every partition, or one for each of some.

    Raises:
        TypeError, ValueError: anything else.
    """
    if bound is None or _is_int(bound):
        return bound
    if isinstance(bound, Mapping):
        for key, offset in bound.items():
            if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], str) and _is_int(key[1])):
                raise TypeError(f"the keys of {name} must be (topic, partition), not {key!r}")
            if not _is_int(offset):
                raise TypeError(f"the offsets of {name} must be ints, not {offset!r}")
        return dict(bound)
    wrong = ValueError if isinstance(bound, str) else TypeError
    raise wrong(f"{name} must be an int or a mapping of (topic, partition) to int, not {bound!r}")


def milliseconds(time: Time | None, name: str) -> int | None:
    """A time as ms since the epoch; a datetime without a zone is UTC, and is rounded up to the next whole ms.

    Raises:
        TypeError: neither an int nor a datetime.
    """
    if time is None or _is_int(time):
        return time
    if not isinstance(time, datetime):
        raise TypeError(f"{name} must be ms since the epoch or a datetime, not {time!r}")
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return -((_EPOCH - aware) // _MILLISECOND)


def record_key(key: bytes | None) -> bytes | None:
    """A key to look for.

    Raises:
        TypeError: not bytes.
    """
    if key is None or isinstance(key, bytes):
        return key
    if isinstance(key, (bytearray, memoryview)):
        return bytes(key)
    raise TypeError(f"key must be bytes, not {key!r}")


def _is_wrapper(header: BatchHeader) -> bool:
    """Whether the entry is a compressed v0 or v1 message, or one of a codec that nobody knows."""
    return header.magic < CURRENT_MAGIC and header.compression != "none"


def _bound(bound: EndOffset | None, partition: Partition) -> int | None:
    if isinstance(bound, Mapping):
        if partition.topic is None or partition.partition is None:
            return None
        return bound.get((partition.topic, partition.partition))
    return bound if isinstance(bound, int) else None


def _numbers(name: str, wanted: int | Iterable[int]) -> Collection[int]:
    numbers = frozenset([wanted] if isinstance(wanted, int) else wanted)
    if not all(_is_int(number) for number in numbers):
        raise TypeError(f"{name} must be ints, not {wanted!r}")
    return numbers


def _absent_numbers(of: str, wanted: Collection[int], there: Collection[int]) -> Iterator[str]:
    missing = sorted(set(wanted).difference(there))
    if missing and there:
        yield f"no partition {listed([*map(str, missing)])}{of}. There are: {listed([*map(str, sorted(there))])}."


def _is_negative(number: object) -> bool:
    return _is_int(number) and number < 0


def _is_int(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool)


_INT64 = np.iinfo(np.int64)


def can_be_masked(selection: Selection, offsets: OffsetRange) -> bool:
    """Whether all bounds are such as 64 bits can hold; any others are left to `Selection` itself."""
    bounds = (offsets.start, offsets.end, selection.start_timestamp, selection.end_timestamp)
    return all(bound is None or _INT64.min <= bound <= _INT64.max for bound in bounds)


def passed_over(selection: Selection, offsets: OffsetRange, batches: Batches) -> Mask:
    """Of which batches the header alone tells that no record is wanted; see `Selection.passes_over`."""
    headers = batches.headers
    attributes = headers["attributes"]
    unwanted: Mask = np.zeros(len(batches), np.bool_)
    if not selection.control_records:
        unwanted |= (attributes & CONTROL) != 0
    if offsets.start is not None:
        unwanted |= batches.last_offsets < offsets.start
    if offsets.end is not None:
        unwanted |= headers["base_offset"] >= offsets.end
    if selection.start_timestamp is not None:
        unwanted |= headers["max_timestamp"] < selection.start_timestamp
    if selection.end_timestamp is not None:
        unwanted |= ((attributes & batch_headers.LOG_APPEND_TIME) != 0) & (
            headers["max_timestamp"] >= selection.end_timestamp
        )
    return unwanted


def kept_whole(selection: Selection, offsets: OffsetRange, batches: Batches) -> Mask:
    """Of which batches the header alone tells that every record is wanted; see `Selection.keeps_all`."""
    if selection.start_timestamp is not None or selection.end_timestamp is not None or selection.key is not None:
        return np.zeros(len(batches), np.bool_)
    kept: Mask = np.ones(len(batches), np.bool_)
    if offsets.start is not None:
        kept &= batches.headers["base_offset"] >= offsets.start
    if offsets.end is not None:
        kept &= batches.last_offsets < offsets.end
    return kept
