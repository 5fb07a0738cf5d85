"""Facts about one partition: its directory, segments, left-out files, and contradictions between them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import producer_snapshot
from kafkafmt.files.damage import INCOMPLETE_TAIL, ZERO_TAIL
from kafkafmt.files.entry_points import is_entry
from kafkafmt.files.names import is_log_file, parse_segment_file_name
from kafkafmt.files.sizes import Sizes
from kafkafmt.findings import FINDING, Finding, finding_of
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.limits import Limits
from kafkafmt.logdir.checkpoints import (
    HIGH_WATERMARK_CHECKPOINT,
    LOG_START_OFFSET_CHECKPOINT,
    RECOVERY_POINT_CHECKPOINT,
)
from kafkafmt.logdir.epoch_check import EpochCheck
from kafkafmt.logdir.leader_epochs import EpochHistory, history_beside
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.reference.header import to_int64
from kafkafmt.survey.advice import of_small_file
from kafkafmt.survey.belonging import remarks
from kafkafmt.survey.facts import LeftOut, PartitionFacts, SegmentFacts, unread_end
from kafkafmt.survey.left_out import FILES_LEFT_OUT, below_log_start, link_out, set_aside, state_of
from kafkafmt.survey.log_checks import LogChecks
from kafkafmt.survey.log_dir_files import Surroundings
from kafkafmt.survey.refused import LoaderCheck
from kafkafmt.survey.segment_findings import Place
from kafkafmt.survey.segment_walk import Depth
from kafkafmt.survey.segments import survey_segment
from kafkafmt.survey.side_files import EpochFindings
from kafkafmt.survey.sums import add_up

if TYPE_CHECKING:
    from kafkafmt.io.base import DirectoryEntry

T = TypeVar("T")

# Kinds of findings that leave all entries sound in the part that was read.
_OF_SOUND_ENTRIES = ("index", ZERO_TAIL, INCOMPLETE_TAIL)

Watch = Callable[[float, int], None]
"""Called with the share of a log's segments surveyed since the last call, and their approximate bytes."""
_SEGMENTS_A_STEP = 256


def unwatched(_share: float, _size: int) -> None:
    """Ignore the progress of a survey."""


@dataclass(frozen=True, slots=True)
class PartitionSurvey:
    """The survey of one partition directory.

    Attributes:
        directory: the partition directory; None for a file given on its own.
        facts: facts of the partition as a whole.
        segments: segments of its log, in order; then those of left-out files if requested.
        left_out: files and ranges outside its log.
        findings: faults of the partition and its segments.
    """

    directory: Partition | None
    facts: PartitionFacts
    segments: tuple[SegmentFacts, ...]
    left_out: tuple[LeftOut, ...]
    findings: tuple[Finding, ...]

    def condensed(self) -> "PartitionSurvey":
        """The same survey with only the segments that have gaps, hold signs of the cleaner, or are unreadable.

        A log may have a million segments, and only these decide whether missing offsets are explained. The directory
        drops its list of segments until it is needed again.
        """
        if self.directory is not None:
            self.directory.forget_segments()
        kept = (each for each in self.segments if each.gaps or each.is_sparse or each.is_unreadable)
        return replace(self, segments=tuple(kept))


def survey_partition(
    partition: Partition,
    listing: "Sequence[DirectoryEntry]",
    surroundings: Surroundings,
    sizes: Sizes,
    *,
    depth: Depth = "headers",
    everything: bool = False,
    limits: "Limits | None" = None,
    watch: Watch = unwatched,
) -> PartitionSurvey:
    """Survey one partition directory; unreadable parts become findings.

    Args:
        partition: the directory.
        listing: its entries.
        surroundings: the facts of its log directory.
        sizes: sizes of its files.
        depth: how much of each segment is read.
        everything: whether files outside the log are read, too.
        limits: bounds of a decode.
        watch: called when a part of a log with many segments has been surveyed.
    """
    return _Survey(partition, listing, surroundings, sizes, depth, limits, watch).run(everything=everything)


def unread_partition(
    partition: Partition, listing: "Sequence[DirectoryEntry]", surroundings: Surroundings, sizes: Sizes
) -> PartitionSurvey:
    """Describe a directory that was set aside, by its listing alone."""
    logs = [entry for entry in listing if entry.is_file and is_log_file(entry.name)]
    log_size = sum(entry.size or 0 for entry in logs)
    facts = add_up(partition, surroundings.path, [], sizes)
    facts = replace(facts, log_size=log_size, segments=len(logs), batches=None, records=None)
    return PartitionSurvey(partition, facts, (), (set_aside(partition, sizes),), ())


def survey_file(segment: Segment, *, depth: Depth = "headers", limits: "Limits | None" = None) -> PartitionSurvey:
    """Survey a log file that was given on its own; its directory only gives topic and partition.

    Raises:
        SourceError: the file cannot be read, or is not a log.
    """
    segment.open().close()
    partition = Partition(segment.location.parent)
    place = Place(partition.topic, partition.partition, may_end_open=segment.may_end_open())
    history = partial(history_beside, segment)
    check = EpochFindings(partition, EpochCheck(history, is_first=False, is_last=False))
    facts = survey_segment(segment, place, depth=depth, limits=limits, epochs=check)
    facts = replace(facts, findings=(*facts.findings, *check.end()))
    if facts.size and facts.batches == 0 and not any(finding.kind == ZERO_TAIL for finding in facts.findings):
        message = "this file has no complete batch or message"
        nothing = Finding(FINDING, "corrupt", segment.path, message, "is it a log segment at all?", 0, facts.size)
        facts = replace(facts, findings=(nothing,))
    whole = add_up(partition, str(partition.location.parent), [facts], Sizes(facts.size, None))
    return PartitionSurvey(None, replace(whole, path=segment.path), (facts,), (), facts.findings)


class _Survey:
    """One partition directory under survey."""

    def __init__(
        self,
        partition: Partition,
        listing: "Sequence[DirectoryEntry]",
        surroundings: Surroundings,
        sizes: Sizes,
        depth: Depth,
        limits: "Limits | None",
        watch: Watch,
    ) -> None:
        self._partition = partition
        self._watch = watch
        self._files = [entry for entry in listing if not entry.is_directory]
        self._directories = {entry.name: entry for entry in listing if entry.is_directory}
        self._directory_names = frozenset(self._directories)
        self._surroundings = surroundings
        self._sizes = sizes
        self._depth = depth
        self._limits = limits
        self._findings: list[Finding] = []
        kind = "leader-epoch-checkpoint"
        checkpoint = self._try(lambda: partition.leader_epoch_checkpoint, partition.path, kind)
        self._epochs = () if checkpoint is None else checkpoint.entries
        if checkpoint is not None and checkpoint.refusal is not None:
            self._add(checkpoint.refusal, checkpoint.file or partition.path, kind=kind, advice=of_small_file(kind))
        self._epoch_check = EpochFindings(
            partition, EpochCheck(EpochHistory(self._epochs)), may_lag=not surroundings.clean_shutdown
        )
        self._loader_check: LoaderCheck | None = None
        self._snapshots = {
            parsed.base_offset: entry
            for entry in self._files
            if entry.name.endswith(".snapshot")
            and (parsed := parse_segment_file_name(entry.name)) is not None
            and (parsed.kind, parsed.suffix) == ("snapshot", "")
        }

    def run(self, *, everything: bool) -> PartitionSurvey:
        partition = self._partition
        live, others = self._view()
        if self._depth != "quick":
            self._loader_check = LoaderCheck(partition, live)
        may_end_open = partition.state != "live" or not self._is_kept
        segments = []
        for number, (segment, following) in enumerate(zip_longest(live, live[1:]), 1):
            open_end = following is None and may_end_open
            segments.append(self._segment(segment, "live", may_end_open=open_end, following=following))
            if number % _SEGMENTS_A_STEP == 0:
                part = _SEGMENTS_A_STEP / len(live)
                self._watch(part, int(part * self._sizes.content))
        self._findings += self._epoch_check.end()
        if self._loader_check is not None:
            self._findings += self._loader_check.end()
        checks = LogChecks(partition, self._surroundings)
        self._findings += checks.directories(self._directories)
        if segments and self._depth != "quick" and not segments[-1].is_unreadable:
            segments[-1] = self._with_sound_end(live[-1], segments[-1])
        self._findings += checks.gaps(segments)
        states = [(segment, state_of(segment)) for segment in others]
        left_out = [self._left_out(segment, state) for segment, state in states]
        unread = [self._segment(segment, state, may_end_open=True) for segment, state in states] if everything else []
        facts = self._facts(segments)
        left_out += below_log_start(segments, facts.log_start_offset)
        left_out += [link_out(link, partition.topic, partition.partition) for link in partition.location.links_out()]
        if partition.state != "live":
            left_out.insert(0, set_aside(partition, self._sizes))
        self._findings += checks.offsets(facts, segments)
        if self._surroundings.belonging is not None:
            self._findings += remarks(self._surroundings.belonging, facts)
        findings = [*self._findings, *(finding for segment in [*segments, *unread] for finding in segment.findings)]
        findings = _each_file_once(findings)
        faults = sum(finding.level == FINDING for finding in findings)
        return PartitionSurvey(
            partition,
            facts if facts.findings == faults else replace(facts, findings=faults),
            (*segments, *unread),
            tuple(left_out),
            tuple(findings),
        )

    def _left_out(self, segment: Segment, state: str) -> LeftOut:
        entry = self._by_name.get(segment.name)
        return LeftOut(
            kind=state,
            path=segment.path,
            size=None if entry is None else entry.size,
            reason=FILES_LEFT_OUT[state],
            topic=self._partition.topic,
            partition=self._partition.partition,
            size_on_disk=None if entry is None else entry.allocated,
        )

    @cached_property
    def _by_name(self) -> "dict[str, DirectoryEntry]":
        return {entry.name: entry for entry in self._files}

    def _view(self) -> tuple[list[Segment], list[Segment]]:
        try:
            return self._partition.segments, self._partition.other_segments
        except KafkafmtError as error:
            # Without the swap file the files that it replaces are unknown: those with plain names are shown.
            self._add(error, self._partition.path, advice="until it can be read, the segments shown may be outdated")
            logs = [Segment(entry.location, size=entry.size) for entry in self._files if is_log_file(entry.name)]
            live = [segment for segment in logs if segment.suffix == ""]
            return live, [segment for segment in logs if segment.suffix != ""]

    def _segment(
        self, segment: Segment, state: str, *, may_end_open: bool, following: Segment | None = None
    ) -> SegmentFacts:
        is_kept = state == "live" and following is None and self._is_kept
        place = Place(
            self._partition.topic,
            self._partition.partition,
            state,
            may_end_open,
            segment.base_offset in self._snapshots,
            None if following is None else following.base_offset,
            is_recovered=state == "live" and self._is_recovered(following),
            is_kept=is_kept,
            directories=self._directory_names,
            clean_end=self._surroundings.offset(RECOVERY_POINT_CHECKPOINT, self._partition) if is_kept else None,
        )
        epochs, producers = (self._epoch_check, self._loader_check) if state == "live" else (None, None)
        return survey_segment(
            segment, place, depth=self._depth, limits=self._limits, epochs=epochs, producers=producers
        )

    @property
    def _is_kept(self) -> bool:
        """Whether a broker loads the log as it is, except for segments without `.index`."""
        return self._surroundings.clean_shutdown and self._partition.topic != CLUSTER_METADATA

    def _is_recovered(self, following: Segment | None) -> bool:
        """Whether a starting broker recovers the segment before `following`, by the recovery point."""
        if self._partition.topic == CLUSTER_METADATA:
            return True
        if self._surroundings.clean_shutdown or self._partition.state == "delete":
            return False
        recovery_point = self._surroundings.offset(RECOVERY_POINT_CHECKPOINT, self._partition) or 0
        return following is None or (following.base_offset or 0) > recovery_point

    def _with_sound_end(self, segment: Segment, facts: SegmentFacts) -> SegmentFacts:
        """Correct the log end if the last entries are complete by size but have wrong CRCs.

        After a clean shutdown a broker computes no CRCs, so the sizes decide the log end.
        """
        reads_all = self._depth in ("checksums", "records")
        is_sound = all(finding.kind in _OF_SOUND_ENTRIES for finding in facts.findings)
        if is_sound and (reads_all or self._is_entry(segment, facts.last_position)):
            return facts
        sound = self._try(segment.next_offset, segment.path, "checksum")
        if sound is None or to_int64(sound) == facts.next_offset:
            return facts
        sound = to_int64(sound)
        kept = self._try(self._partition.next_offset, segment.path, "checksum")
        end = sound if kept is None else to_int64(kept)
        if reads_all:
            # Faults of those entries have been reported one by one.
            return replace(facts, next_offset=end)
        found = unread_end(segment.path, sound, facts.next_offset or 0, is_kept=end > sound)
        self._findings.append(replace(found, topic=self._partition.topic, partition=self._partition.partition))
        return replace(facts, next_offset=end)

    def _is_entry(self, segment: Segment, position: int | None) -> bool:
        """Whether an entry with a right CRC begins at a position."""
        try:
            with segment.open() as file:
                return position is not None and is_entry(file, position, self._limits or Limits())
        except KafkafmtError:
            return False  # the search for the last sound entry reports the error

    def _facts(self, segments: list[SegmentFacts]) -> PartitionFacts:
        partition = self._partition
        checkpointed = self._surroundings.offset(LOG_START_OFFSET_CHECKPOINT, partition)
        if self._depth != "quick":
            for snapshot in self._snapshots.values():
                self._try(partial(producer_snapshot.read, snapshot.location), snapshot.path, "snapshot")
        self._try(lambda: partition.quorum_state, partition.path, "quorum-state")
        topic_id = self._try(lambda: partition.topic_id, partition.path, "partition.metadata")
        belonging = self._surroundings.belonging
        return add_up(
            partition,
            self._surroundings.path,
            segments,
            self._sizes,
            topic_id=topic_id,
            topic_of_id=None if belonging is None else belonging.topic_name(topic_id),
            log_start_offset=checkpointed,
            is_end_known=bool(segments) and not segments[-1].is_unreadable,
            high_watermark=self._surroundings.offset(HIGH_WATERMARK_CHECKPOINT, partition),
            recovery_point=self._surroundings.offset(RECOVERY_POINT_CHECKPOINT, partition),
            leader_epochs=tuple((entry.epoch, entry.start_offset) for entry in self._epochs),
            producer_snapshots=len(self._snapshots),
        )

    def _try(self, read: Callable[[], T], path: str, kind: str) -> T | None:
        try:
            return read()
        except KafkafmtError as error:
            self._add(error, error.file or path, kind=kind, advice=of_small_file(kind))
            return None

    def _add(self, error: KafkafmtError, path: str, *, kind: str | None = None, advice: str = "") -> None:
        topic, partition = self._partition.topic, self._partition.partition
        self._findings.append(finding_of(error, path, kind=kind, advice=advice, topic=topic, partition=partition))


def _each_file_once(findings: list[Finding]) -> list[Finding]:
    """The same findings, with only the first one on each unreadable file."""
    kept: dict[object, Finding] = {}
    for number, finding in enumerate(findings):
        kept.setdefault(finding.path if finding.kind == "unreadable" else number, finding)
    return list(kept.values())
