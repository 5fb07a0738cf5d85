"""`retention`: the segments that Kafka's retention would delete now, the time of the others, and the reasons."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import pyarrow as pa

from kafkafmt.answer_columns import TIME, TableColumns
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.files import clean_shutdown
from kafkafmt.files.damage import Note, listed
from kafkafmt.findings import Finding, finding_of
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.logdir.leader_epochs import history_beside
from kafkafmt.logdir.remote_log import RemoteLog, read_remote_log
from kafkafmt.logdir.tier_segment import TierFile
from kafkafmt.operations.deletion import Cause, LogFacts, RetentionLimits, one_pass
from kafkafmt.operations.header_order import AT_THE_END, order_findings
from kafkafmt.operations.log_question import LogAnswer, LogQuestion
from kafkafmt.operations.retention_reasons import JudgedLog, JudgedSegment
from kafkafmt.operations.segment_times import LargestTimestamp, SegmentTimes
from kafkafmt.topics.answers import counted, each_once

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Found, Searchable, Sources
    from kafkafmt.operations.configs import TopicConfigs
    from kafkafmt.scanning.arguments import Time

DAY_MS: Final = 86_400_000
_TIERS: Final = "deletions from remote storage are not predicted: `kafkafmt tiers` lists what is there"
_HORIZONS: Final = (0, DAY_MS, 7 * DAY_MS)
_DELETABLE: Final = tuple((name, pa.int64()) for name in ("deletableBytes", "inADayBytes", "inAWeekBytes"))
_HELD: Final = (("heldBy", pa.string()), ("heldBytes", pa.int64()), ("reason", pa.string()), ("find", pa.string()))
_SIZES: Final = (("segments", pa.int64()), ("sizeInBytes", pa.int64()))


class _SegmentRow(NamedTuple):
    log: JudgedLog
    number: int
    segment: JudgedSegment


_SEGMENTS: Final = TableColumns(
    ("topic", pa.string(), "log.topic"),
    ("partition", pa.int32(), "log.partition"),
    ("baseOffset", pa.int64(), lambda row: row.log.facts.base_offsets[row.number]),
    ("sizeInBytes", pa.int64(), lambda row: row.log.facts.sizes[row.number]),
    ("largestTimestamp", TIME, "segment.largest.timestamp"),
    ("largestTimestampFrom", pa.string(), "segment.largest.source"),
    ("largestTimestampOffset", pa.int64(), lambda row: row.log.offset_of(row.number)),
    ("decision", pa.string(), lambda row: "delete" if row.segment.fate.is_deleted else "keep"),
    ("reason", pa.string(), lambda row: row.log.reason_of(row.number)),
    ("deletableAt", TIME, "segment.fate.deletable_at"),
    ("retentionMs", pa.int64(), "log.limits.ms"),
    ("retentionBytes", pa.int64(), "log.limits.size"),
    ("configSource", pa.string(), "log.config_source"),
    ("find", pa.string(), lambda row: row.log.find_of(row.number)),
    ("file", pa.string(), "segment.file"),
)
_LOG: Final = TableColumns(
    ("logStartOffset", pa.int64(), "facts.log_start_offset"),
    ("logStartOffsetAfter", pa.int64(), "log_start_offset_after"),
    ("highWatermark", pa.int64(), "facts.high_watermark"),
    ("logEndOffset", pa.int64(), "facts.log_end_offset"),
    ("cleanupPolicy", pa.string(), lambda log: log.configs.text("cleanup.policy")),
    ("retentionMs", pa.int64(), "limits.ms"),
    ("retentionBytes", pa.int64(), "limits.size"),
    ("configSource", pa.string(), "config_source"),
    ("path", pa.string(), "path"),
)
SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    "segments": _SEGMENTS.schema,
    "topics": pa.schema([("topic", pa.string()), ("partitions", pa.int64()), *_SIZES, *_DELETABLE, *_HELD]),
    "partitions": pa.schema(
        [("topic", pa.string()), ("partition", pa.int32()), *_SIZES, *_DELETABLE, *_HELD, *_LOG.schema]
    ),
}
"""Columns of each table; docs/retention.md describes them."""

T = TypeVar("T")


class Retention(LogAnswer):
    """The fate of each log in a pass of retention.

    Attributes:
        logs: in order of topic, partition and path.
        damage: skipped damage of logs and of the metadata; rows may add to it, as they look for records.
        findings: files that cannot be read.
    """

    def __init__(
        self,
        logs: Sequence[JudgedLog],
        at: int,
        damage: "Sequence[Damage]",
        notes: Sequence[str],
        findings: Sequence[Finding],
    ) -> None:
        super().__init__(at, damage, notes, findings)
        self.logs = logs

    @classmethod
    def schemas(cls) -> Mapping[str, pa.Schema]:
        """Schema of each table by its name."""
        return SCHEMAS

    def rows(self, name: str) -> Iterable[Sequence[Any]]:
        """Rows of a table."""
        return {"segments": self._segments, "topics": self._topics, "partitions": self._partitions}[name]()

    def deletable_bytes(self, logs: "Iterable[JudgedLog] | None" = None) -> tuple[int, int, int]:
        """Bytes that a pass deletes now, those by a pass a day later, and those a week later, if nothing is written.

        Args:
            logs: of these; None for all.
        """
        sums = [0, 0, 0]
        for log in self.logs if logs is None else logs:
            for segment, size in zip(log.segments, log.facts.sizes, strict=True):
                due = self.at if segment.fate.is_deleted else segment.fate.deletable_at
                for number, horizon in enumerate(_HORIZONS):
                    sums[number] += size if due is not None and due <= self.at + horizon else 0
        return sums[0], sums[1], sums[2]

    def worst_holder(self) -> tuple[JudgedLog, int, int] | None:
        """The segment that holds back most bytes of later ones, which would go before it; None if there is none.

        Returns:
            its log, its number, and those bytes.
        """
        held: Counter[tuple[int, int]] = Counter()
        for place, log in enumerate(self.logs):
            for segment, size in zip(log.segments, log.facts.sizes, strict=True):
                if segment.fate.cause is Cause.EARLIER_SEGMENT and not segment.fate.is_deleted:
                    held[place, segment.fate.holder] += size
        for (place, holder), size in held.most_common(1):
            return self.logs[place], holder, size
        return None

    def _segments(self) -> Iterator[Sequence[Any]]:
        for log in self.logs:
            for number, segment in enumerate(log.segments):
                yield _SEGMENTS.row(_SegmentRow(log, number, segment))

    def _topics(self) -> Iterator[Sequence[Any]]:
        topics: dict[str | None, list[JudgedLog]] = {}
        for log in self.logs:
            topics.setdefault(log.topic, []).append(log)
        for topic, logs in sorted(topics.items(), key=lambda item: -_sizes(item[1])[1]):
            yield topic, len(logs), *_sizes(logs), *self.deletable_bytes(logs), *_held(logs)

    def _partitions(self) -> Iterator[Sequence[Any]]:
        for log in self.logs:
            sums = *_sizes([log]), *self.deletable_bytes([log]), *_held([log])
            yield log.topic, log.partition, *sums, *_LOG.row(log)


def _sizes(logs: Sequence[JudgedLog]) -> tuple[int, int]:
    return sum(len(log.segments) for log in logs), sum(sum(log.facts.sizes) for log in logs)


def _held(logs: Sequence[JudgedLog]) -> tuple[str | None, int, str | None, str | None]:
    """The main reason for retained bytes, the bytes, and the reason and the `find` of the segment with most of them."""
    causes: Counter[Cause] = Counter()
    holders: dict[Cause, Counter[tuple[int, int]]] = {}
    for place, log in enumerate(logs):
        for number, segment in enumerate(log.segments):
            if not segment.fate.is_deleted:
                cause, size = segment.fate.cause, log.facts.sizes[number]
                causes[cause] += size
                holders.setdefault(cause, Counter())[place, segment.fate.holder] += size
    if not causes:
        return None, 0, None, None
    cause = max(causes, key=lambda each: causes[each])
    (place, holder), _ = holders[cause].most_common(1)[0]
    return str(cause), causes[cause], logs[place].reason_of(holder), logs[place].find_of(holder)


def retention(
    source: "Searchable",
    *,
    at: "Time | None" = None,
    metadata: "Searchable | None" = None,
    config: Mapping[str, object] | None = None,
    topics: "str | Iterable[str] | re.Pattern[str] | None" = None,
    partitions: int | Iterable[int] | None = None,
    filesystem: "FileSystem | None" = None,
    on_damage: "OnDamage" = "skip",
    limits: "Limits | None" = None,
    missing: "Missing" = "raise",
    progress: Callable[[int], None] = lambda _: None,
) -> Retention:
    """Predict which segments a pass of Kafka's retention deletes, when it deletes the others, and what holds them.

    Kafka 4.x is followed (`UnifiedLog.deleteOldSegments`), as a broker that starts on these disks. Time indexes are
    read, and the headers of the last 16 MiB of the active segment and of those that a start recovers, to say whether
    they are in order; rows also read the batches that have the largest timestamps.

        >>> kafkafmt.open("/var/lib/kafka/data").retention(at=1795234639873).to_table("topics")

    Args:
        source: log directories, as for `kafkafmt.scan`; each copy of a partition has rows of its own, and a named file
            counts as its partition.
        at: time of the pass, in ms or as a datetime; None for now.
        metadata: where the cluster's metadata log is, which has the configs, if it is not in `source`.
        config: values of configs that override, as for `kafkafmt.operations.configs.configs_of`.
        topics: names, or a compiled pattern for the whole name; None for all.
        partitions: numbers; None for all.
        filesystem: any pyarrow file system that `source` and `metadata` are paths of.
        on_damage: "raise" an error at the first damage, or "skip" and list it.
        limits: bounds of memory.
        missing: "raise" an error if a named topic or partition does not exist, or "note" it.
        progress: called with the bytes of log files that have been judged.

    Raises:
        NotFoundError: a topic or partition does not exist.
        SourceError: a source is missing, unreadable or without Kafka's files, or `metadata` has no metadata log.
        KafkafmtError: at damage.
        TypeError, ValueError: an invalid argument.
    """
    question = LogQuestion.ask(
        source,
        at=at,
        metadata=metadata,
        config=config,
        topics=topics,
        partitions=partitions,
        filesystem=filesystem,
        on_damage=on_damage,
        limits=limits,
        missing=missing,
    )
    judge = _Judge(question, on_damage)

    def judged(found: "Found") -> JudgedLog:
        log = judge.judge(found.partition)
        progress(sum(log.facts.sizes))
        return log

    logs = question.judged(question.logs(), judged)
    notes = [*question.notes(_TIERS), *judge.notes]
    return Retention(logs, question.at, each_once(judge.damage), notes, [*question.configs.findings, *judge.findings])


@dataclass(frozen=True, slots=True)
class _LargestOffsets:
    """Reads segments of a log for the first records with their largest timestamps, each once. It can be pickled."""

    times: SegmentTimes
    segments: "Sequence[Segment]"
    largest: Sequence[LargestTimestamp]
    searched: "Sources"
    known: dict[int, int | None] = field(default_factory=dict)

    def __call__(self, number: int) -> int | None:
        if number not in self.known:
            try:
                self.known[number] = self.times.offset_of(self.segments[number], self.largest[number])
            except SourceError as error:
                self.searched.report(error)
                self.known[number] = None
        return self.known[number]


class _Judge:
    """Reads the facts that retention needs of partition directories, and judges them."""

    def __init__(self, question: LogQuestion, on_damage: "OnDamage") -> None:
        self.damage: list[Damage] = [*question.configs.damage]
        self.findings: list[Finding] = []
        self._at = question.at
        self._configs = question.configs
        self._searched = question.searched
        self._partly_checked = 0
        self._raises = on_damage == "raise"
        self._is_clean = cache(clean_shutdown.is_marked)
        self._assumed: dict[str, set[str | None]] = {}
        self._cut: list[str] = []

    @property
    def notes(self) -> Sequence[str]:
        """Assumed configs, what a start drops, unread remote metadata if it was needed, and unchecked headers."""
        notes: list[str] = [*self._remote.notes] if "_remote" in vars(self) else []
        if self._assumed:
            topics = len(set.union(*self._assumed.values()))
            text = (
                f"{' and '.join(self._assumed)} of {counted(topics, 'topic')}: Kafka's default is assumed, as the "
                "metadata log sets none; server.properties, which is not read, may (--config sets what it has)"
            )
            notes.append(Note(text, is_finding=False))
        if self._cut:
            text = (
                "Kafka recovers these logs when it starts, and drops what follows damage in them, which is counted "
                f"here (kafkafmt verify --show partitions says where they end then): {listed(self._cut)}"
            )
            notes.append(Note(text, is_finding=False))
        if self._partly_checked:
            mib = AT_THE_END // (1024 * 1024)
            text = (
                f"of segments larger than {mib} MiB ({self._partly_checked:,} here) the order of offsets and leader "
                f"epochs was checked in the last {mib} MiB alone: kafkafmt verify checks all. No decision depends on it"
            )
            notes.append(Note(text, is_finding=False))
        return notes

    def judge(self, partition: "Partition") -> JudgedLog:
        """Judge one partition directory.

        Raises:
            KafkafmtError: at damage, unless it is skipped; a file cannot be read.
        """
        configs = self._configs.of_partition(partition)
        segments = [each for each in partition.segments if not isinstance(each.location, TierFile)]
        is_tiered = _is_tiered(partition, configs)
        ms_name, bytes_name = (_name(configs, f"retention.{unit}", is_tiered=is_tiered) for unit in ("ms", "bytes"))
        policies = configs.policies
        limits = RetentionLimits(
            configs.number(ms_name), configs.number(bytes_name), "delete" in policies or (is_tiered and not policies)
        )
        if limits.is_deleted and self._configs.has_metadata_of(partition):
            for name in (ms_name, bytes_name):
                if configs.source(name) == f"{name}=default":
                    self._assumed.setdefault(name, set()).add(partition.topic)
        is_clean = self._is_clean(partition.location.parent)
        times = SegmentTimes(
            partition,
            clean_shutdown=is_clean,
            recovery_point=None if is_clean else self._read(partition, lambda: partition.recovery_point),
            report=None if self._raises else self.damage.append,
        )
        largest = [times.largest(each, following) for each, following in _followed(segments)]
        history = cache(partial(history_beside, segments[0])) if segments else None
        for each, following in _followed(segments):
            is_recovered = times.is_recovered(each, following)
            if history is not None and (following is None or is_recovered):
                report = partial(self._damaged, partition, is_recovered)
                self.findings += order_findings(partition, each, following, history, most=AT_THE_END, report=report)
                self._partly_checked += each.size > AT_THE_END
        uploaded = self._uploaded(partition) if is_tiered else None
        uploaded_to = -1 if is_tiered and uploaded is None else uploaded
        facts = self._facts(partition, segments, [each.timestamp for each in largest], uploaded_to)
        fates = one_pass(facts, limits, self._at)

        return JudgedLog(
            partition.topic,
            partition.partition,
            partition.path,
            configs,
            ms_name,
            bytes_name,
            limits,
            facts,
            self._read(partition, lambda: partition.high_watermark) is not None,
            uploaded is not None,
            [JudgedSegment(*each) for each in zip([one.file for one in segments], largest, fates, strict=True)],
            _LargestOffsets(times, segments, largest, self._searched),
        )

    def _damaged(self, partition: "Partition", is_recovered: bool, damage: "Damage") -> None:
        if damage.is_open_end:
            return
        if self._raises:
            raise damage.error
        self.damage.append(damage)
        if is_recovered and partition.path not in self._cut:
            self._cut.append(partition.path)

    def _facts(
        self, partition: "Partition", segments: "Sequence[Segment]", largest: Sequence[int], uploaded_to: int | None
    ) -> LogFacts:
        bases = [segment.base_offset or 0 for segment in segments]
        checkpointed = self._read(partition, lambda: partition.checkpointed_log_start_offset)
        start = max(checkpointed or 0, *bases[:1], 0)
        end = max(start, partition.next_offset() or 0 if segments else 0)
        # As Partition.createLog sets it: 0 without an entry, and never outside of the log.
        watermark = self._read(partition, lambda: partition.high_watermark) or 0
        watermark = min(max(watermark, start), end)
        return LogFacts(bases, [each.size for each in segments], largest, start, end, watermark, uploaded_to)

    def _uploaded(self, partition: "Partition") -> int | None:
        """Highest offset in remote storage, as `RemoteLogManager` finds it; -1 for none, None if it is not known."""
        topic_id = self._read(partition, lambda: partition.topic_id)
        if topic_id is None or not self._remote.partitions:
            return None
        known = self._remote.partitions.get((topic_id, partition.partition or 0))
        if known is None:
            return -1
        lineage = self._read(partition, lambda: partition.leader_epochs) or ()
        return max((last for ranges in known.answers(lineage).values() for _, last in ranges), default=-1)

    @cached_property
    def _remote(self) -> RemoteLog:
        return read_remote_log(each.partition for each in self._searched.found)

    def _read(self, partition: "Partition", read: Callable[[], T]) -> T | None:
        """Read a small file beside the log; None for a broken one that is skipped.

        Raises:
            KafkafmtError: it is broken, and damage is not skipped; it cannot be read.
        """
        try:
            return read()
        except DataError as error:
            if self._raises:
                raise
            self._broken(error, partition)
            return None

    def _broken(self, error: KafkafmtError, partition: "Partition") -> None:
        finding = finding_of(error, error.file or partition.path, topic=partition.topic, partition=partition.partition)
        if finding not in self.findings:
            self.findings.append(finding)


def _followed(segments: "Sequence[Segment]") -> "Iterator[tuple[Segment, Segment | None]]":
    following: list[Segment | None] = [*segments[1:], None]
    return zip(segments, following[: len(segments)], strict=True)


def _is_tiered(partition: "Partition", configs: "TopicConfigs") -> bool:
    """Whether segments go to remote storage: Kafka's own topics never do (`UnifiedLog.remoteLogEnabled`)."""
    is_enabled = configs.flag("remote.storage.enable") and not configs.flag("remote.log.copy.disable")
    return is_enabled and partition.topic not in INTERNAL_TOPICS


def _name(configs: "TopicConfigs", name: str, *, is_tiered: bool) -> str:
    """The config that decides: that of the local log of a tiered topic, unless that is -2."""
    return f"local.{name}" if is_tiered and configs.number(f"local.{name}") != -2 else name
