"""Offsets of a stream: where it starts, how far it can read, and which offsets a batch reads of each partition.

In checkpoints they are the JSON of Spark's kafka source, `{"orders":{"0":1200}}`: the next offset of each partition.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from kafkafmt.errors import SourceError
from pyspark_kafkafmt import option_errors, option_values
from pyspark_kafkafmt.offsets import GivenOffsets, Losses, Timestamps, check_choice, check_named
from pyspark_kafkafmt.planning import RecentTexts, warn
from pyspark_kafkafmt.stream_ids import StreamTopicIds
from pyspark_kafkafmt.stream_limits import Delay, limited_bytes, limited_offsets
from pyspark_kafkafmt.stream_logs import GrowingLogs
from pyspark_kafkafmt.stream_options import EARLIEST, LATEST

if TYPE_CHECKING:
    from kafkafmt.serving.served_log import ServedLog
    from pyspark_kafkafmt.option_errors import DataLossError, TopicPartition
    from pyspark_kafkafmt.stream_options import StreamOptions

Offsets: TypeAlias = "dict[TopicPartition, int]"


def to_json(offsets: "Mapping[TopicPartition, int]") -> dict[str, dict[str, int]]:
    """Offsets in the JSON form of Spark's kafka source, in order."""
    found: dict[str, dict[str, int]] = {}
    for (topic, number), offset in sorted(offsets.items()):
        found.setdefault(topic, {})[str(number)] = offset
    return found


def from_json(offsets: Mapping[str, Any] | None) -> Offsets:
    """Offsets by partition, from the JSON form.

    Raises:
        OptionError: the JSON has another form, as in the checkpoint of another source.
    """
    text = json.dumps(offsets or {})
    try:
        return option_values.longs_by_partition(text)
    except ValueError as error:
        raise option_errors.foreign_offsets(text, str(error)) from None


class StreamOffsets:
    """The offsets of a stream, according to its logs at each trigger.

    Args:
        options: options of the stream.

    Attributes:
        latest: the ends of the logs at the last look.
    """

    def __init__(self, options: "StreamOptions") -> None:
        self.latest: Offsets = {}
        self._options = options
        self._logs = GrowingLogs(options.source)
        self._is_committed = options.source.isolation_level == "read_committed"
        least = options.min_offsets
        self._delay = None if least is None else Delay(least, options.max_delay_ms)
        self._ids = StreamTopicIds(options.checkpoint)
        # Where a stream was in partitions whose topic has been created again since.
        self._recreated: Offsets = {}
        self._compared: Offsets | None = None
        self._said = RecentTexts()

    @property
    def logs(self) -> "Mapping[TopicPartition, ServedLog]":
        """The partitions at the last look."""
        return self._logs.logs

    def starts(self) -> Offsets:
        """Where a stream without a checkpoint starts.

        Raises:
            OptionError: the options do not fit the existing partitions, or no record is as late as the start time.
            DataLossError: the options name topics or partitions that do not exist.
            KafkafmtError: a path matches nothing, or a file cannot be read; damage where a time is looked up, in mode
                FAILFAST.
        """
        options, start = self._options, self._options.start
        self.look({})
        losses = self._losses()
        check_choice(options.source.topics, {topic for topic, _ in self.logs}, self.logs, losses)
        if start == "latest":
            found = dict(self.latest)
        elif start == "earliest":
            found = {key: log.start for key, log in self.logs.items()}
        elif isinstance(start, GivenOffsets):
            check_named(start, options.source.topics, self.logs, losses)
            found = {key: self._start_at(start, key, losses) for key in self.logs}
        else:
            if not isinstance(start.by_partition, int):
                check_named(start, options.source.topics, self.logs, losses)
            found = {key: self._start_of_time(start, key) for key in self.logs}
        self._warn(losses)
        return found

    def _start_at(self, start: GivenOffsets, key: "TopicPartition", losses: Losses) -> int:
        first, end = self.logs[key].start, self.latest[key]
        offset = start.by_partition[key]
        if offset is None or offset in (EARLIEST, LATEST):
            return end if offset == LATEST else first
        there = min(max(offset, first), end)
        if there != offset:
            losses.add(option_errors.out_of_range(start.option, key, offset, first, end))
        return there

    def _start_of_time(self, start: Timestamps, key: "TopicPartition") -> int:
        timestamp = start.by_partition if isinstance(start.by_partition, int) else start.by_partition[key]
        skips = self._options.source.mode != "FAILFAST"
        partition = self.logs[key].partition
        found = partition.first_at(timestamp, report=(lambda _: None) if skips else None)
        if found is not None and found.offset < self.latest[key]:
            return found.offset
        if self._options.on_no_match == "error":
            raise option_errors.no_offset_at(start.option, key, timestamp)
        return self.latest[key]

    def look(self, known: "Mapping[TopicPartition, int]") -> None:
        """Bring `logs` and `latest` up to date.

        Args:
            known: offsets that existed; if one is missing, the look is repeated a few times.

        Raises:
            SourceError: a file cannot be read.
        """

        def holds(logs: "Mapping[TopicPartition, ServedLog]") -> bool:
            try:
                return all(key in logs and self._end_of(logs[key]) >= offset for key, offset in known.items())
            except SourceError:  # it has just been renamed or deleted
                return False

        self._logs.look(holds)
        self.latest = {key: self._end_of(log) for key, log in self.logs.items()}
        self._logs.warn_of_tails()

    def _end_of(self, log: "ServedLog") -> int:
        return log.last_stable_offset if self._is_committed else log.log_end

    def ends(self, start: "Offsets | None", *, is_limited: bool) -> Offsets:
        """Where the next batch ends, according to the last look.

        Args:
            start: where it starts; None if unknown, as before Spark 4.2.
            is_limited: whether the limits of the options apply.

        Raises:
            DataLossError: a topic was deleted and created again, and `failOnDataLoss` is true.
            KafkafmtError: a file cannot be read.
        """
        self._compared = None
        ends = dict(self.latest)
        if start is not None:
            begins = self._begins(start)
            limited = self._limited(begins, ends) if is_limited else ends
            ends = dict(start) if limited is None else limited
        if ends != start:
            self._ids.remember(ends, self._logs.ids, start)
        return ends

    def _begins(self, start: Offsets) -> Offsets:
        """Where a batch starts in each partition, including new ones and those of recreated topics."""
        self._find_recreated(start)
        return {
            key: log.start if key in self._recreated else start.get(key, log.start) for key, log in self.logs.items()
        }

    def _find_recreated(self, start: Offsets) -> None:
        """Find topics that were deleted and created again since a stream was at these offsets."""
        losses = self._losses()
        self._recreated, self._compared = {}, start
        known = self._ids.at(start, self._logs.ids)
        for key, offset in start.items():
            before, now = known.get(key), self._logs.ids.get(key)
            if before is not None and now is not None and before != now:
                losses.add(option_errors.recreated(key, offset, before, now))
                self._recreated[key] = offset
        self._warn(losses)

    def _limited(self, begins: Offsets, ends: Offsets) -> "Offsets | None":
        """Apply the limits; returns None to read nothing yet."""
        options = self._options
        if self._delay is not None and self._delay.holds_back(begins, ends):
            return None
        if options.max_offsets is not None:
            ends = limited_offsets(options.max_offsets, begins, ends)
        if options.max_bytes is not None:
            ends = limited_bytes(options.max_bytes, begins, ends, self.logs)
        return ends

    def ranges(self, start: Offsets, end: Offsets) -> "dict[TopicPartition, tuple[int, int]]":
        """The offsets to read of each partition, as far as they exist.

        Raises:
            DataLossError: some do not exist, and `failOnDataLoss` is true.
            KafkafmtError: a file cannot be read.
        """
        if any(offset > self.latest.get(key, -1) for key, offset in end.items()):
            self.look(end)
            self._compared = None
        if self._compared != start:
            self._find_recreated(start)
        losses = self._losses()
        gone = {*(start.keys() - end.keys()), *(key for key in end if key not in self.logs)}
        if gone:
            losses.add(option_errors.partitions_gone(gone))
        ranges: dict[TopicPartition, tuple[int, int]] = {}
        for key in sorted(end.keys() - gone):
            for loss in self._add_range(key, start.get(key), end[key], ranges):
                losses.add(loss)
        self._warn(losses)
        return ranges

    def _add_range(
        self,
        key: "TopicPartition",
        start: int | None,
        end: int,
        ranges: "dict[TopicPartition, tuple[int, int]]",
    ) -> "list[DataLossError]":
        """Add the existing part of a range; returns errors about the missing parts."""
        losses = []
        first, log_end = self.logs[key].start, self.latest[key]
        if start is not None and self._recreated.get(key) == start:
            start = first
        if start is None:
            losses += [option_errors.begins_late(key, first)] if first else []
            start = first
        elif end < start:
            losses.append(option_errors.ends_early(key, start, end))
        elif start < first and start < end:
            losses.append(option_errors.deleted_before_read(key, start, min(first, end)))
        if log_end < end:
            losses.append(option_errors.ends_early(key, end, log_end))
        begin, stop = max(start, first), min(end, log_end)
        if begin < stop:
            ranges[key] = begin, stop
        return losses

    def _losses(self) -> Losses:
        return Losses(fatal=self._options.source.fail_on_data_loss)

    def _warn(self, losses: Losses) -> None:
        for text in losses.warnings:
            if self._said.is_new(text):
                warn(text)
