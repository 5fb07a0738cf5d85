"""Files and ranges outside the log, with the reason."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkafmt.files.kinds import KINDS
from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.files.sizes import Sizes
from kafkafmt.logdir.log_files import is_raft_snapshot
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.tier import INCOMPLETE, OVERLAPPED, TierPartition
from kafkafmt.survey.facts import LeftOut, SegmentFacts

if TYPE_CHECKING:
    from kafkafmt.io.base import Location

_SET_ASIDE = {
    "delete": "its topic or replica was deleted; the broker removes the directory after log.segment.delete.delay.ms",
    "future": "a replica being moved between log directories; the live directory is used until it has caught up",
    "stray": "not a replica of this broker, which set it aside",
}
FILES_LEFT_OUT = {
    "deleted": "marked for deletion; its offsets are no longer part of the log",
    "cleaned": "output of an interrupted compaction; the original segments are still in use",
    "swap": "output of an unfinished segment split; the original segments are still in use",
    "replaced": "replaced by a .swap file: a compaction was interrupted while swapping files",
    "checkpoint": "a snapshot of the metadata log; name it to read it",
    INCOMPLETE: "an upload without all of its objects: it failed, or has not ended",
    OVERLAPPED: "other segments have its offsets, or the leader epochs give them to other records",
    "other": "its suffix is not one of Kafka's",
}
"""Why files in a state are left out."""


def lies_beside_a_log(name: str) -> bool:
    """Whether a file with this name occurs only in partition directories."""
    parsed = parse_segment_file_name(name)
    if parsed is None:
        return any(kind.is_beside_log and kind.ending == name for kind in KINDS.values())
    return parsed.kind in KINDS and KINDS[parsed.kind].module != "segment"


def below_log_start(segments: list[SegmentFacts], log_start_offset: int | None) -> Iterator[LeftOut]:
    """Segments, and the part of one, below the log start offset."""
    for segment in segments:
        base, end = segment.base_offset, segment.next_offset
        if log_start_offset is None or base is None or end is None or base >= min(end, log_start_offset):
            continue
        whole = end <= log_start_offset
        yield LeftOut(
            kind="below log start",
            path=segment.path,
            size=segment.size if whole else None,
            reason="deleted by DeleteRecords or retention but still in the file; cat --below-log-start reads them",
            topic=segment.topic,
            partition=segment.partition,
            first_offset=base,
            last_offset=min(end, log_start_offset) - 1,
        )


def set_aside(partition: Partition, sizes: Sizes) -> LeftOut:
    """The entry for a directory that the broker has set aside, with the sizes of its files."""
    reason = _SET_ASIDE[partition.state]
    if isinstance(partition.location, TierPartition):
        reason = "of another topic of this name, to which segments were uploaded later"
    return LeftOut(
        kind=partition.state,
        path=partition.path,
        size=sizes.content,
        reason=reason,
        topic=partition.topic,
        partition=partition.partition,
        size_on_disk=sizes.on_disk,
    )


def link_out(link: "Location", topic: str | None = None, partition: int | None = None) -> LeftOut:
    """The entry for a link that leads outside the surveyed paths."""
    reason = "a link that leads outside the PATH is not followed: name its target to read it"
    return LeftOut(kind="link", path=str(link), size=None, reason=reason, topic=topic, partition=partition)


def state_of(segment: Segment) -> str:
    """The reason why a log file is outside the log, in a word."""
    if is_raft_snapshot(segment.name):
        return "checkpoint"
    if segment.suffix in (".deleted", ".cleaned", ".swap"):
        return segment.suffix[1:]
    for state in (INCOMPLETE, OVERLAPPED):
        if segment.suffix.startswith(f".{state}-"):
            return state
    return "other" if segment.suffix else "replaced"
