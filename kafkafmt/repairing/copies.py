"""Several copies of a partition become one: where the best is damaged, the others fill in."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.reference.layout import LOG_OVERHEAD
from kafkafmt.repairing.answer import RepairedPartition
from kafkafmt.repairing.metadata_log import cut_to_snapshots
from kafkafmt.repairing.refused import leave_out_refused
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.repairing.sound import (
    MISSING,
    ROW,
    Dropped,
    Rows,
    SoundCopy,
    leave_out_refuted,
    mend_epochs,
    note_missing,
    read_copies,
)
from kafkafmt.topics.cluster_metadata.copies import snapshots_in

if TYPE_CHECKING:
    from kafkafmt.io.base import Location
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.cluster_metadata.copies import RaftSnapshot


Copies = Sequence["tuple[LogDir, Partition]"]
"""All copies of one partition, and the log directories that they are in."""


@dataclass
class MergedPartition:
    """A partition made of its copies.

    Attributes:
        log_dir: the one with the best copy: it gets the partition.
        copies: the best one, the others, and segments that `.swap` files replace.
        rows: batches that are kept, by offset.
        bases: base offsets of the segments.
        snapshots: sound snapshots of the metadata log, the newest first.
        filled: how many of the best copy's dropped stretches the others fill.
    """

    log_dir: "LogDir"
    copies: list[SoundCopy]
    rows: Rows
    bases: list[int]
    snapshots: "Sequence[RaftSnapshot]" = ()
    filled: int = 0

    @property
    def partition(self) -> "Partition":
        """The best copy."""
        return self.copies[0].partition

    @property
    def places(self) -> "Sequence[Location]":
        """Directories and files that the kept batches, and all else of the partition, come from."""
        read = [self.copies[int(copy)] for copy in {0, *np.unique(self.rows["copy"])}]
        return [place for copy in read for place in (copy.partition.location, *(s.location for s in copy.segments))]

    @property
    def log_end_offset(self) -> int:
        """Offset that the next record gets."""
        return max(self.bases[-1], int(self.rows["last_offset"][-1]) + 1 if len(self.rows) else 0)

    def answer(self) -> RepairedPartition:
        """What is said of it."""
        sources = {self.copies[int(copy)].partition.path for copy in np.unique(self.rows["copy"])}
        ends = np.append(self.bases[0], self.rows["last_offset"] + 1)
        starts = np.append(self.rows["first_offset"], self.log_end_offset)
        return RepairedPartition(
            self.partition.topic,
            self.partition.partition,
            tuple(sorted(sources or {self.partition.path})),
            len(self.rows),
            int(self.rows["num_records"].sum()),
            int((self.rows["size"].astype(np.int64) + LOG_OVERHEAD).sum()),
            tuple(self.copies[0].dropped),
            self.bases[0],
            self.log_end_offset,
            bool((starts > ends).any()),
            self.filled,
        )


def copies_of_partitions(
    log_dirs: "Sequence[LogDir]",
    takes: Callable[[str], bool],
    notes: list[str],
    joined: "Mapping[str, Partition] | None" = None,
) -> "list[Copies]":
    """Find all copies of each partition; those of the metadata log are wanted always.

    Args:
        log_dirs: where to look.
        takes: whether a topic is wanted.
        notes: is told what stays behind.
        joined: by the identity of their place, partitions as remote storage and disks have them together; None if
            there is none of it. What is not among them is part of another.
    """
    groups: dict[tuple[str | None, int | None, str], list[tuple[LogDir, Partition]]] = defaultdict(list)
    for log_dir in log_dirs:
        for alone in log_dir.partitions:
            partition = alone if joined is None else joined.get(alone.location.identity)
            if partition is None:
                continue
            if partition.topic is None or takes(partition.topic) or partition.topic == CLUSTER_METADATA:
                name = partition.name if partition.topic is None else ""
                groups[partition.topic, partition.partition, name].append((log_dir, partition))
        notes += [f"{each.path} stays behind: the broker has set it aside" for each in log_dir.other_partitions]
        notes += [f"{error}: it stays behind" for error in log_dir.unreadable]
    return list(groups.values())


def merge(
    group: Copies, notes: list[str], *, mends: bool, limits: "Limits", advance: Callable[[int], None]
) -> MergedPartition:
    """Read all copies of a partition, and make one of them.

    Args:
        group: the copies.
        notes: is told what stays behind, and what was mended.
        mends: as for `leave_out_refuted`.
        limits: bounds of a decode.
        advance: called with numbers of bytes as they are read.
    """
    copies: list[tuple[LogDir, SoundCopy]] = []
    replaced: list[SoundCopy] = []
    for log_dir, partition in group:
        read = read_copies(partition, limits)
        for copy in read:
            leave_out_refuted(copy, mends=mends)
            note_missing(copy)
            notes += mend_epochs(copy)
            advance(sum(segment.size for segment in copy.segments))
        copies.append((log_dir, read[0]))
        replaced += read[1:]
    copies.sort(key=lambda each: _standing(each[1]), reverse=True)
    log_dir, best = copies[0]
    topic_id = if_sound(lambda: best.partition.topic_id)
    others = [copy for _, copy in copies[1:]] + [each for each in replaced if each.partition is not best.partition]
    for copy in others:
        other_id = if_sound(partial(getattr, copy.partition, "topic_id"))
        if topic_id is not None and other_id not in (None, topic_id):
            notes.append(f"{copy.partition.path} stays behind: it is of another topic of this name, {other_id}")
            copy.rows = copy.rows[:0]
    ordered = [*(copy for _, copy in copies), *replaced]
    for place, copy in enumerate(ordered):
        copy.rows["copy"] = place
    filled = _filled(ordered)
    rows = best.rows
    if len(filled):
        rows = np.concatenate([rows, filled])
        rows = rows[np.argsort(rows["first_offset"], kind="stable")]
    bases = [each.base_offset or 0 for each in best.segments] or [0]
    merged = MergedPartition(log_dir, ordered, rows, _with_filled(bases, ordered, rows))
    if len(filled):
        open_gaps = _open_gaps(rows)
        is_filled = [not any(_meets(each, gap) for gap in open_gaps) for each in best.dropped]
        dropped = list(zip(best.dropped, is_filled, strict=True))
        best.dropped = [each for each, done in dropped if each.reason != MISSING or not done]
        merged.filled = sum(done for each, done in dropped if each.reason != MISSING)
    leave_out_refused(merged, notes)
    behind = best.partition.other_segments
    if best.partition.topic == CLUSTER_METADATA:
        cut_to_snapshots(merged, notes)
        known = {each.location.identity for each in snapshots_in(best.partition.location.list())}
        behind = [each for each in behind if each.location.identity not in known]
    notes += [f"{each.path} stays behind: it is no part of the log" for each in behind]
    return merged


def _standing(copy: SoundCopy) -> tuple[int, int, int, int]:
    """Rank of a copy: its last leader epoch, its log end, how many records it has, how little of it is damaged."""
    if not len(copy.rows):
        return -1, -1, 0, 0
    last, damaged = copy.rows[-1], sum(each.length for each in copy.dropped)
    records = int(copy.rows["num_records"].sum())
    epoch, end = int(last["partition_leader_epoch"]), int(last["last_offset"])
    # A leader that has not appended anything yet, as in `trusted_epoch`.
    if copy.epochs and copy.epochs[-1].start_offset == end + 1:
        epoch = max(epoch, copy.epochs[-1].epoch)
    return epoch, end, records, -damaged


def _with_filled(bases: list[int], copies: Sequence[SoundCopy], rows: Rows) -> list[int]:
    """Base offsets of the best copy's segments, and of those of other copies that fill a gap from their first batch."""
    firsts, lasts = rows["first_offset"], rows["last_offset"]
    found = set(bases)
    for number in np.flatnonzero(rows["copy"]).tolist():
        base = copies[int(rows["copy"][number])].segments[int(rows["segment"][number])].base_offset or 0
        begins_here = number == 0 or lasts[number - 1] < base
        if begins_here and bases[0] < base <= firsts[number]:
            found.add(base)
    return sorted(found)


def _open_gaps(rows: Rows) -> list[tuple[int, int]]:
    """Offsets that are missing between batches: the first and the last of each gap."""
    if not len(rows):
        return []
    ends, starts = rows["last_offset"][:-1] + 1, rows["first_offset"][1:]
    gaps = np.flatnonzero(ends < starts)
    return list(zip(ends[gaps].tolist(), (starts[gaps] - 1).tolist(), strict=True))


def _meets(dropped: Dropped, gap: tuple[int, int]) -> bool:
    """Whether a gap may be what a stretch has lost."""
    if dropped.first_offset is None or dropped.last_offset is None:
        return True
    return dropped.first_offset <= gap[1] and gap[0] <= dropped.last_offset


def _filled(copies: Sequence[SoundCopy]) -> Rows:
    """Batches of the other copies that fill gaps which damage made in the best one."""
    best = copies[0]
    found: list[Rows] = []
    taken: list[tuple[int, int]] = []
    for low, high, low_epoch, high_epoch in _gaps(best):
        for copy in copies[1:]:
            rows = copy.rows
            fits = (rows["first_offset"] > low) & (rows["last_offset"] < high)
            epochs = rows["partition_leader_epoch"]
            fits &= (epochs >= low_epoch) & (epochs <= high_epoch)
            for begin, end in taken:
                fits &= (rows["last_offset"] < begin) | (rows["first_offset"] > end)
            chosen = rows[fits]
            if len(chosen):
                found.append(chosen)
                columns = (chosen["first_offset"].tolist(), chosen["last_offset"].tolist())
                taken += list(zip(*columns, strict=True))
    return np.concatenate(found) if found else np.zeros(0, ROW)


def _gaps(copy: SoundCopy) -> list[tuple[int, int, int, int]]:
    """Offsets between which damage lies, and the leader epochs that can be there."""
    rows = copy.rows
    most = int(np.iinfo(np.int64).max)
    numbers = {each.path: number for number, each in enumerate(copy.segments)}
    places = list(zip(rows["segment"].tolist(), rows["position"].tolist(), strict=True))
    gaps = []
    for each in copy.dropped:
        at = bisect_left(places, (numbers[each.file], each.position))
        low = int(rows["last_offset"][at - 1]) if at else int(copy.segments[0].base_offset or 0) - 1
        low_epoch = int(rows["partition_leader_epoch"][at - 1]) if at else -1
        high = int(rows["first_offset"][at]) if at < len(rows) else most
        high_epoch = int(rows["partition_leader_epoch"][at]) if at < len(rows) else most
        gaps.append((low, high, low_epoch, high_epoch))
    return sorted(set(gaps))
