"""The data of a report on a survey, in memory that does not grow with the number of partitions and segments."""

import heapq
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.findings import FINDING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.findings import Finding
    from kafkafmt.startup.verification import Verification
    from kafkafmt.survey import LeftOut, LogDirFacts, LogDirSurvey, PartitionFacts, PartitionSurvey, SegmentFacts

MOST_PARTITIONS = 1000
"""Most partitions that are kept one by one, the largest first; only sums are kept of the others."""

MOST_ROWS = 200
"""Most findings, notes and left-out paths that are kept one by one."""

MOST_TIMES = 200
"""Most bars in the time line of one partition: segments, or neighbours drawn as one."""

_NO_TOPIC = "(no topic name)"


@dataclass(slots=True)
class TopicSum:
    """A topic over all log directories.

    Attributes:
        size: bytes of its partition directories.
        partitions: number of its partition directories, so that three replicas of a partition count three times.
        segments: number of segments.
        records: number of records in all segments.
        findings: number of faults in them.
        earliest: smallest possible timestamp in ms, or None.
        latest: largest possible timestamp in ms, or None.
        impossible_times: number of batches with other timestamps.
    """

    size: int = 0
    partitions: int = 0
    segments: int = 0
    records: int = 0
    findings: int = 0
    earliest: int | None = None
    latest: int | None = None
    impossible_times: int = 0


@dataclass(frozen=True, slots=True)
class TimeBar:
    """One bar of a time line: a segment, or several consecutive segments.

    Attributes:
        start: smallest possible timestamp in ms.
        end: largest possible timestamp in ms.
        size: size in bytes.
        segments: number of segments.
        first_offset: base offset of the first segment, or None.
        next_offset: offset after the last segment, or None.
        is_faulty: whether a segment has a finding.
    """

    start: int
    end: int
    size: int
    segments: int
    first_offset: int | None
    next_offset: int | None
    is_faulty: bool


@dataclass(frozen=True, slots=True)
class KeptPartition:
    """One of the largest partitions.

    Attributes:
        facts: its facts.
        where: its log directory, as text for people.
        time_bars: its time line, without segments that have no possible timestamp.
    """

    facts: "PartitionFacts"
    where: str
    time_bars: tuple[TimeBar, ...]


class Gathering:
    """Takes a survey, and keeps sums and the largest items of long lists."""

    def __init__(self) -> None:
        self.log_dirs: list[LogDirFacts] = []
        self.topics: dict[str, TopicSum] = {}
        self.codec_sizes: Counter[str] = Counter()
        self.format_sizes: Counter[str] = Counter()
        self.size = 0
        self.partitions = 0
        self.segments = 0
        self.records = 0
        self.earliest: int | None = None
        self.latest: int | None = None
        self.impossible_times = 0
        self.findings: list[Finding] = []
        self.finding_count = 0
        self.notes: list[Finding] = []
        self.note_count = 0
        self.left_out: list[LeftOut] = []
        self.left_out_counts: Counter[str] = Counter()
        self.left_out_sizes: Counter[str] = Counter()
        self.left_out_reasons: dict[str, str] = {}
        self.verdict: tuple[str, ...] = ()
        self._where = ""
        self._largest: list[tuple[int, int, KeptPartition]] = []

    @property
    def largest(self) -> list[KeptPartition]:
        """The partitions that are kept one by one, largest first."""
        return [kept for _, _, kept in sorted(self._largest, key=lambda item: (-item[0], item[1]))]

    def log_dir(self, found: "LogDirSurvey") -> None:
        """Take a log directory."""
        if found.is_log_dir:
            self.log_dirs.append(found.facts)
        self._where = found.facts.path
        self._remark(found.findings, found.left_out)

    def partition(self, found: "PartitionSurvey") -> None:
        """Take a partition."""
        facts = found.facts
        self._remark(found.findings, found.left_out)
        topic = self.topics.setdefault(group_of(facts), TopicSum())
        for total in (self, topic):
            total.size += facts.size
            total.partitions += 1
            total.segments += facts.segments
            total.records += facts.records or 0
            for segment in found.segments:
                if segment.state == "live":
                    total.earliest = _least(total.earliest, segment.earliest)
                    total.latest = _most(total.latest, segment.latest)
                    total.impossible_times += segment.impossible_times
        topic.findings += facts.findings
        for (magic, codec), share in facts.shares.items():
            self.codec_sizes[codec] += share.size
            self.format_sizes[f"v{magic}"] += share.size
        rank = facts.size, -self.partitions
        if len(self._largest) < MOST_PARTITIONS or rank > self._largest[0][:2]:
            item = (*rank, KeptPartition(facts, self._where, _time_bars(found.segments)))
            push = heapq.heappush if len(self._largest) < MOST_PARTITIONS else heapq.heappushpop
            push(self._largest, item)

    def end_log_dir(self) -> None:
        """Do nothing, as nothing waits."""

    def replicas(self, findings: "Iterable[Finding]") -> None:
        """Take findings between replicas."""
        self._remark(findings, ())

    def verified(self, answer: "Verification", verdict: "Iterable[str]") -> None:
        """Take the verdict and all findings, which include those of the survey that were taken before."""
        self.verdict = tuple(verdict)
        self.findings, self.notes = [], []
        self.finding_count = self.note_count = 0
        self._remark(answer.found, ())

    def _remark(self, findings: "Iterable[Finding]", left_out: "Iterable[LeftOut]") -> None:
        for finding in findings:
            if finding.level == FINDING:
                self.finding_count += 1
                kept = self.findings
            else:
                self.note_count += 1
                kept = self.notes
            if len(kept) < MOST_ROWS:
                kept.append(finding)
        for excluded in left_out:
            self.left_out_counts[excluded.kind] += 1
            self.left_out_sizes[excluded.kind] += excluded.size or 0
            self.left_out_reasons.setdefault(excluded.kind, excluded.reason)
            if len(self.left_out) < MOST_ROWS:
                self.left_out.append(excluded)


def group_of(facts: "PartitionFacts") -> str:
    """The topic in which a partition is counted; for a directory set aside, or with a foreign name, a group."""
    if facts.state != "live":
        return f"({facts.state})"
    return _NO_TOPIC if facts.topic is None else facts.topic


def is_set_aside(name: str) -> bool:
    """Whether `group_of` gives this for directories set aside: names of topics have no parentheses."""
    return name.startswith("(") and name != _NO_TOPIC


def _time_bars(segments: "Iterable[SegmentFacts]") -> tuple[TimeBar, ...]:
    """The time line of a partition, with neighbours joined until there are few enough bars."""
    time_bars = [
        TimeBar(
            segment.earliest,
            segment.latest,
            segment.size,
            1,
            segment.base_offset,
            segment.next_offset,
            any(finding.level == FINDING for finding in segment.findings),
        )
        for segment in segments
        if segment.earliest is not None and segment.latest is not None
    ]
    at_a_time = -(-len(time_bars) // MOST_TIMES)
    if at_a_time <= 1:
        return tuple(time_bars)
    groups = (time_bars[begin : begin + at_a_time] for begin in range(0, len(time_bars), at_a_time))
    return tuple(
        TimeBar(
            min(bar.start for bar in group),
            max(bar.end for bar in group),
            sum(bar.size for bar in group),
            len(group),
            group[0].first_offset,
            group[-1].next_offset,
            any(bar.is_faulty for bar in group),
        )
        for group in groups
    )


def _least(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else min(one, other)


def _most(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else max(one, other)
