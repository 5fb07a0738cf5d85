"""Selection: which records a scan keeps, as its arguments say; and of one file, asked of headers and of records."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kafkafmt.columnar.headers import Batches, Mask
from kafkafmt.columnar.row_filter import Needles, RowFilter
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.damage import listed
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.transactions import AbortedTransactions
from kafkafmt.record_columns import COLUMNS
from kafkafmt.reference import layout
from kafkafmt.reference.header import LOG_APPEND_TIME, BatchHeader
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC
from kafkafmt.reference.record import Record, stored_name
from kafkafmt.scanning.arguments import HIGH_WATERMARK, EndOffset, IsolationLevel, OffsetBound, Topics
from kafkafmt.scanning.offsets import Offsets
from kafkafmt.scanning.row_expression import RowBounds, RowExpression

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True)
class Selection:
    """Filters of a scan; see `kafkafmt.scan` for the arguments.

    Raises:
        TypeError, ValueError: an invalid argument.
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
    needles: Needles | None = None

    @property
    def residual(self) -> RowExpression | None:
        """The part of the expression that `of_file` leaves to check; None if it is true of all records."""
        if self.expression is None or self.expression.is_certain({}, self.of_file(self._within(OffsetRange())).bounds):
            return None
        return self.expression

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
        if self.partitions is not None and partition not in self.partitions:
            return False
        return not (
            self.expression is not None
            and self.expression.is_of_files
            and self.expression.rules_out({"topic": topic, "partition": partition})
        )

    def absent(self, there: Iterable[tuple[str | None, int | None]]) -> Iterator[str]:
        """Name the topics and partitions that were asked for and do not exist, and those that do.

        Args:
            there: topic and partition of each directory that was found.
        """
        numbers = _numbers_of(there)
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
        for name, bound in self._bounds_of_some:
            nowhere = [each for each in sorted(bound) if each[1] not in numbers.get(each[0], ())]
            if nowhere:
                known = [(topic, number) for topic in sorted(numbers) for number in sorted(numbers[topic])]
                is_or_are = "is" if len(nowhere) == 1 else "are"
                yield (
                    f"{name} is given for {_named(nowhere)}, which {is_or_are} nowhere. "
                    f"There are: {_named(known) or 'none'}."
                )

    def unread(self, there: Iterable[tuple[str | None, int | None]]) -> Iterator[str]:
        """Name the arguments that select nothing.

        Args:
            there: as for `absent`.
        """
        for name, wanted in (("topics", self.topics), ("partitions", self.partitions)):
            if wanted is not None and not isinstance(wanted, re.Pattern) and not wanted:
                yield f"nothing is selected: {name} is empty. None selects all."
        numbers = _numbers_of(there)
        for name, bound in self._bounds_of_some:
            unread = [
                (topic, number)
                for topic, number in sorted(bound)
                if number in numbers.get(topic, ()) and not self.takes_named(topic, number)
            ]
            if unread:
                yield f"{name} is given for {_named(unread)}, which {'is' if len(unread) == 1 else 'are'} not read."

    @property
    def _bounds_of_some(self) -> Iterator[tuple[str, Mapping[tuple[str, int], int]]]:
        """Bounds of offsets that are given by partition, and their names."""
        for name, bound in (("start_offset", self.start_offset), ("end_offset", self.end_offset)):
            # Files seen before may be gone, which the scan notes.
            if isinstance(bound, Mapping) and not isinstance(bound, Offsets):
                yield name, bound

    def outside(self, partitions: Iterable[Partition]) -> Iterator[str]:
        """Name the partitions whose wanted offsets are all below the log start or past the log end.

        Unreadable files are not mentioned; nothing depends on them.

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

    def of_log(self) -> "Selection":
        """The filters that define the log, and the wanted keys."""
        return replace(
            self, start_timestamp=None, end_timestamp=None, control_records=False, expression=None, needles=None
        )

    def of_records(self) -> "Selection":
        """The filters that remain once partitions and their offsets are chosen."""
        return replace(self, topics=None, partitions=None, start_offset=None, end_offset=None)

    def offsets(self, partition: Partition, log_start_offset: int | None) -> "OffsetRange":
        """Offsets that are wanted of one partition.

        Args:
            partition: the partition whose high watermark is used.
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
        return self._within(OffsetRange(start, end))

    def _within(self, offsets: "OffsetRange") -> "OffsetRange":
        """The offsets where the expression can be true."""
        if self.expression is None:
            return offsets
        bounds = self.expression.bounds
        return OffsetRange(
            _together(max, offsets.start, bounds.start_offset), _together(min, offsets.end, bounds.end_offset)
        )

    def of_file(self, offsets: "OffsetRange") -> "FileSelection":
        """The records wanted of one log file.

        Args:
            offsets: which offsets.
        """
        bounds = RowBounds() if self.expression is None else self.expression.bounds
        key = bounds.key if self.key is None else self.key
        # A search in a batch's bytes is faster than a walk over its records.
        sought = bounds.value or key
        return FileSelection(
            offsets,
            _together(max, self.start_timestamp, bounds.start_timestamp),
            _together(min, self.end_timestamp, bounds.end_timestamp),
            key,
            self.control_records,
            Needles((sought,)) if sought else self.needles,
            self.expression if self.expression is not None and self.expression.names_of_batches else None,
        )


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Offsets from `start` up to but not including `end`; None for no bound.

    With "read_committed" `transactions` are the aborted ones, and `end` is at most the last stable offset.
    """

    start: int | None = None
    end: int | None = None
    transactions: AbortedTransactions | None = None


@dataclass(frozen=True)
class FileSelection:
    """Which records of one log file are wanted, asked of a header, of the headers of many batches, or of records.

    Attributes:
        offsets: which offsets.
        start_timestamp: lowest timestamp, in ms, or None.
        end_timestamp: first timestamp after the range, in ms, or None.
        key: the only key, or None for any.
        control_records: whether control records are wanted.
        needles: strings of bytes of which a record must hold one to be wanted.
        expression: the condition on a record, simplified by the values that all records of a batch share.
    """

    offsets: OffsetRange
    start_timestamp: int | None = None
    end_timestamp: int | None = None
    key: bytes | None = None
    control_records: bool = False
    needles: Needles | None = None
    expression: RowExpression | None = None

    @property
    def bounds(self) -> RowBounds:
        """Offsets and times of all records that are wanted, and their key."""
        return RowBounds(*self._bounds, self.key)

    @cached_property
    def is_bounded(self) -> bool:
        """Whether offsets or times are bounded, so that a header can rule out its batch."""
        return any(bound is not None for bound in self._bounds)

    @cached_property
    def fits_kernels(self) -> bool:
        """Whether all bounds fit into 64 bits; if not, only the reference engine can apply them."""
        return all(bound is None or _INT64.min <= bound <= _INT64.max for bound in self._bounds)

    @cached_property
    def row_filter(self) -> RowFilter:
        """The same for the records of a batch that is not wanted as a whole."""
        return RowFilter(*self._bounds, self.key, self.needles)

    def may_hold(self, payload: bytes | memoryview) -> bool:
        """Whether the decompressed records of a batch may hold a wanted one; both engines skip the others."""
        return self.needles is None or self.needles.may_be_in(payload)

    @property
    def needs_records(self) -> bool:
        """Whether headers cannot show that all records are wanted."""
        return any(each is not None for each in (self.start_timestamp, self.end_timestamp, self.key, self.needles))

    @property
    def _bounds(self) -> tuple[int | None, int | None, int | None, int | None]:
        return self.offsets.start, self.offsets.end, self.start_timestamp, self.end_timestamp

    def rules_out(self, header: BatchHeader) -> bool:
        """Whether by its header alone no record of a batch is wanted."""
        if header.is_control_batch and not self.control_records:
            return True
        if _is_wrapper(header):
            # Its offset and timestamp are the producer's; only its messages decide.
            return False
        latest = header.max_timestamp
        return (
            self.states_other_offsets(header)
            or (self.start_timestamp is not None and latest is not None and latest < self.start_timestamp)
            or (
                self.end_timestamp is not None
                and header.timestamp_type == LOG_APPEND_TIME
                and latest is not None
                and latest >= self.end_timestamp
            )
        )

    def states_other_offsets(self, header: BatchHeader) -> bool:
        """Whether the offsets that a header states, or the only one that a wrapper does, are not wanted."""
        last = header.last_offset
        first = header.base_offset if header.base_offset is not None else last
        start, end = self.offsets.start, self.offsets.end
        return (start is not None and last is not None and last < start) or (
            end is not None and first is not None and first >= end
        )

    def is_aborted(self, header: BatchHeader) -> bool:
        """Whether the records of a batch belong to an aborted transaction.

        One bit in the producer id decides, so the CRC must have been checked before.
        """
        return self.offsets.transactions is not None and self.offsets.transactions.is_aborted(header)

    def is_untrue(self, header: BatchHeader) -> bool:
        """Whether the expression is false for every record of a batch, whose CRC must have been checked before."""
        return self.expression is not None and self.expression.rules_out(
            {name: COLUMNS[name].of_batch(header) for name in self.expression.names_of_batches}  # type: ignore[misc]
        )

    def untrue(self, batches: Batches) -> Mask | None:
        """Which of many batches `is_untrue` is true of; None for none."""
        return None if self.expression is None else self.expression.rules_out_batches(batches)

    def covers(self, header: BatchHeader) -> bool:
        """Whether by its header alone every record of a batch is wanted."""
        if self.needs_records:
            return False
        start, end = self.offsets.start, self.offsets.end
        if _is_wrapper(header):
            return start is None and end is None
        if start is not None and (header.base_offset is None or header.base_offset < start):
            return False
        return end is None or (header.last_offset is not None and header.last_offset < end)

    def ruled_out(self, batches: Batches) -> Mask:
        """Which of many batches `rules_out` is true of."""
        headers = batches.headers
        attributes = headers["attributes"]
        unwanted: Mask = np.zeros(len(batches), np.bool_)
        if not self.control_records:
            unwanted |= (attributes & CONTROL) != 0
        if self.offsets.start is not None:
            unwanted |= batches.last_offsets < self.offsets.start
        if self.offsets.end is not None:
            unwanted |= headers["base_offset"] >= self.offsets.end
        if self.start_timestamp is not None:
            unwanted |= headers["max_timestamp"] < self.start_timestamp
        if self.end_timestamp is not None:
            by_broker = (attributes & layout.LOG_APPEND_TIME) != 0
            unwanted |= by_broker & (headers["max_timestamp"] >= self.end_timestamp)
        return unwanted

    def covered(self, batches: Batches) -> Mask:
        """Which of many batches `covers` is true of."""
        if self.needs_records:
            return np.zeros(len(batches), np.bool_)
        covered: Mask = np.ones(len(batches), np.bool_)
        if self.offsets.start is not None:
            covered &= batches.headers["base_offset"] >= self.offsets.start
        if self.offsets.end is not None:
            covered &= batches.last_offsets < self.offsets.end
        return covered

    @staticmethod
    def _hold(record: Record, needles: Needles) -> bool:
        headers = (part for name, value in record.headers for part in (stored_name(name), value))
        return needles.are_in(record.key, record.value, *headers)

    def filter(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records that are wanted."""
        start, end = self.offsets.start, self.offsets.end
        for record in records:
            if (
                (start is None or record.offset >= start)
                and (end is None or record.offset < end)
                and (self.start_timestamp is None or record.timestamp >= self.start_timestamp)
                and (self.end_timestamp is None or record.timestamp < self.end_timestamp)
                and (self.key is None or record.key == self.key)
                and (self.needles is None or self._hold(record, self.needles))
            ):
                yield record


def _is_wrapper(header: BatchHeader) -> bool:
    """Whether the entry is a compressed v0 or v1 message, or one of an unknown codec."""
    return header.magic < CURRENT_MAGIC and header.compression != "none"


def _together(stricter: Callable[[int, int], int], bound: int | None, other: int | None) -> int | None:
    """The stricter of two bounds, None for no bound."""
    return other if bound is None else bound if other is None else stricter(bound, other)


def _bound(bound: EndOffset | None, partition: Partition) -> int | None:
    if isinstance(bound, Offsets):
        return bound.of(partition)
    if isinstance(bound, Mapping):
        if partition.topic is None or partition.partition is None:
            return None
        return bound.get((partition.topic, partition.partition))
    return bound if isinstance(bound, int) else None


def _numbers_of(there: Iterable[tuple[str | None, int | None]]) -> dict[str, set[int]]:
    numbers: dict[str, set[int]] = {}
    for topic, number in there:
        if topic is not None:
            numbers.setdefault(topic, set()).update(() if number is None else (number,))
    return numbers


def _named(partitions: Iterable[tuple[str, int]]) -> str:
    return listed([f"{topic}-{number}" for topic, number in partitions])


def _absent_numbers(of: str, wanted: Collection[int], there: Collection[int]) -> Iterator[str]:
    missing = sorted(set(wanted).difference(there))
    if missing and there:
        yield f"no partition {listed([*map(str, missing)])}{of}. There are: {listed([*map(str, sorted(there))])}."
