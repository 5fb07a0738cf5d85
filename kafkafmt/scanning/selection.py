"""Selection: the records that a scan keeps by its arguments, and the arguments that select nothing."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from kafkafmt.columnar.row_filter import Needles
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.logdir.partition import Partition
from kafkafmt.phrases import are, listed
from kafkafmt.scanning.arguments import HIGH_WATERMARK, EndOffset, IsolationLevel, OffsetBound, Topics
from kafkafmt.scanning.file_selection import FileSelection, OffsetRange, strictest
from kafkafmt.scanning.offsets import Offsets
from kafkafmt.scanning.row_expression import RowBounds, RowExpression


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
        """The part of the expression that `of_file` leaves to check; None if the rest implies it."""
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
        """Yield sentences on requested topics and partitions that do not exist, with those that do.

        Args:
            there: topic and partition of each directory found.
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
                yield (
                    f"{name} is given for {_named(nowhere)}, which {'does' if len(nowhere) == 1 else 'do'} not exist. "
                    f"There are: {_named(known) or 'none'}."
                )

    def unread(self, there: Iterable[tuple[str | None, int | None]]) -> Iterator[str]:
        """Yield sentences on arguments that select nothing."""
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
                yield f"{name} is given for {_named(unread)}, which {are(len(unread))} not read."

    @property
    def _bounds_of_some(self) -> Iterator[tuple[str, Mapping[tuple[str, int], int]]]:
        """Bounds of offsets that are given by partition, and their names."""
        for name, bound in (("start_offset", self.start_offset), ("end_offset", self.end_offset)):
            # Partitions in `Offsets` may be gone; the scan notes that.
            if isinstance(bound, Mapping) and not isinstance(bound, Offsets):
                yield name, bound

    def outside(self, partitions: Iterable[Partition]) -> Iterator[str]:
        """Yield sentences on partitions whose wanted offsets are all below the log start or past the log end.

        Unreadable files are not mentioned, as nothing depends on them.

        Args:
            partitions: partitions whose records are wanted.
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

    def offsets(self, partition: Partition, log_start_offset: int | None) -> OffsetRange:
        """The wanted offsets of one partition.

        Args:
            partition: the partition, whose high watermark may be needed.
            log_start_offset: lowest offset to deliver, or None.

        Raises:
            SourceError: the high watermark is requested but unknown.
            CorruptError, UnsupportedError: the replication-offset-checkpoint is broken.
        """
        asked = _bound(self.start_offset, partition)
        start = strictest(max, asked, log_start_offset)
        if self.end_offset == HIGH_WATERMARK:
            end = partition.high_watermark
            if end is None:
                raise SourceError(
                    "the high watermark is unknown: the replication-offset-checkpoint does not have the partition",
                    file=partition.path,
                )
        else:
            end = _bound(self.end_offset, partition)
        return self._within(OffsetRange(start, end))

    def _within(self, offsets: OffsetRange) -> OffsetRange:
        """The offsets where the expression can be true."""
        if self.expression is None:
            return offsets
        return offsets.within(self.expression.bounds.start_offset, self.expression.bounds.end_offset)

    def of_file(self, offsets: OffsetRange) -> FileSelection:
        """The wanted records of one log file."""
        bounds = RowBounds() if self.expression is None else self.expression.bounds
        key = bounds.key if self.key is None else self.key
        # Searching in a batch's bytes is faster than walking over its records.
        sought = bounds.value or key
        return FileSelection(
            offsets,
            strictest(max, self.start_timestamp, bounds.start_timestamp),
            strictest(min, self.end_timestamp, bounds.end_timestamp),
            key,
            self.control_records,
            Needles((sought,)) if sought else self.needles,
            self.expression if self.expression is not None and self.expression.names_of_batches else None,
        )


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
