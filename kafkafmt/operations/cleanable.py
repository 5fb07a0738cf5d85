"""The range of a log that Kafka's cleaner would clean now, and what limits it.

Follows `LogCleanerManager.cleanableOffsets`, `maxCompactionDelay` and `LogToClean`.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from kafkafmt.answer_columns import Named
from kafkafmt.cached import cached_property
from kafkafmt.files import clean_shutdown
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.logdir.producer_runs import DATA, OngoingTransactions, ProducerRun
from kafkafmt.operations.segment_times import SegmentTimes
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.topics.producer_state.reading import PartitionReading, ProducerStateReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.findings import Finding
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.operations.configs import TopicConfigs

UncleanableReason = Literal["active segment", "high watermark", "open transaction", "min.compaction.lag.ms"]
"""The reason for the first uncleanable offset."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class LastRecord(NamedTuple):
    """The last batch of an active producer, which the cleaner must keep (`ProducerStateManager.lastRecords`).

    Attributes:
        producer_id: id of the producer.
        data_offset: last offset of its last data batch; -1 if a marker with a new epoch came after it.
        producer_epoch: epoch of the producer.
    """

    producer_id: int
    data_offset: int
    producer_epoch: int


class UnstableTransaction(NamedTuple):
    """A transaction that keeps the last stable offset below the high watermark.

    Attributes:
        first_offset: offset at which it begins.
        producer_id: id of its producer.
        marker_offset: offset of its marker, at or above the high watermark; None if it has none.
    """

    first_offset: int
    producer_id: int
    marker_offset: int | None


class CompactedLog:
    """A partition's log as it is once a broker has loaded it.

    Args:
        found: the partition directory, which has at least one segment.
        on_damage: "raise" at damage, or "skip" it.
        limits: bounds of memory.

    Attributes:
        partition: the partition.
        segments: its segments in order.
        start: log start offset.
        end: log end offset.
        high_watermark: entry of replication-offset-checkpoint, limited to the log.
    """

    def __init__(self, found: "Found", on_damage: "OnDamage", limits: "Limits") -> None:
        self._found = found
        self._on_damage: OnDamage = on_damage
        self._limits = limits
        self.partition = found.partition
        self.segments: Sequence[Segment] = found.partition.segments
        self.start = self.partition.log_start_offset or 0
        self.end = self.partition.log_end_offset or 0
        self.high_watermark = max(self.start, min(self.partition.high_watermark or 0, self.end))
        self._damage: list[Damage] = []
        self._bases = [segment.base_offset or 0 for segment in self.segments]

    @property
    def active(self) -> "Segment":
        """The segment that is being written."""
        return self.segments[-1]

    def floor(self, offset: int) -> int:
        """Number of the segment that holds an offset; 0 for an offset below all segments."""
        return max(bisect_right(self._bases, offset) - 1, 0)

    def between(self, start: int, end: int) -> "Sequence[Segment]":
        """Segments from the one that holds `start` up to `end` (`LogSegments.values`)."""
        if start >= end:
            return ()
        return [segment for segment in self.segments[self.floor(start) :] if (segment.base_offset or 0) < end]

    def inactive_from(self, start: int) -> "Sequence[Segment]":
        """Segments from the one that holds `start` up to the active one (`nonActiveLogSegmentsFrom`)."""
        return self.between(start, self._bases[-1])

    def following(self, segment: "Segment") -> "Segment | None":
        """The segment after a given one; None for the last."""
        number = self.floor(segment.base_offset or 0) + 1
        return self.segments[number] if number < len(self.segments) else None

    def largest_timestamp(self, segment: "Segment") -> int:
        """The largest timestamp of a segment as Kafka sees it, in ms.

        Raises:
            KafkafmtError: damage, with on_damage="raise"; or a file cannot be read.
        """
        return self._times.largest(segment, self.following(segment)).timestamp

    @cached_property
    def _times(self) -> SegmentTimes:
        is_clean = clean_shutdown.is_marked(self.partition.location.parent)
        report = None if self._on_damage == "raise" else self._damage.append
        return SegmentTimes(self.partition, clean_shutdown=is_clean, report=report)

    @property
    def damage(self) -> "Sequence[Damage]":
        """Damage skipped while reading producers and timestamps."""
        return [*self._producers[0].damage, *self._damage]

    @property
    def findings(self) -> "Sequence[Finding]":
        """Faults of producer snapshots."""
        return self._producers[0].findings

    @property
    def open_transaction(self) -> UnstableTransaction | None:
        """The transaction that limits the last stable offset; None if that is the high watermark."""
        candidates = [each for each in self._producers[1] if each.first_offset < self.high_watermark]
        return min(candidates, default=None, key=lambda each: each.first_offset)

    @property
    def last_stable_offset(self) -> int:
        """The lower of the high watermark and the first offset of the earliest open transaction.

        A transaction that begins below the log start counts as open at the first remaining offset (`UnifiedLog`).
        """
        earliest = self.open_transaction
        if earliest is None:
            return self.high_watermark
        if earliest.first_offset >= self.start:
            return earliest.first_offset
        segment = self.segments[self.floor(self.start)]
        following = self.following(segment)
        is_past = following is not None and (segment.next_offset() or 0) <= self.start
        return min((following.base_offset or 0) if following and is_past else self.start, self.high_watermark)

    def active_producers(self, at: int, expiration_ms: int) -> list[LastRecord]:
        """Producers that have not expired, by id.

        Args:
            at: the time, in ms.
            expiration_ms: the broker's `producer.id.expiration.ms`.
        """
        return sorted(
            LastRecord(producer_id, producer.last_offset, producer.producer_epoch)
            for producer_id, producer in self._producers[0].states.items()
            if producer.current_txn_first_offset is not None or at - producer.timestamp < expiration_ms
        )

    @cached_property
    def _producers(self) -> tuple[PartitionReading, list[UnstableTransaction]]:
        """Producers at the log end, and transactions that are open or whose marker is not replicated."""
        ongoing = OngoingTransactions()
        unreplicated: list[tuple[int, int, int]] = []

        def see(runs: "Sequence[ProducerRun]") -> None:
            for run in runs:
                ended = ongoing.add(run)
                if ended is not None and run.kind != DATA and run.first_offset >= self.high_watermark:
                    unreplicated.append((ended.first_offset, run.producer_id, run.first_offset))

        reader = ProducerStateReader("snapshot", None, self._on_damage, self._limits, see=see)
        reading = reader.read(self._found)
        begun = (
            {}
            if reading.snapshot is None
            else {
                entry.producer_id: entry.current_txn_first_offset
                for entry in reading.snapshot.entries
                if entry.current_txn_first_offset is not None
            }
        )
        transactions = [
            UnstableTransaction(min(first, begun.get(producer_id, first)), producer_id, marker)
            for first, producer_id, marker in unreplicated
        ]
        transactions += (
            UnstableTransaction(producer.current_txn_first_offset, producer_id, None)
            for producer_id, producer in reading.states.items()
            if producer.current_txn_first_offset is not None
        )
        return reading, transactions


@dataclass(frozen=True, slots=True)
class Cleanable:
    """The range that the cleaner would clean (`LogToClean`); offsets and bytes are those of whole segments.

    Attributes:
        checkpoint: entry of cleaner-offset-checkpoint; None without one.
        first_dirty: first offset that is not cleaned yet.
        first_uncleanable: base offset of the first segment that cannot be cleaned.
        reason: why that segment cannot be cleaned.
        detail: the same in words: which transaction, which segment, and when that ends.
        clean_bytes: bytes of the segments below the first dirty offset.
        dirty_bytes: bytes of the segments from there up to the first uncleanable offset.
        overdue_since: when max.compaction.lag.ms was first exceeded, in ms; None if it is not.
    """

    checkpoint: Annotated[int | None, Named("cleanerCheckpoint", "int64")]
    first_dirty: Annotated[int, Named("firstDirtyOffset", "int64")]
    first_uncleanable: Annotated[int, Named("firstUncleanableOffset", "int64")]
    reason: Annotated[UncleanableReason, Named("uncleanableReason", "string")]
    detail: Annotated[str, Named("uncleanableDetail", "string")]
    clean_bytes: Annotated[int, "int64"]
    dirty_bytes: Annotated[int, "int64"]
    overdue_since: int | None

    @property
    def dirty_ratio(self) -> Annotated[float | None, "float64"]:
        """Dirty bytes divided by clean and dirty bytes; None if there are none."""
        total = self.clean_bytes + self.dirty_bytes
        return self.dirty_bytes / total if total else None

    def verdict(self, configs: "TopicConfigs") -> tuple[bool, str]:
        """Whether Kafka would pick the log if it were the only one, and the reason (`grabFilthiestCompactedLog`)."""
        if "compact" not in configs.policies:
            policy = configs.text("cleanup.policy") or "empty"
            return False, f"not compacted: cleanup.policy is {policy}"
        if not configs.flag("log.cleaner.enable"):
            return False, "log.cleaner.enable is false"
        ratio, least = self.dirty_ratio, configs.real("min.cleanable.dirty.ratio")
        if ratio is None:
            return False, f"nothing to clean below the first uncleanable offset: {self.detail}"
        if not self.dirty_bytes:
            return False, f"all is clean up to the first uncleanable offset {self.first_uncleanable}: {self.detail}"
        if ratio > least:
            return True, f"dirty ratio {ratio:.4f} is above min.cleanable.dirty.ratio {least:g}"
        if self.overdue_since is not None:
            lag = configs.number("max.compaction.lag.ms")
            return True, f"max.compaction.lag.ms {lag} is exceeded since {instant(self.overdue_since)}"
        return False, f"dirty ratio {ratio:.4f} is not above min.cleanable.dirty.ratio {least:g}"


def cleanable(log: CompactedLog, configs: "TopicConfigs", at: int) -> Cleanable:
    """Find the range that the cleaner would clean.

    Args:
        log: the log.
        configs: the configs in force.
        at: the time, in ms.

    Raises:
        KafkafmtError: a checkpoint or an index is broken, or a file cannot be read.
    """
    checkpoint = log.partition.cleaner_offset
    first_dirty = log.start if checkpoint is None else checkpoint
    if not log.start <= first_dirty <= log.end:
        first_dirty = log.start
    bound, reason, detail = min(_bounds(log, first_dirty, configs, at), key=lambda bound: bound[0])
    uncleanable = log.inactive_from(max(first_dirty, bound))
    first_uncleanable = (uncleanable[0] if uncleanable else log.active).base_offset or 0
    return Cleanable(
        checkpoint,
        first_dirty,
        first_uncleanable,
        reason,
        detail,
        sum(segment.size for segment in log.between(-1, first_dirty)),
        sum(segment.size for segment in log.between(min(first_dirty, first_uncleanable), first_uncleanable)),
        _overdue_since(log, first_dirty, configs, at),
    )


def _bounds(
    log: CompactedLog, first_dirty: int, configs: "TopicConfigs", at: int
) -> "Iterator[tuple[int, UncleanableReason, str]]":
    """Upper bounds of the cleanable range with their reasons; of equal bounds the first one decides."""
    open_ = log.open_transaction
    if open_ is not None:
        state = (
            "has no marker" if open_.marker_offset is None else f"has its marker at {open_.marker_offset}, unreplicated"
        )
        text = f"the transaction of producer {open_.producer_id} from offset {open_.first_offset} on {state}"
        yield log.last_stable_offset, "open transaction", text
    lag = max(configs.number("min.compaction.lag.ms"), 0)
    if lag:
        for segment in log.inactive_from(first_dirty):
            timestamp = log.largest_timestamp(segment)
            if timestamp > at - lag:
                until = "never" if timestamp + lag > INT64_MAX else f"from {instant(timestamp + lag)} on"
                text = f"segment {segment.base_offset} has timestamp {instant(timestamp)}: it can be cleaned {until}"
                yield segment.base_offset or 0, "min.compaction.lag.ms", text
                break
    active = log.active.base_offset or 0
    if log.high_watermark < active:
        text = f"the high watermark is {log.high_watermark}, the log ends at {log.end}"
        yield log.high_watermark, "high watermark", text
    yield active, "active segment", f"segment {active} is the active one; it is cleaned once another is rolled"


def _overdue_since(log: CompactedLog, first_dirty: int, configs: "TopicConfigs", at: int) -> int | None:
    """When max.compaction.lag.ms was first exceeded, by the first batch of each dirty segment; None if it was not."""
    lag = max(configs.number("max.compaction.lag.ms"), 0)
    if lag == INT64_MAX:
        return None
    first = [_first_timestamp(segment) for segment in log.inactive_from(first_dirty)]
    earliest = min((timestamp for timestamp in first if timestamp > 0), default=INT64_MAX)
    return earliest + lag if earliest < at - lag else None


def _first_timestamp(segment: "Segment") -> int:
    """Largest timestamp of the first batch; -1 if there is no batch."""
    with segment.open() as file:
        reader = SegmentReader(file, name=segment.file, on_damage="skip")
        for header in reader.walk(lambda entry: entry.header()):
            return -1 if header.max_timestamp is None else header.max_timestamp
    return -1


def instant(timestamp: int) -> str:
    """A time in ms as ISO 8601; the number itself if it is outside the years 1 to 9999."""
    try:
        moment = _EPOCH + timedelta(milliseconds=timestamp)
    except OverflowError:
        return str(timestamp)
    return f"{moment.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"
