"""`retention`: the segments that Kafka's retention would delete now, the time of the others, and the reasons."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kafkafmt.answer_columns import TIME, TableColumns
from kafkafmt.findings import Finding
from kafkafmt.libraries import pa
from kafkafmt.operations.deletion import Cause
from kafkafmt.operations.log_question import LogAnswer, LogQuestion
from kafkafmt.operations.retention_judge import RetentionJudge
from kafkafmt.operations.retention_reasons import JudgedLog, JudgedSegment
from kafkafmt.topics.answers import each_once

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Found, Searchable
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
    ("topic", "string", "log.topic"),
    ("partition", "int32", "log.partition"),
    ("baseOffset", "int64", lambda row: row.log.facts.base_offsets[row.number]),
    ("sizeInBytes", "int64", lambda row: row.log.facts.sizes[row.number]),
    ("largestTimestamp", TIME, "segment.largest.timestamp"),
    ("largestTimestampFrom", "string", "segment.largest.source"),
    ("largestTimestampOffset", "int64", lambda row: row.log.offset_of(row.number)),
    ("decision", "string", lambda row: "delete" if row.segment.fate.is_deleted else "keep"),
    ("reason", "string", lambda row: row.log.reason_of(row.number)),
    ("deletableAt", TIME, "segment.fate.deletable_at"),
    ("retentionMs", "int64", "log.limits.ms"),
    ("retentionBytes", "int64", "log.limits.size"),
    ("configSource", "string", "log.config_source"),
    ("find", "string", lambda row: row.log.find_of(row.number)),
    ("file", "string", "segment.file"),
)
_LOG: Final = TableColumns(
    ("logStartOffset", "int64", "facts.log_start_offset"),
    ("logStartOffsetAfter", "int64", "log_start_offset_after"),
    ("highWatermark", "int64", "facts.high_watermark"),
    ("logEndOffset", "int64", "facts.log_end_offset"),
    ("cleanupPolicy", "string", lambda log: log.configs.text("cleanup.policy")),
    ("retentionMs", "int64", "limits.ms"),
    ("retentionBytes", "int64", "limits.size"),
    ("configSource", "string", "config_source"),
    ("path", "string", "path"),
)
SCHEMAS: "Final[Mapping[str, pa.Schema]]" = {
    "segments": _SEGMENTS.schema,
    "topics": pa.schema([("topic", pa.string()), ("partitions", pa.int64()), *_SIZES, *_DELETABLE, *_HELD]),
    "partitions": pa.schema(
        [("topic", pa.string()), ("partition", pa.int32()), *_SIZES, *_DELETABLE, *_HELD, *_LOG.schema]
    ),
}
"""Columns of each table; docs/retention.md describes them."""


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
    def schemas(cls) -> "Mapping[str, pa.Schema]":
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
    judge = RetentionJudge(question, on_damage)

    def judged(found: "Found") -> JudgedLog:
        log = judge.judge(found.partition)
        progress(sum(log.facts.sizes))
        return log

    logs = question.judged(question.logs(), judged)
    notes = [*question.notes(_TIERS), *judge.notes]
    return Retention(logs, question.at, each_once(judge.damage), notes, [*question.configs.findings, *judge.findings])
