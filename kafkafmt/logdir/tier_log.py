"""Which segments of a tier make the log of a partition: each offset once, by the lineage of leader epochs (KIP-405).

A leader uploads what it has. After a move of the leader uploads overlap, after an unclean election they hold different
records at the same offsets, and an upload that Kafka never counted may lie there whole. Leader epochs tell: a batch is
in the log if its epoch is in the lineage, at an offset that the lineage gives to it (`RemoteLogLeaderEpochState`).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kafkafmt.errors import CorruptError, DataError, KafkafmtError, TruncatedError
from kafkafmt.files import leader_epoch_checkpoint, rsm_manifest
from kafkafmt.files.damage import Note
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.io.base import Location
from kafkafmt.logdir import lookup
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.tier_names import LEADER_EPOCHS, MANIFEST, WHOLE
from kafkafmt.logdir.tier_segment import TierCopy


@dataclass(frozen=True, slots=True)
class TierLog:
    """The log of a partition in a tier.

    Attributes:
        segments: what is read, in order of base offsets; each ends where the next one begins, if not before.
        incomplete: uploads without all of their objects, which failed or have not ended.
        overlapped: uploads of which nothing is read: others have their offsets, or the lineage has other records there.
        lineage: the leader epochs of the log; empty if they are unknown.
        newest: the segment whose leader epochs those are; None if they come from a log directory, or are unknown.
        log_start_offset: where the lineage begins, if there are segments of earlier epochs; else None.
        notes: what the reader must know.
    """

    segments: Sequence[TierCopy]
    incomplete: Sequence[TierCopy]
    overlapped: Sequence[TierCopy]
    lineage: Sequence[EpochEntry]
    newest: TierCopy | None = None
    log_start_offset: int | None = None
    notes: Sequence[Note] = ()

    def anchored(self, directory: Location) -> "TierLog":
        """The same by whole paths, shown in another directory."""
        newest = None if self.newest is None else self.newest.anchored(directory, None)
        epochs = None if newest is None else newest.file(LEADER_EPOCHS)
        return replace(
            self,
            segments=[each.anchored(directory, epochs) for each in self.segments],
            incomplete=[each.anchored(directory, None) for each in self.incomplete],
            overlapped=[each.anchored(directory, None) for each in self.overlapped],
            newest=newest,
        )


def choose(copies: Sequence[TierCopy], name: str) -> TierLog:
    """Choose among all that lies in a tier of one partition, without a log directory to ask.

    Args:
        copies: as they were listed.
        name: of the partition, for notes.

    Raises:
        SourceError: an object cannot be read.
    """
    whole, incomplete = _complete(copies)
    described = describe(whole)
    notes = []
    newest = None
    try:
        newest, lineage = _newest_lineage(described)
    except DataError as error:
        lineage = ()
        notes.append(Note(f"{name}: the leader epochs are not known, so segments are chosen by offsets: {error}"))
    chosen, overlapped = chain(described, lineage)
    if not lineage:
        start = None
    else:
        earlier = any(each.leader_epochs and each.leader_epochs[0][0] < lineage[0].epoch for each in chosen)
        start = lineage[0].start_offset if earlier else None
    notes += gaps(chosen, name, start)
    if newest is not None:
        chosen = [copy.with_epochs(newest.file(LEADER_EPOCHS)) for copy in chosen]
    return TierLog(chosen, incomplete, overlapped, lineage, newest, start, notes)


def describe(copies: Sequence[TierCopy]) -> list[TierCopy]:
    """Read what each copy says of itself: manifests, or where there are none, leader epochs and the last batch.

    Raises:
        SourceError: an object cannot be read.
    """
    if not copies:
        return []
    at_once = next(iter(copies[0].objects.values())).location.read_at_once
    if at_once == 1 or len(copies) == 1:
        return list(map(_described, copies))
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - local disks do without

    with ThreadPoolExecutor(at_once, thread_name_prefix="tier") as pool:
        return list(pool.map(_described, copies))


def chain(
    copies: Iterable[TierCopy], lineage: Sequence[EpochEntry], end: int | None = None
) -> tuple[list[TierCopy], list[TierCopy]]:
    """Make one log of copies that overlap: each offset from one of them, and no offset that the lineage gives away.

    Args:
        copies: described ones. Those that cannot be read stand in where there is no other.
        lineage: leader epochs of the log; empty to go by offsets alone.
        end: offset before which all of it must lie, or None.

    Returns:
        What is read, and what is not.
    """
    readable: list[tuple[TierCopy, float]] = []
    broken: list[tuple[TierCopy, float]] = []
    left: list[TierCopy] = []
    for copy in copies:
        until = min(_valid_until(copy, lineage), math.inf if end is None else end)
        if until <= copy.base_offset:
            left.append(copy)
        elif copy.error is not None:
            broken.append((copy, until))
        else:
            readable.append((copy, until))
    readable.sort(key=lambda each: (each[0].base_offset, -each[1], each[0].id))
    taken: list[tuple[TierCopy, float]] = []
    for copy, until in readable:
        if taken and until <= taken[-1][1]:
            if _reaches(taken[-1][0], copy.base_offset if math.isinf(until) else int(until) - 1):
                left.append(copy)
                continue
            # It does not end where it claims to: as a whole, or what is wrong with its end would pass unseen.
            taken[-1] = replace(taken[-1][0], end_offset=None), copy.base_offset
        if taken and taken[-1][0].base_offset == copy.base_offset:
            left.append(taken.pop()[0])
        elif taken and taken[-1][1] > copy.base_offset:
            taken[-1] = taken[-1][0], copy.base_offset
        taken.append((copy, until))
    for copy, until in sorted(broken, key=lambda each: (each[0].base_offset, -each[1])):
        position = next((n for n, (other, _) in enumerate(taken) if other.base_offset > copy.base_offset), len(taken))
        before = taken[position - 1][1] if position else -1
        if before > copy.base_offset:
            left.append(copy)
            continue
        after = taken[position][0].base_offset if position < len(taken) else math.inf
        taken.insert(position, (copy, min(until, after)))
    left.sort(key=lambda copy: (copy.base_offset, copy.id))
    return [_cut(copy, until) for copy, until in taken], left


def _reaches(copy: TierCopy, offset: int) -> bool:
    """Whether a copy has the batch of an offset as it claims: its last offset is only what somebody wrote down."""
    try:
        place = lookup.find_offset([Segment(copy.file("log"), size=copy.whole_size)], offset)
    except KafkafmtError:
        return True  # reading it will tell
    return place is not None and place.base_offset <= offset


def gaps(copies: Sequence[TierCopy], name: str, start: int | None = None) -> list[Note]:
    """Say which offsets between segments no segment has.

    Args:
        copies: what is read, in order.
        name: of the partition.
        start: log start offset, below which nothing is missed.
    """
    notes = []
    for before, after in pairwise(copies):
        if before.end_offset is None or before.error is not None:
            continue
        first = before.end_offset + 1
        if first < after.base_offset and (start is None or after.base_offset > start):
            text = f"{name}: no segment of the tier has offsets {first} to {after.base_offset - 1}"
            notes.append(Note(text))
    return notes


def _complete(copies: Sequence[TierCopy]) -> tuple[list[TierCopy], list[TierCopy]]:
    whole: list[TierCopy] = []
    incomplete: list[TierCopy] = []
    for copy in copies:
        (whole if copy.is_complete else incomplete).append(copy)
    return whole, incomplete


def _described(copy: TierCopy) -> TierCopy:
    try:
        if MANIFEST in WHOLE[copy.layout]:
            return _by_manifest(copy)
        epochs = leader_epoch_checkpoint.parse(copy.read_index(LEADER_EPOCHS), file=str(copy.file(LEADER_EPOCHS)))
        following = Segment(copy.file("log"), size=copy.whole_size).next_offset()
        if following is not None and following <= copy.base_offset:
            # Kafka uploads no segment without records.
            raise TruncatedError("the object ends before its first batch does", file=str(copy.file("log")), position=0)
    except DataError as error:
        return replace(copy, error=error.with_traceback(None), size=max(copy.whole_size, 1))
    end = None if following is None else following - 1
    inside = [(each.epoch, max(each.start_offset, copy.base_offset)) for each in epochs.entries]
    first = next((n for n in range(len(inside) - 1, -1, -1) if inside[n][1] <= copy.base_offset), 0)
    known = tuple(each for each in inside[first:] if end is None or each[1] <= end)
    return replace(copy, end_offset=end, leader_epochs=known or None)


def _by_manifest(copy: TierCopy) -> TierCopy:
    manifest = rsm_manifest.read(copy.objects[MANIFEST].location)
    told = manifest.segment
    if told is None:
        return replace(copy, manifest=manifest)
    if told.start_offset != copy.base_offset:
        raise CorruptError(
            "the manifest is that of another segment",
            file=manifest.file,
            expected=f"base offset {copy.base_offset}",
            found=told.start_offset,
        )
    return replace(
        copy,
        manifest=manifest,
        end_offset=told.end_offset,
        leader_epochs=told.leader_epochs or None,
        max_timestamp=told.max_timestamp,
    )


def _newest_lineage(copies: Sequence[TierCopy]) -> tuple[TierCopy | None, Sequence[EpochEntry]]:
    """The leader epochs of the segment whose last epoch is highest, then starts highest, then knows most epochs.

    Two segments of the same last epoch come from one leader: only the one that was uploaded last, and the one that ends
    last, can differ in what they know.
    """
    known = [copy for copy in copies if copy.leader_epochs and copy.error is None]
    if not known:
        return None, ()
    last = max(copy.leader_epochs[-1][0] for copy in known if copy.leader_epochs)
    of_last = [copy for copy in known if copy.leader_epochs and copy.leader_epochs[-1][0] == last]
    candidates = {
        id(copy): copy
        for copy in (max(of_last, key=_ends), max(of_last, key=lambda copy: (copy.uploaded, _ends(copy))))
    }
    read = []
    for copy in candidates.values():
        data = copy.read_index(LEADER_EPOCHS)
        read.append((copy, leader_epoch_checkpoint.parse(data, file=str(copy.file(LEADER_EPOCHS))).entries))
    copy, entries = max(
        read, key=lambda each: (each[1][-1].epoch, each[1][-1].start_offset, len(each[1])) if each[1] else (-1, -1, 0)
    )
    return copy, entries


def _ends(copy: TierCopy) -> int:
    return copy.base_offset if copy.end_offset is None else copy.end_offset


def _valid_until(copy: TierCopy, lineage: Sequence[EpochEntry]) -> float:
    """Offset from which on a copy has no records of the log: two logs that part never meet again."""
    end = math.inf if copy.end_offset is None else copy.end_offset + 1
    if not lineage or not copy.leader_epochs:
        return end
    ends = [entry.start_offset for entry in lineage[1:]]
    spans = {entry.epoch: (entry.start_offset, to) for entry, to in zip(lineage, [*ends, math.inf], strict=True)}
    lowest = lineage[0].epoch
    until: float = copy.base_offset
    following = [first for _, first in copy.leader_epochs[1:]]
    for (epoch, first), to in zip(copy.leader_epochs, [*following, end], strict=True):
        if epoch < lowest:
            until = to  # below the log start, which cuts it
            continue
        begin, stop = spans.get(epoch, (math.inf, -1))
        if first < begin and epoch != lowest:
            break
        until = min(to, stop)
        if to > stop:
            break
    return until


def _cut(copy: TierCopy, until: float) -> TierCopy:
    """The copy without what lies at an offset or beyond; as a whole where its size up to there cannot be found."""
    if copy.error is not None or copy.end_offset is None or until > copy.end_offset:
        return copy
    cut = int(until)
    size = copy.whole_size
    segment = Segment(copy.file("log"), size=size)
    try:
        place = lookup.find_offset([segment], cut)
    except KafkafmtError:
        place = None  # reading it will tell
    return replace(copy, cut=cut, size=size if place is None else place.position, end_offset=cut - 1)
