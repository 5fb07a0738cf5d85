"""RetentionJudge: the facts of a log that its retention depends on, read from its files, and the verdict on them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.cached import cached_property
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.files import clean_shutdown
from kafkafmt.files.damage import Note
from kafkafmt.findings import Finding, finding_of
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.logdir.leader_epochs import history_beside
from kafkafmt.logdir.remote_log import RemoteLog, read_remote_log
from kafkafmt.logdir.tier_segment import TierFile
from kafkafmt.operations.deletion import LogFacts, RetentionLimits, one_pass
from kafkafmt.operations.header_order import AT_THE_END, order_findings
from kafkafmt.operations.log_question import LogQuestion
from kafkafmt.operations.retention_reasons import JudgedLog, JudgedSegment
from kafkafmt.operations.segment_times import LargestTimestamp, SegmentTimes
from kafkafmt.phrases import counted, listed

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.operations.configs import TopicConfigs

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _LargestOffsets:
    """Finds the first records with the largest timestamps of a log's segments; each segment is read once. Picklable."""

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


class RetentionJudge:
    """Reads the facts on which retention depends from partition directories, and judges them."""

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
        """Notes on assumed configs, on what a start drops, on remote metadata not read, and on unchecked headers."""
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
                "Kafka recovers these logs when it starts, and drops everything after damage in them, which is counted "
                f"here (kafkafmt verify --show partitions says where they end then): {listed(self._cut)}"
            )
            notes.append(Note(text, is_finding=False))
        if self._partly_checked:
            mib = AT_THE_END // (1024 * 1024)
            text = (
                f"in segments larger than {mib} MiB ({self._partly_checked:,} here) the order of offsets and leader "
                f"epochs was only checked in the last {mib} MiB; kafkafmt verify checks all. No decision depends on it"
            )
            notes.append(Note(text, is_finding=False))
        return notes

    def judge(self, partition: "Partition") -> JudgedLog:
        """Judge one partition directory.

        Raises:
            KafkafmtError: there is damage that is not skipped, or a file cannot be read.
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
        # As Partition.createLog sets the high watermark: 0 without an entry, and never outside the log.
        watermark = self._read(partition, lambda: partition.high_watermark) or 0
        watermark = min(max(watermark, start), end)
        return LogFacts(bases, [each.size for each in segments], largest, start, end, watermark, uploaded_to)

    def _uploaded(self, partition: "Partition") -> int | None:
        """Highest offset in remote storage, as `RemoteLogManager` finds it; -1 for none, None if it is unknown."""
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
        """Read a small file beside the log; None if it is broken and skipped.

        Raises:
            KafkafmtError: the file is broken and damage is not skipped, or it cannot be read.
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
    """Whether segments are copied to remote storage: Kafka's own topics never are (`UnifiedLog.remoteLogEnabled`)."""
    is_enabled = configs.flag("remote.storage.enable") and not configs.flag("remote.log.copy.disable")
    return is_enabled and partition.topic not in INTERNAL_TOPICS


def _name(configs: "TopicConfigs", name: str, *, is_tiered: bool) -> str:
    """Name of the config that decides: for a tiered topic that of the local log, unless that is -2."""
    return f"local.{name}" if is_tiered and configs.number(f"local.{name}") != -2 else name
