"""Fields without a CRC: offsets and leader epochs of batches that their neighbours refute."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from kafkafmt.files.offset_order import is_bounded
from kafkafmt.logdir.replicas import MOST_OFFSETS
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD
from kafkafmt.repairing.sound import Dropped, Rows, SoundCopy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry

REFUTED: Final = "refuted_offset"
"""Reason of a batch with a right CRC whose offset the surrounding batches refute."""

REPEATED: Final = "repeated"
"""Reason of a batch that occurs twice in the log and is kept in the other place: no record is lost."""

Numbers = npt.NDArray[np.integer[Any]]

_STAYS: Final = "stays: neither the batches around nor leader-epoch-checkpoint show the right one"
_NO_END: Final = INT64_MAX
# More records than any partition has had: at a million per second it takes nine years to write them.
_MOST_EVER: Final = 1 << 48
# Fields in which two batches with the same records agree: the CRC covers all fields except offset and leader epoch.
_SAME: Final = ["first_offset", "last_offset", "size", "crc", "magic"]


def leave_out_refuted(copy: SoundCopy, *, mends: bool) -> list[str]:
    """Leave out batches whose offsets the others refute: the largest set of batches with rising offsets is kept.

    Batches in the wrong order that fill a gap exactly are kept, too, and sorted by their offsets.

    A batch after a gap must end where a later leader epoch begins, if most batches agree with leader-epoch-checkpoint,
    and no later than the log end of a clean shutdown.

    Args:
        copy: the copy, which is changed.
        mends: whether a batch that fills the gap between its neighbours exactly gets the offset that it must have.

    Returns:
        The corrected fields and moved batches, as sentences.
    """
    rows = copy.rows
    if not len(rows):
        return []
    bases = np.array([each.base_offset for each in copy.segments], np.int64)
    lower = bases[rows["segment"]]
    upper = np.append(bases[1:], INT64_MAX)[rows["segment"]]
    expected, end_of_epoch = _epochs_at(rows, copy.epochs)
    follows = np.zeros(len(rows), np.bool_)
    follows[1:] = rows["first_offset"][1:] == rows["last_offset"][:-1] + 1
    # A batch that directly follows its predecessor is right without further evidence.
    is_earlier = (rows["partition_leader_epoch"] <= expected) & ~follows
    witnessed = np.where(is_earlier, end_of_epoch, _NO_END)
    below_last = max([int(lower[-1]) - 1, *rows["last_offset"][-2:-1].tolist()])
    if copy.end is not None and is_bounded(below_last, int(rows["first_offset"][-1]), copy.end):
        witnessed[-1] = min(int(witnessed[-1]), copy.end)  # only of the last batch, as the checkpoint may be damaged
    upper = np.minimum(upper, witnessed)
    upper = np.minimum(upper, _reach(rows, lower))
    fits = (
        (rows["first_offset"] >= lower) & (rows["last_offset"] < upper) & (rows["last_offset"] >= rows["first_offset"])
    )
    if fits.all() and bool((rows["first_offset"][1:] > rows["last_offset"][:-1]).all()):
        return []
    said = []
    is_kept = _witnessed_series(copy, fits)
    repeated = _kept_twins(rows, is_kept)
    is_twin = np.array([tuple(row) in repeated for row in rows[_SAME].tolist()], np.bool_)
    is_moved = _in_wrong_order(rows, is_kept, fits & ~is_twin)
    said += [
        f"{_place(copy, number)}: offsets {rows['first_offset'][number]} to {rows['last_offset'][number]} are out "
        "of order: written in the order of offsets"
        for number in np.flatnonzero(is_moved).tolist()
    ]
    for number in np.flatnonzero(~is_kept & ~is_moved).tolist():
        row = rows[number]
        covered = int(row["last_offset"]) - int(row["first_offset"])
        before = int(rows["last_offset"][number - 1]) + 1 if number and is_kept[number - 1] else None
        after = int(rows["first_offset"][number + 1]) if number + 1 < len(rows) and is_kept[number + 1] else None
        if number + 1 == len(rows) and witnessed[number] < _NO_END:
            after = int(witnessed[number])
        if mends and before is not None and after is not None and after - before == covered + 1 and row["magic"] >= 2:
            said.append(
                f"{_place(copy, number)}: base offset {row['base_offset']} becomes {before}, the gap between its "
                "neighbours"
            )
            row["base_offset"] = row["first_offset"] = before
            row["last_offset"] = after - 1
            row["is_mended"] = is_kept[number] = True
            continue
        place = copy.segments[int(row["segment"])].path, int(row["position"]), int(row["size"]) + LOG_OVERHEAD
        if tuple(row[_SAME]) in repeated:
            copy.dropped.append(Dropped(*place, REPEATED, None, None, 0))
            continue
        if before is not None and after is not None and after <= before:
            before = after = None  # no offset is missing there
        last = None if after is None else after - 1
        copy.dropped.append(Dropped(*place, REFUTED, before, last, int(row["num_records"])))
    kept = rows[is_kept | is_moved]
    copy.rows = kept[np.argsort(kept["first_offset"], kind="stable")]
    copy.dropped.sort(key=lambda each: (each.file, each.position))
    return said


def _reach(rows: Rows, lower: Numbers) -> npt.NDArray[np.int64]:
    """For each batch the offset below which it must end because of its segment's indexes, if that can be required.

    A segment can reach further: the cleaner of brokers before 0.11.0.1 joined such segments (KAFKA-6264), and Kafka
    splits them. But if a single batch at the end of its segment exceeds the range, its offset is wrong if one flipped
    bit explains it, so that the batch would directly follow the previous one, or if no partition ever had that many
    records.

    Args:
        rows: batches in file order.
        lower: base offset of each batch's segment.
    """
    reach = np.where(lower <= _NO_END - MOST_OFFSETS, lower + MOST_OFFSETS, _NO_END)
    is_beyond = rows["last_offset"] >= reach
    if not is_beyond.any():
        return reach
    is_last = np.append(np.diff(rows["segment"]) != 0, True)
    for number in np.flatnonzero(is_beyond & is_last).tolist():
        segment = rows["segment"][number]
        first = int(np.searchsorted(rows["segment"], segment, side="left"))
        within = np.flatnonzero(~is_beyond[first : number + 1])
        begin = first + int(within[-1]) + 1 if len(within) else first
        expected = int(rows["last_offset"][begin - 1]) + 1 if len(within) else int(lower[number])
        found = int(rows["first_offset"][number])
        is_alone = begin == number
        if not is_alone or ((found ^ expected).bit_count() > 1 and found - expected < _MOST_EVER):
            reach[begin : number + 1] = _NO_END
    return reach


def _in_wrong_order(
    rows: Rows, is_kept: npt.NDArray[np.bool_], candidates: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Find batches with right offsets in wrong places: they fill a gap between the kept ones exactly.

    A wrong offset may lead into a gap as well, but then a gap remains where the batch is.

    Args:
        rows: batches in file order.
        is_kept: mask of the batches whose offsets rise.
        candidates: mask of the batches that may be in the wrong order.
    """
    found = np.zeros(len(rows), np.bool_)
    chosen = np.flatnonzero(candidates & ~is_kept)
    if not len(chosen) or not is_kept.any():
        return found
    order = np.concatenate([np.flatnonzero(is_kept), chosen])
    order = order[np.argsort(rows["first_offset"][order], kind="stable")]
    firsts, lasts = rows["first_offset"][order], rows["last_offset"][order]
    follows = np.append(False, firsts[1:] == lasts[:-1] + 1)
    gaps = np.sort(lasts[:-1][firsts[1:] > lasts[:-1] + 1])
    # Between the kept batches around a batch's place, no gap may remain.
    places = np.flatnonzero(is_kept)
    beside = np.searchsorted(places, order)
    low = rows["last_offset"][places[np.maximum(beside - 1, 0)]]
    high = rows["first_offset"][places[np.minimum(beside, len(places) - 1)]]
    is_wrong = ~follows | (np.searchsorted(gaps, high) > np.searchsorted(gaps, low))
    # Batches that follow each other are all moved, or none: with the next kept one they must leave no gap.
    is_new = ~is_kept[order]
    begins = np.flatnonzero(np.append(True, is_new[1:] != is_new[:-1]))
    ends = np.append(begins[1:], len(order))
    wrong = np.append(0, np.cumsum(is_wrong))
    fills = is_new[begins] & (wrong[ends] == wrong[begins]) & np.append(follows, True)[ends]
    found[order[np.repeat(fills, ends - begins)]] = True
    return found


def _kept_twins(rows: Rows, is_kept: npt.NDArray[np.bool_]) -> set[tuple[int, ...]]:
    """The identities of batches that are left out here and kept elsewhere in the log; none of formats 0 and 1."""
    fields = rows[_SAME]
    left_out = fields[~is_kept & (rows["magic"] >= CURRENT_MAGIC)]
    kept = fields[is_kept & np.isin(rows["crc"], left_out["crc"])]
    return set(kept.tolist()) & set(left_out.tolist())


def _witnessed_series(copy: SoundCopy, fits: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Choose the largest consistent set of batches; batches that directly follow each other confirm each other."""
    candidates = np.flatnonzero(fits)
    firsts, lasts = copy.rows["first_offset"][candidates], copy.rows["last_offset"][candidates]
    kept = np.zeros(len(fits), np.bool_)
    if not len(candidates):
        return kept
    is_run = np.ones(len(candidates), np.bool_)
    is_run[1:] = firsts[1:] != lasts[:-1] + 1
    # Runs are split where another run begins or ends inside them, so that a part of a run can be left out.
    run_firsts, run_lasts = np.sort(firsts[is_run]), np.sort(lasts[np.append(is_run[1:], True)])
    begins = is_run | (_within(run_firsts, firsts, lasts) > 0)
    begins[1:] |= _within(run_lasts, firsts, lasts)[:-1] > 0
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(candidates))
    bases = np.array([each.base_offset for each in copy.segments], np.int64)
    at_base = firsts[starts] == bases[copy.rows["segment"][candidates[starts]]]
    weights = (ends - starts) * 2 + at_base
    for number in _rising(firsts[starts], lasts[ends - 1], weights, ~is_run[starts]):
        kept[candidates[starts[number] : ends[number]]] = True
    return kept


def _within(offsets: Numbers, firsts: Numbers, lasts: Numbers) -> Numbers:
    """For each batch the number of offsets inside it; the offsets are sorted."""
    return np.searchsorted(offsets, lasts, side="right") - np.searchsorted(offsets, firsts, side="left")


def _rising(firsts: Numbers, lasts: Numbers, weights: Numbers, joins: npt.NDArray[np.bool_]) -> list[int]:
    """Find the heaviest series of ranges, in order, of which each begins above the end of the previous one.

    Args:
        firsts: the first offset of each range.
        lasts: the last offset of each range.
        weights: the weight of each range.
        joins: whether each range directly follows the previous one; a series with both weighs one more.
    """
    ordered = np.unique(lasts)
    below = np.searchsorted(ordered, firsts, side="left").tolist()  # how many range ends a range may follow
    places = (np.searchsorted(ordered, lasts) + 1).tolist()
    # A Fenwick tree (prefix maxima): for each end offset the heaviest series ending at or below it, and its last range.
    tree = [(0, -1)] * (len(ordered) + 1)
    before = [-1] * len(below)
    found = (0, -1)
    for number, (weight, is_joined) in enumerate(zip(weights.tolist(), joins.tolist(), strict=True)):
        best, at = (found[0] + 1, found[1]) if is_joined else (0, -1), below[number]
        while at > 0:
            best, at = max(best, tree[at]), at & (at - 1)
        before[number] = best[1]
        found, at = (best[0] + weight, number), places[number]
        while at < len(tree):
            tree[at], at = max(tree[at], found), at + (at & -at)
    best, at = (0, -1), len(tree) - 1
    while at > 0:
        best, at = max(best, tree[at]), at & (at - 1)
    series, number = [], best[1]
    while number >= 0:
        series.append(number)
        number = before[number]
    return series[::-1]


def _epochs_at(rows: Rows, epochs: "Sequence[EpochEntry]") -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each batch its epoch by leader-epoch-checkpoint, and the offset where the next epoch begins.

    Epoch -1 and no end if the checkpoint cannot be trusted because it contradicts more than half of the batches.
    """
    unknown, endless = np.full(len(rows), -1, np.int64), np.full(len(rows), _NO_END, np.int64)
    modern = rows["magic"] >= CURRENT_MAGIC
    starts = np.array([entry.start_offset for entry in epochs], np.int64)
    if not len(starts) or not modern.any() or (np.diff(starts) <= 0).any():
        return unknown, endless
    places = np.searchsorted(starts, rows["first_offset"], side="right") - 1
    expected = np.array([*(entry.epoch for entry in epochs), -1], np.int64)[places]
    if ((rows["partition_leader_epoch"] != expected) & modern).sum() * 2 > modern.sum():
        return unknown, endless
    ends = np.append(starts[1:], [_NO_END, starts[0]])[places]
    return np.where(modern, expected, -1), np.where(modern, ends, _NO_END)


def mend_epochs(copy: SoundCopy) -> list[str]:
    """Correct the leader epochs of batches that their neighbours refute: no CRC covers that field.

    Rising epochs stay, but for one of a single batch where leader-epoch-checkpoint has that of a neighbour. Batches
    without an epoch after a known one get that of both sides, or that of the checkpoint.

    Args:
        copy: the copy, which is changed.

    Returns:
        The corrected fields, and those that could not be corrected, as sentences.
    """
    rows, epochs = copy.rows, copy.rows["partition_leader_epoch"].astype(np.int64)
    expected, _ = _epochs_at(rows, copy.epochs)
    known, numbers = np.flatnonzero(epochs >= 0), np.arange(len(rows))
    is_without = (epochs < 0) & (rows["magic"] >= CURRENT_MAGIC)
    is_later = is_without & (numbers > (known[0] if len(known) else len(rows)))
    lone = known[_lone(epochs[known], expected[known])]
    is_missing = is_later | (is_without & (expected >= 0))
    if (np.diff(epochs[known]) >= 0).all() and not len(lone) and not is_missing.any():
        return []
    rises, no_joins = np.zeros(len(rows), np.bool_), np.zeros(len(known), np.bool_)
    rises[known[_rising(epochs[known] * 2, epochs[known] * 2 - 1, np.ones(len(known), np.int64), no_joins)]] = True
    rises[lone] = False
    if len(known) == 1 and expected[known[0]] < 0 and is_later.sum() > 1:
        rises[known] = False  # an epoch that only one batch has, followed by batches without one, is not confirmed
    first = int(rises.argmax()) if rises.any() else len(rows)
    said = _give_epochs(copy, is_without & ((expected >= 0) | (numbers > first)), rises, expected)
    before, after = np.append(-1, epochs[:-1]), np.append(epochs[1:], -1)
    right = np.where(expected >= 0, expected, np.where(before == after, before, -1))
    # The checkpoint decides only where it agrees with the surrounding batches.
    agrees = rises & ((epochs == expected) | (expected < 0))
    is_alone = np.append(True, agrees[:-1]) & np.append(agrees[1:], True) & (right >= 0)
    # The log may begin with batches that have no epoch.
    is_alone |= (numbers < first) & np.append(True, is_without[:-1]) & np.append(is_without[1:], False) & (right < 0)
    is_refuted = ~rises & (epochs >= 0)
    for at in np.flatnonzero(is_refuted & is_alone).tolist():
        rows["partition_leader_epoch"][at], rows["is_mended"][at] = right[at], True
        said.append(f"{_place(copy, at)}: leader epoch {epochs[at]} becomes {right[at]}, as in the batches around")
    said += [f"{_epoch_of(copy, run)} {_STAYS}" for run in _runs(np.flatnonzero(is_refuted & ~is_alone), epochs)]
    return said


def _lone(epochs: Numbers, expected: Numbers) -> npt.NDArray[np.bool_]:
    """Mask of the batches with an epoch that no other batch has, and the checkpoint has a neighbour's for them.

    Kafka writes a new epoch to the checkpoint before it appends the first batch. The neighbours agree with it.

    Args:
        epochs: epochs of the batches that have one.
        expected: the epoch of each by leader-epoch-checkpoint, -1 where it has none.
    """
    before, after = np.append(-1, epochs[:-1]), np.append(epochs[1:], -1)
    agrees = (epochs == expected) | (expected < 0)
    has_neighbours = np.append(True, agrees[:-1]) & np.append(agrees[1:], True)
    is_of_neighbour = (expected >= 0) & ((expected == before) | (expected == after))
    lone: npt.NDArray[np.bool_] = ~agrees & (epochs != before) & (epochs != after) & has_neighbours & is_of_neighbour
    return lone


def _give_epochs(
    copy: SoundCopy, without: npt.NDArray[np.bool_], rises: npt.NDArray[np.bool_], expected: npt.NDArray[np.int64]
) -> list[str]:
    """Give batches without an epoch the epoch that is known for them; returns a sentence for each run of changes.

    Args:
        copy: the copy, which is changed.
        without: mask of its batches without an epoch.
        rises: mask of the other batches that are right, by their order.
        expected: the epoch of each batch by leader-epoch-checkpoint, -1 where it has none.
    """
    said, witnesses = [], np.flatnonzero(rises)
    epochs = copy.rows["partition_leader_epoch"][witnesses].astype(np.int64)
    before, after = np.append(-1, epochs), np.append(epochs, _NO_END)
    numbers = np.flatnonzero(without)
    places = np.searchsorted(witnesses, numbers)
    low, high, right = before[places], after[places], expected[numbers]
    right = np.where(low == high, low, np.where((right >= low) & (right <= high), right, -1))
    of_all = np.full(len(copy.rows), -1, np.int64)
    of_all[numbers] = right
    for run in _runs(numbers, of_all):
        begin = int(np.searchsorted(numbers, run[0]))
        epoch, what = int(right[begin]), _epoch_of(copy, run)
        if epoch < 0:
            said.append(f"{what} {_STAYS}")
            continue
        copy.rows["partition_leader_epoch"][run], copy.rows["is_mended"][run] = epoch, True
        witness = "as in the batches around" if low[begin] == high[begin] else "as leader-epoch-checkpoint says"
        said.append(f"{what} becomes {epoch}, {witness}")
    return said


def _runs(numbers: Numbers, values: Numbers) -> "list[Numbers]":
    """Split numbers of batches, in order, where one is missing or the value differs.

    Args:
        numbers: of the batches.
        values: one for each batch of the log.
    """
    if not len(numbers):
        return []
    return np.split(numbers, np.flatnonzero((np.diff(numbers) > 1) | (np.diff(values[numbers]) != 0)) + 1)


def _epoch_of(copy: SoundCopy, run: Numbers) -> str:
    """The leader epoch that batches have and the place of the first one, as text for notes."""
    batches = "" if len(run) == 1 else f" of {len(run)} batches"
    found = int(copy.rows["partition_leader_epoch"][run[0]])
    return f"{_place(copy, int(run[0]))}: leader epoch {found}{batches}"


def _place(copy: SoundCopy, number: int) -> str:
    """Position of a batch, as text for notes."""
    row = copy.rows[number]
    return f"{copy.segments[int(row['segment'])].path}, position {int(row['position'])}"
