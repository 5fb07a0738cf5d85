"""Merges copies of a partition: other copies fill the damaged or missing parts of a node's own copy."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.files.damage import Note, cost_text
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.phrases import counted_are, listed
from kafkafmt.reference.layout import CONTROL
from kafkafmt.repairing.gaps import (
    SUPERSEDED,
    Gap,
    damaged_gap,
    gaps_of,
    open_gaps,
    standing,
    superseded_from,
    without_superseded,
)
from kafkafmt.repairing.held_copies import HeldCopy
from kafkafmt.repairing.merged_partition import MergedPartition
from kafkafmt.repairing.metadata_log import cut_to_snapshots, quorum_state_of
from kafkafmt.repairing.refused import leave_out_refused
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.repairing.sound import (
    MISSING,
    ROW,
    Dropped,
    Rows,
    SoundCopy,
    split_bases,
)
from kafkafmt.topics.cluster_metadata.copies import snapshots_in

if TYPE_CHECKING:
    from kafkafmt.repairing.held_copies import Target


def right_topic_id(copies: Sequence[HeldCopy], known: str | None, notes: list[str]) -> str | None:
    """Find the topic id of a partition, and set it on copies that have another id but the same records.

    Args:
        copies: all copies, already read; their ids may be changed.
        known: topic id in the metadata log, or None.
        notes: list that collects the wrong ids, and how the right one was found.
    """
    ids = [each.topic_id for each in copies if each.topic_id is not None]
    right = known
    if right is None and ids:
        counts = Counter(ids)
        most = max(counts.values())
        # On a tie, the id of the best copy wins.
        best = max((each for each in copies if counts[each.topic_id or ""] == most), key=lambda each: each.standing)
        right = best.topic_id
    others = [each for each in copies if each.topic_id not in (None, right)]
    if not others:
        return right
    witnesses = [each for each in copies if each.topic_id == right]
    source = "the metadata log has" if known is not None else f"{len(witnesses)} of {len(copies)} copies have"
    for each in others:
        path, wrong, is_own = each.partition.path, each.topic_id, each.owned is not None
        twin = next((one for one in witnesses if _are_alike(each.sound[0].rows, one.sound[0].rows)), None)
        if twin is not None:
            each.topic_id = right
            reason = f"its records are those of {twin.partition.path}, so it gets {right}"
            text = f"{path} has topic id {wrong} and {source} {right}: {reason}"
            of = each.partition
            notes.append(Note(text, is_finding=is_own, path=path, topic=of.topic, partition=of.partition))
        else:
            notes.append(
                f"{path} belongs to another topic of this name: its topic id is {wrong} and {source} {right}; "
                "it fills no gaps"
            )
    return right


def _are_alike(rows: Rows, others: Rows) -> bool:
    """Whether two logs have most batches in common in the range that both cover."""
    if not len(rows) or not len(others):
        return False
    names = ["first_offset", "last_offset", "crc"]
    ours, theirs = (set(map(tuple, each[names].tolist())) for each in (rows, others))
    low = max(int(rows["first_offset"][0]), int(others["first_offset"][0]))
    high = min(int(rows["last_offset"][-1]), int(others["last_offset"][-1]))
    common = sum(1 for first, _, _ in ours if low <= first <= high)
    return common > 0 and len(ours & theirs) * 2 > common


def merge(target: "Target", notes: list[str]) -> MergedPartition:
    """Make one partition directory from a node's own copies and those elsewhere.

    Args:
        target: the copies.
        notes: list that collects the parts that are not copied.
    """
    own, others, leader_epoch = target.own, target.others, target.leader_epoch
    copies = [*_ranked(own, leader_epoch), *_ranked(others, leader_epoch)]
    # Without the metadata log a donor's newer leader epoch is not a reason to cut the nodes' own records.
    decisive = [copy for held, copy in copies if held.owned is not None or leader_epoch is not None or not own]
    newest = max(decisive, key=standing)
    ordered = [copy for _, copy in copies] + [one for held, _ in copies for one in held.sound[1:]]
    own_end = _end(ordered[0]) if own else None
    limits = [superseded_from(copy, newest) for copy in ordered]
    best = ordered[0] = without_superseded(ordered[0], limits[0])
    for number, (copy, limit) in enumerate(zip(ordered, limits, strict=True)):
        rows = copy.rows.copy() if limit is None else copy.rows[copy.rows["last_offset"] < limit]
        rows["copy"] = number
        ordered[number] = replace(copy, rows=rows)
    best = ordered[0]
    replaced, in_their_place = _in_place_of_broken(ordered)
    filled = _filled(ordered, gaps_of(best, _log_start([*own, *others])), in_their_place)
    rows = np.delete(best.rows, replaced)
    if len(filled):
        rows = np.concatenate([rows, filled])
        rows = rows[np.argsort(rows["first_offset"], kind="stable")]
    bases = split_bases(rows, _bases(ordered, rows, limits[0]))
    merged = MergedPartition(target.place, target.topic_id, ordered, rows, bases, own_end)
    if len(filled):
        _note_filled(merged, filled)
    _note_broken(merged, [_broken(best, row) for row in best.rows[replaced]], notes)
    leave_out_refused(merged, notes)
    behind = best.partition.other_segments if own else []
    if best.partition.topic == CLUSTER_METADATA:
        cut_to_snapshots(merged, notes)
        merged.quorum_state = quorum_state_of(target, merged, notes)
        known = {each.location.identity for each in snapshots_in(best.partition.location.list())}
        behind = [each for each in behind if each.location.identity not in known]
    notes += [f"{each.path} is not copied: not part of the log" for each in behind]
    return merged


def _ranked(held: Sequence[HeldCopy], leader_epoch: int | None) -> list[tuple[HeldCopy, SoundCopy]]:
    """Copies by rank, best first; donors without records of later leader epochs than the metadata log has."""
    found = []
    for each in held:
        copy = each.sound[0]
        if each.owned is None and leader_epoch is not None:
            copy = replace(copy, rows=copy.rows[copy.rows["partition_leader_epoch"] <= leader_epoch])
        found.append((each, copy))
    return sorted(found, key=lambda each: standing(each[1]), reverse=True)


def _end(copy: SoundCopy) -> int:
    """Offset after the last batch of a copy."""
    bases = [each.base_offset or 0 for each in copy.segments]
    return max([*bases, *(copy.rows["last_offset"][-1:] + 1).tolist()], default=0)


def _log_start(held: Sequence[HeldCopy]) -> int:
    """Offset below which records were deleted on purpose (DeleteRecords), by the copies' checkpoints."""
    known = (if_sound(partial(getattr, each.partition, "checkpointed_log_start_offset")) for each in held)
    return max((offset for offset in known if offset is not None), default=0)


def _note_filled(merged: MergedPartition, filled: Rows) -> None:
    """Record which dropped ranges the other copies fill, and the number of their records."""
    best, still_open = merged.copies[0], open_gaps(merged.rows)
    kept: list[Dropped] = []
    for each in best.dropped:
        low, high, *_ = damaged_gap(best, each)
        is_filled = (
            each.reason != SUPERSEDED
            and bool(((filled["first_offset"] > low) & (filled["last_offset"] < high)).any())
            and not any(_meets(each, gap) and low < gap[0] < high for gap in still_open)
        )
        merged.filled += is_filled and each.reason != MISSING
        if not is_filled or each.reason != MISSING:
            kept.append(each)
    best.dropped = kept
    is_control = (filled["attributes"] & CONTROL) != 0
    merged.added = int(filled["num_records"].sum())
    merged.added_markers = int(filled["num_records"][is_control].sum())


def _bases(copies: Sequence[SoundCopy], rows: Rows, limit: int | None) -> list[int]:
    """Base offsets of the first copy's segments, and of others' that fill a gap from their first batch on."""
    own = [each.base_offset or 0 for each in copies[0].segments] or [int(rows["first_offset"][0]) if len(rows) else 0]
    bases = [own[0], *(base for base in own[1:] if limit is None or base < limit)]
    firsts, lasts = rows["first_offset"], rows["last_offset"]
    found = set(bases)
    for number in np.flatnonzero(rows["copy"]).tolist():
        first = int(firsts[number])
        base = copies[int(rows["copy"][number])].segments[int(rows["segment"][number])].base_offset or 0
        if number == 0 and first < bases[0]:
            start = copies[0].epochs[0].start_offset if copies[0].epochs else 0
            found.add(base if base >= start else first)
        elif base > bases[0] or first < bases[0]:
            begins_here = number == 0 or int(lasts[number - 1]) < base
            if begins_here and base <= first:
                found.add(base)
    return sorted(found)


def _meets(dropped: Dropped, gap: tuple[int, int]) -> bool:
    """Whether a dropped range may have held offsets of a gap."""
    if dropped.first_offset is None or dropped.last_offset is None:
        return True
    return dropped.first_offset <= gap[1] and gap[0] <= dropped.last_offset


def _filled(copies: Sequence[SoundCopy], gaps: Sequence[Gap], chosen: Rows) -> Rows:
    """Batches of the other copies that fit into gaps of the first copy; broken ones only if no copy has sound ones.

    Args:
        copies: the first copy, and the others.
        gaps: gaps of the first copy.
        chosen: batches of the others that are used in any case, before all others.
    """
    found = [chosen]
    taken = _ranges(chosen) if len(chosen) else []
    for gap, is_broken in product(gaps, (False, True)):
        for copy in copies[1:]:
            rows = copy.rows
            epochs = rows["partition_leader_epoch"]
            fits = (rows["first_offset"] > gap.low) & (rows["last_offset"] < gap.high)
            fits &= (epochs >= gap.low_epoch) & (epochs <= gap.high_epoch) & (rows["is_broken"] == is_broken)
            for begin, end in taken:
                fits &= (rows["last_offset"] < begin) | (rows["first_offset"] > end)
            chosen = rows[fits]
            if len(chosen):
                found.append(chosen)
                taken += _ranges(chosen)
    return np.concatenate(found)


def _in_place_of_broken(copies: Sequence[SoundCopy]) -> tuple[list[int], Rows]:
    """Find the records of broken wrappers of the first copy in sound batches of the other copies.

    Returns:
        Numbers of the wrappers that are replaced, and the batches that replace them.
    """
    best, found = copies[0], [np.zeros(0, ROW)]
    replaced: list[int] = []
    for number in np.flatnonzero(best.rows["is_broken"]).tolist():
        row, before = best.rows[number], best.rows[max(number - 1, 0) : number]
        wrapper = _broken(best, row)
        last, epoch = int(row["last_offset"]), int(row["partition_leader_epoch"])
        low = max(-1 if wrapper.first_offset is None else wrapper.first_offset - 1, -1, *before["last_offset"].tolist())
        for copy in copies[1:]:
            begin = np.searchsorted(copy.rows["first_offset"], low, side="right")
            near = copy.rows[begin : np.searchsorted(copy.rows["last_offset"], last, side="right")]
            chosen = near[(near["partition_leader_epoch"] == epoch) & ~near["is_broken"]]
            count = int(chosen["num_records"].sum())
            # A wrapper that begins before the broken one has records outside these offsets.
            if count and (wrapper.records or 1) <= count <= last - low and int(chosen["last_offset"][-1]) == last:
                replaced.append(number)
                found.append(chosen)
                break
    return replaced, np.concatenate(found)


def _broken(copy: SoundCopy, row: "np.void") -> Dropped:
    """The known facts about a broken wrapper of a copy."""
    return copy.broken[int(row["segment"]), int(row["position"])]


def _note_broken(merged: MergedPartition, replaced: Sequence[Dropped], notes: list[str]) -> None:
    """List broken wrappers that other copies replace among the dropped ranges, and note those that stay.

    Args:
        merged: the merged partition, which is changed.
        replaced: broken wrappers that other copies replace.
        notes: list that collects how many stay.
    """
    best = merged.copies[0]
    best.dropped = sorted([*best.dropped, *replaced], key=lambda each: (each.file, each.position))
    merged.filled += len(replaced)
    kept = merged.rows[merged.rows["is_broken"]]
    if not len(kept):
        return
    stay = [_broken(merged.copies[int(row["copy"])], row) for row in kept]
    offsets = listed([cost_text(each.first_offset, each.last_offset, each.records) for each in stay], 3, "; ")
    wrappers = f"{counted_are(len(stay), 'wrapper')} kept, though messages inside cannot be read"
    reason = "brokers only check the CRC of the wrapper and serve it, and consumers stop there"
    of = merged.partition
    text = f"{of.path}: {wrappers} ({offsets}): {reason}; no other copy has sound ones"
    notes.append(Note(text, path=of.path, topic=of.topic, partition=of.partition))


def _ranges(rows: Rows) -> list[tuple[int, int]]:
    """The offsets that batches cover, as ranges; adjacent batches make one range."""
    firsts, lasts = rows["first_offset"], rows["last_offset"]
    begins = np.flatnonzero(np.append(True, firsts[1:] != lasts[:-1] + 1))
    ends = np.append(begins[1:], len(rows)) - 1
    return list(zip(firsts[begins].tolist(), lasts[ends].tolist(), strict=True))
