"""`retention`: the segments that Kafka's retention would delete now, when it would delete the others, and why."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.findings import Finding
from kafkafmt.operations.deletion import Cause, Fate, LogFacts, RetentionLimits
from kafkafmt.operations.log_question import LogAnswer, LogQuestion
from kafkafmt.operations.retention_judge import RetentionJudge
from kafkafmt.operations.retention_reasons import JudgedLog, JudgedSegment
from kafkafmt.operations.segment_times import LargestTimestamp
from kafkafmt.topics.answers import each_once

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time

DAY_MS: Final = 86_400_000
_TIERS: Final = "deletions from remote storage are not predicted: `kafkafmt tiers` lists what is there"
_HORIZONS: Final = (0, DAY_MS, 7 * DAY_MS)


class _Segment(NamedTuple):
    log: JudgedLog
    number: int
    judged: JudgedSegment

    @property
    def base_offset(self) -> Annotated[int, "int64"]:
        """Base offset in the name of the log file."""
        return self.log.facts.base_offsets[self.number]

    @property
    def size_in_bytes(self) -> Annotated[int, "int64"]:
        """Size of the log file."""
        return self.log.facts.sizes[self.number]

    @property
    def largest_timestamp_offset(self) -> Annotated[int | None, "int64"]:
        """First record that has the largest timestamp; None if none has it."""
        return self.log.offset_of(self.number)

    @property
    def decision(self) -> Annotated[str, "string"]:
        """Whether the pass deletes it: "delete" or "keep"."""
        return "delete" if self.judged.fate.is_deleted else "keep"

    @property
    def reason(self) -> Annotated[str, "string"]:
        """Why it goes or stays."""
        return self.log.reason_of(self.number)

    @property
    def find(self) -> Annotated[str | None, "string"]:
        """The command that finds the record that holds it; None if none does."""
        return self.log.find_of(self.number)


class _Sums(NamedTuple):
    """Sums over logs.

    Attributes:
        segments: number of log files.
        size_in_bytes: size of the log files.
        deletable_bytes: bytes that a pass deletes at `--at`.
        in_a_day_bytes: bytes that passes will have deleted a day later.
        in_a_week_bytes: bytes that passes will have deleted a week later.
        held_by: the reason that keeps most bytes; None if none are kept.
        held_bytes: the bytes that it keeps.
        reason: why the segment stays that keeps most of these bytes, or None.
        find: the command that finds the record that holds that segment; None if none does.
    """

    segments: Annotated[int, "int64"]
    size_in_bytes: Annotated[int, "int64"]
    deletable_bytes: Annotated[int, "int64"]
    in_a_day_bytes: Annotated[int, "int64"]
    in_a_week_bytes: Annotated[int, "int64"]
    held_by: Annotated[str | None, "string"]
    held_bytes: Annotated[int, "int64"]
    reason: Annotated[str | None, "string"]
    find: Annotated[str | None, "string"]


class _Topic(NamedTuple):
    """A topic.

    Attributes:
        topic: name of the topic, or None.
        partitions: number of partition directories.
    """

    topic: Annotated[str | None, "string"]
    partitions: Annotated[int, "int64"]
    sums: _Sums


class _Partition(NamedTuple):
    log: JudgedLog
    sums: _Sums


class Retention(LogAnswer):
    """The fate of each log in a pass of retention.

    Attributes:
        logs: the logs in order of topic, partition and path.
        damage: skipped damage of logs and of the metadata; rows may add to it, as they look for records.
        findings: files that cannot be read.
    """

    _TABLES: ClassVar = {
        "segments": TableColumns(
            *columns_of(JudgedLog, "log", to="partition"),
            *columns_of(_Segment, to="size_in_bytes"),
            *columns_of(LargestTimestamp, "judged.largest"),
            *columns_of(_Segment, only=("largest_timestamp_offset", "decision", "reason")),
            *columns_of(Fate, "judged.fate"),
            *columns_of(RetentionLimits, "log.limits"),
            *columns_of(JudgedLog, "log", only=("config_source",)),
            *columns_of(_Segment, after="reason"),
            *columns_of(JudgedSegment, "judged"),
        ),
        "topics": TableColumns(*columns_of(_Topic), *columns_of(_Sums, "sums")),
        "partitions": TableColumns(
            *columns_of(JudgedLog, "log", to="partition"),
            *columns_of(_Sums, "sums"),
            *columns_of(LogFacts, "log.facts", only=("log_start_offset",)),
            *columns_of(JudgedLog, "log", only=("log_start_offset_after",)),
            *columns_of(LogFacts, "log.facts", only=("high_watermark", "log_end_offset")),
            *columns_of(JudgedLog, "log", only=("cleanup_policy",)),
            *columns_of(RetentionLimits, "log.limits"),
            *columns_of(JudgedLog, "log", only=("config_source", "path")),
        ),
    }

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

    def _objects(self, name: str) -> Iterable[object]:
        return {"segments": self._segments, "topics": self._topics, "partitions": self._partitions}[name]()

    def deletable_bytes(self, logs: "Iterable[JudgedLog] | None" = None) -> tuple[int, int, int]:
        """Bytes that a pass deletes now, by a day later, and by a week later, if nothing is written.

        Args:
            logs: the logs to add up; None for all.
        """
        sums = [0, 0, 0]
        for log in self.logs if logs is None else logs:
            for segment, size in zip(log.segments, log.facts.sizes, strict=True):
                due = self.at if segment.fate.is_deleted else segment.fate.deletable_at
                for number, horizon in enumerate(_HORIZONS):
                    sums[number] += size if due is not None and due <= self.at + horizon else 0
        return sums[0], sums[1], sums[2]

    def worst_holder(self) -> tuple[JudgedLog, int, int] | None:
        """The segment that holds back most bytes of later segments; None if there is none.

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

    def _segments(self) -> Iterator[object]:
        for log in self.logs:
            for number, segment in enumerate(log.segments):
                yield _Segment(log, number, segment)

    def _topics(self) -> Iterable[object]:
        topics: dict[str | None, list[JudgedLog]] = {}
        for log in self.logs:
            topics.setdefault(log.topic, []).append(log)
        found = [_Topic(topic, len(logs), self._sums(logs)) for topic, logs in topics.items()]
        return sorted(found, key=lambda each: -each.sums.size_in_bytes)

    def _partitions(self) -> Iterable[object]:
        return (_Partition(log, self._sums([log])) for log in self.logs)

    def _sums(self, logs: Sequence[JudgedLog]) -> _Sums:
        segments, size = sum(len(log.segments) for log in logs), sum(sum(log.facts.sizes) for log in logs)
        now, in_a_day, in_a_week = self.deletable_bytes(logs)
        return _Sums(segments, size, now, in_a_day, in_a_week, *_held(logs))


def _held(logs: Sequence[JudgedLog]) -> tuple[str | None, int, str | None, str | None]:
    """The main reason for retained bytes, the bytes, and `reason` and `find` of the segment with most of them."""
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

    The prediction follows a broker of Kafka 4.x that starts on these disks (`UnifiedLog.deleteOldSegments`). Time
    indexes are read, and the headers of the last 16 MiB of the active segment and of the segments that a start
    recovers, to check their order; rows also read the batches with the largest timestamps.

        >>> kafkafmt.open("/var/lib/kafka/data").retention(at=1795234639873).to_table("topics")

    Args:
        source: log directories, as for `kafkafmt.scan`; each copy of a partition has its own rows, and a named file
            stands for its partition.
        at: time of the pass, in ms or as a datetime; None for now.
        metadata: location of the cluster's metadata log, which has the configs, if it is not in `source`.
        config: values of configs that override, as for `kafkafmt.operations.configs.configs_of`.
        topics: names, or a compiled pattern for the whole name; None for all.
        partitions: partition numbers; None for all.
        filesystem: any pyarrow file system; `source` and `metadata` are then its paths.
        on_damage: "raise" an error at the first damage, or "skip" and list it.
        limits: bounds of memory.
        missing: "raise" an error if a named topic or partition does not exist, or "note" it.
        progress: called with the bytes of log files that have been judged.

    Raises:
        NotFoundError: a topic or partition does not exist.
        SourceError: a source is missing, unreadable or without Kafka's files, or `metadata` has no metadata log.
        KafkafmtError: there is damage.
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
