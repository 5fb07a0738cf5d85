"""Checks of a log as a whole: directories in place of files, gaps between segments, checkpoints past the log end."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from kafkafmt.files.names import is_log_file, parse_segment_file_name
from kafkafmt.findings import FINDING, NOTE, Finding, Level
from kafkafmt.internal_topics import COORDINATORS_TOPICS
from kafkafmt.logdir.checkpoints import CLEANER_CHECKPOINT, REPAIR_CHECKPOINT
from kafkafmt.logdir.lost_end import LOST_OR_NEWER
from kafkafmt.survey.advice import DIRECTORY, LOST_END, of_small_file
from kafkafmt.survey.segment_findings import IS_DIRECTORY

if TYPE_CHECKING:
    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.survey.facts import PartitionFacts, SegmentFacts
    from kafkafmt.survey.log_dir_files import Surroundings


class LogChecks:
    """Checks of one log, each of which yields findings.

    Args:
        partition: the partition directory.
        surroundings: facts of its log directory.
    """

    def __init__(self, partition: "Partition", surroundings: "Surroundings") -> None:
        self._partition = partition
        self._surroundings = surroundings

    def directories(self, directories: "Mapping[str, DirectoryEntry]") -> Iterator[Finding]:
        """Find directories in place of files that a start opens or writes, except indexes."""
        for name, entry in directories.items():
            parsed = parse_segment_file_name(name)
            of_segment = "" if parsed is None or parsed.suffix else parsed.kind
            if of_segment == "log":
                text = "this log file is a directory, which Kafka ignores"
                yield self._finding(
                    FINDING, "gap", entry.path, text, "look for the log file in another copy or replica"
                )
            is_snapshot = of_segment == "snapshot"
            if is_snapshot or name in ("leader-epoch-checkpoint", "partition.metadata"):
                kind = "snapshot" if is_snapshot else name
                text = f"{IS_DIRECTORY} when it {'writes a snapshot there' if is_snapshot else 'starts'}"
                advice = DIRECTORY if is_snapshot else f"{DIRECTORY}; {of_small_file(kind)}"
                yield self._finding(FINDING, kind, entry.path, text, advice)

    def gaps(self, segments: "Sequence[SegmentFacts]") -> Iterator[Finding]:
        """Find offsets missing between segments."""
        is_compacted: bool | None = None
        for segment, following in pairwise(segments):
            end, start = segment.next_offset, following.base_offset
            if end is None or start is None or end == start or segment.is_unreadable:
                continue
            if end < start:
                if self._has_linked_logs:
                    continue  # the missing offsets may be there, and Kafka reads them
                is_compacted = self._is_compacted(segments) if is_compacted is None else is_compacted
                if is_compacted:
                    continue
                missing = f"offsets {end} to {start - 1} are missing before the next segment"
                left_out = self._surroundings.offset(REPAIR_CHECKPOINT, self._partition)
                if left_out is not None and start <= left_out:
                    yield self._finding(NOTE, "gap", segment.path, f"{missing}: this copy was made without them", "")
                    continue
                yield self._finding(
                    FINDING,
                    "gap",
                    segment.path,
                    f"{missing}, and this log is not compacted",
                    "look for the missing file or the lost end of this one in another copy or replica",
                )

    @property
    def _has_linked_logs(self) -> bool:
        """Whether a log file is a link out of the source, which is not followed."""
        return any(is_log_file(link.name) for link in self._partition.location.links_out())

    def _is_compacted(self, segments: "Sequence[SegmentFacts]") -> bool:
        """Whether the cleaner has compacted this log, by its checkpoint or by the holes that it leaves."""
        if self._partition.topic in COORDINATORS_TOPICS:
            return True
        if self._surroundings.offset(CLEANER_CHECKPOINT, self._partition) is not None:
            return True
        return any(segment.has_holes for segment in segments)

    def offsets(self, facts: "PartitionFacts", segments: "Sequence[SegmentFacts]") -> Iterator[Finding]:
        """Compare the checkpoints with the end of the log."""
        end = facts.end_on_disk
        if end is None:
            if not segments and facts.state == "live" and not self._has_linked_logs:
                yield self._finding(
                    FINDING,
                    "no log",
                    facts.path,
                    "this partition directory has no log file",
                    "the log was lost or not copied: look for it in another copy or replica",
                )
            return
        level, advice = (FINDING, LOST_END) if self._surroundings.clean_shutdown else (NOTE, LOST_OR_NEWER)
        for name, offset in (("high watermark", facts.high_watermark), ("recovery point", facts.recovery_point)):
            if offset is not None and offset > end:
                yield self._finding(
                    level,
                    "offset",
                    facts.path,
                    f"the {name} {offset} is beyond the log end offset {end}",
                    advice,
                )
        beyond = [(epoch, start) for epoch, start in facts.leader_epochs if start > end]
        if beyond:
            epoch, start = beyond[0]
            yield self._finding(
                level,
                "leader epoch",
                facts.path,
                f"leader epoch {epoch} of leader-epoch-checkpoint starts at {start}, beyond the log end offset {end}",
                advice,
            )

    def _finding(self, level: Level, kind: str, path: str, message: str, advice: str) -> Finding:
        topic, partition = self._partition.topic, self._partition.partition
        return Finding(level, kind, path, message, advice, topic=topic, partition=partition)
