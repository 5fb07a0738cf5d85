"""The offsets that a copy of a partition lacks, and the offset from which another copy supersedes it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD
from kafkafmt.repairing.sound import Dropped, Rows, SoundCopy

if TYPE_CHECKING:
    from collections.abc import Sequence

SUPERSEDED: Final = "superseded"
"""Reason of batches from the offset on at which another copy has a newer leader epoch: a broker cuts them."""


class Gap(NamedTuple):
    """A range of missing offsets that may be filled.

    Attributes:
        low: the last offset before the gap.
        high: the first offset after the gap.
        low_epoch: leader epoch of the batch before the gap.
        high_epoch: leader epoch of the batch after the gap.
    """

    low: int
    high: int
    low_epoch: int
    high_epoch: int


def standing(copy: SoundCopy) -> tuple[int, int, int, int]:
    """Rank of a copy: last leader epoch, then log end, then most records, then least damage."""
    if not len(copy.rows):
        return -1, -1, 0, 0
    last, damaged = copy.rows[-1], sum(each.length for each in (*copy.dropped, *copy.broken.values()))
    records = int(copy.rows["num_records"].sum())
    epoch, end = int(last["partition_leader_epoch"]), int(last["last_offset"])
    # The last epoch may have no batch yet if its leader has not appended anything; see `trusted_epoch`.
    if copy.epochs and copy.epochs[-1].start_offset == end + 1:
        epoch = max(epoch, copy.epochs[-1].epoch)
    return epoch, end, records, -damaged


def superseded_from(copy: SoundCopy, newest: SoundCopy) -> int | None:
    """Offset from which a copy has older leader epochs than the newest copy: a follower is cut there (KIP-101).

    Args:
        copy: a copy.
        newest: the copy with the newest leader epoch.

    Returns:
        None if the copy is a part of the newest one, or continues after it.
    """
    rows, others = copy.rows, newest.rows
    if copy is newest or not len(rows) or not len(others):
        return None
    epochs, firsts = rows["partition_leader_epoch"], rows["first_offset"]
    at = np.searchsorted(others["first_offset"], firsts, side="right") - 1
    is_covered = (at >= 0) & (others["last_offset"][at] >= firsts)
    theirs = others["partition_leader_epoch"][at]
    is_after = firsts > others["last_offset"][-1]
    agreed = np.flatnonzero(is_covered & (theirs == epochs))
    differs = is_covered & (theirs >= 0) & (theirs != epochs)
    parted = np.flatnonzero((epochs >= 0) & (differs | (is_after & (epochs < standing(newest)[0]))))
    # Diverged logs never agree again. So a difference before equal batches is a single wrong epoch, which no CRC
    # covers.
    parted = parted[parted > (agreed[-1] if len(agreed) else -1)]
    return int(firsts[parted[0]]) if len(parted) else None


def without_superseded(copy: SoundCopy, limit: int | None) -> SoundCopy:
    """The part of a copy that is not superseded; the rest is added to the dropped ranges.

    Args:
        copy: the copy, which is not changed.
        limit: offset returned by `superseded_from`.
    """
    copy = replace(copy, dropped=list(copy.dropped))
    if limit is None:
        return copy
    is_kept = copy.rows["first_offset"] < limit
    gone, copy.rows = copy.rows[~is_kept], copy.rows[is_kept]
    for number in np.unique(gone["segment"]).tolist():
        rows = gone[gone["segment"] == number]
        begin, end = int(rows["position"].min()), int((rows["position"] + rows["size"]).max()) + LOG_OVERHEAD
        offsets = int(rows["first_offset"][0]), int(rows["last_offset"][-1])
        records = int(rows["num_records"].sum())
        copy.dropped.append(Dropped(copy.segments[number].path, begin, end - begin, SUPERSEDED, *offsets, records))
    copy.dropped.sort(key=lambda each: (each.file, each.position))
    return copy


def gaps_of(copy: SoundCopy, log_start: int) -> list[Gap]:
    """The gaps of a copy that others may fill: damaged ranges, lost segments, offsets outside its ends.

    In a log that the cleaner has compacted, offsets are missing without a loss: between its batches only damaged ranges
    count.

    Args:
        copy: a copy.
        log_start: offset below which nothing is filled.
    """
    rows = copy.rows
    base = int(copy.segments[0].base_offset or 0) if copy.segments else 0
    found = [damaged_gap(copy, each) for each in copy.dropped if each.reason != SUPERSEDED]
    end = int(rows["last_offset"][-1]) if len(rows) else base - 1
    last_epoch = int(rows["partition_leader_epoch"][-1]) if len(rows) else -1
    found.append(Gap(end, INT64_MAX, last_epoch, INT64_MAX))
    if not is_cleaned(copy):
        lows, highs = open_gap_places(rows)
        epochs = rows["partition_leader_epoch"]
        found += [
            Gap(int(rows["last_offset"][low]), int(rows["first_offset"][high]), int(epochs[low]), int(epochs[high]))
            for low, high in zip(lows, highs, strict=True)
        ]
    first = int(rows["first_offset"][0]) if len(rows) else base
    first_epoch = int(rows["partition_leader_epoch"][0]) if len(rows) else INT64_MAX
    # Kafka raises the first entry to the log start offset: at or above it nothing was deleted on purpose.
    known_start = copy.epochs[0].start_offset if copy.epochs else base
    start = max(min(base, known_start), log_start)
    if start < first and (start < base or not is_cleaned(copy)):
        found.append(Gap(start - 1, first, -1, first_epoch))
    return sorted(set(found))


def is_cleaned(copy: SoundCopy) -> bool:
    """Whether the cleaner may have compacted the copy, by its checkpoint, the topic, or batches with holes."""
    modern = copy.rows[copy.rows["magic"] >= CURRENT_MAGIC]
    return copy.is_cleaned or bool((modern["num_records"] <= modern["last_offset_delta"]).any())


def open_gap_places(rows: Rows) -> "tuple[Sequence[int], Sequence[int]]":
    """Numbers of the batches before and after each range of offsets missing between batches."""
    found = np.flatnonzero(rows["last_offset"][:-1] + 1 < rows["first_offset"][1:])
    return found.tolist(), (found + 1).tolist()


def open_gaps(rows: Rows) -> list[tuple[int, int]]:
    """Offsets missing between batches: the first and last of each gap."""
    lows, highs = open_gap_places(rows)
    ends, starts = rows["last_offset"], rows["first_offset"]
    return [(int(ends[low]) + 1, int(starts[high]) - 1) for low, high in zip(lows, highs, strict=True)]


def damaged_gap(copy: SoundCopy, dropped: Dropped) -> Gap:
    """The offsets around a dropped range, and the leader epochs that can occur there."""
    rows = copy.rows
    number = next(number for number, each in enumerate(copy.segments) if each.path == dropped.file)
    before = np.searchsorted(rows["segment"], number)
    after = np.searchsorted(rows["segment"], number, side="right")
    positions = np.maximum.accumulate(rows["position"][before:after])  # moved batches are out of order in the file
    at = int(before + np.searchsorted(positions, dropped.position))
    base = int(copy.segments[0].base_offset or 0)
    epochs = rows["partition_leader_epoch"]
    low, low_epoch = (int(rows["last_offset"][at - 1]), int(epochs[at - 1])) if at else (base - 1, -1)
    high, high_epoch = (int(rows["first_offset"][at]), int(epochs[at])) if at < len(rows) else (INT64_MAX, INT64_MAX)
    return Gap(low, high, low_epoch, high_epoch)
