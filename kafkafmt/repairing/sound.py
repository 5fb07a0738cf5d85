"""What is sound in a copy of a partition: its batches with right CRCs and offsets that agree, and what is not."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.headers import HEADER, Batches
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Damage
from kafkafmt.files.names import is_log_file
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment import take_batches
from kafkafmt.internal_topics import COORDINATORS_TOPICS
from kafkafmt.logdir.log_dir import CLEAN_SHUTDOWN
from kafkafmt.reference.header import LOG_APPEND_TIME as APPEND_TIME
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD
from kafkafmt.repairing.salvage import SalvagedFile, if_sound

if TYPE_CHECKING:
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.entry import Entry

REFUTED: Final = "refuted_offset"
"""Reason of a batch with a right CRC whose offset the batches around it refute."""

UNREADABLE: Final = "unreadable"
"""Reason of a stretch that the disk does not give."""

MISSING: Final = "missing"
"""Reason of offsets between two segments that are in neither of them; nothing is there to be left out, length 0."""

_NO_END: Final = int(np.iinfo(np.int64).max)
_MOST_OFFSETS: Final = 1 << 31
# Records that no partition ever had: a million a second make so many in nine years.
_MOST_EVER: Final = 1 << 48

ROW: Final = np.dtype(
    [
        ("copy", "i4"),
        ("segment", "i4"),
        ("position", "i8"),
        ("first_offset", "i8"),
        ("last_offset", "i8"),
        ("is_mended", "?"),
        *HEADER.descr,
    ]
)
"""A batch: number of its copy and segment, where it begins, its offsets as far as they are known, and its header.

Of formats 0 and 1 the header has the offset of the message or wrapper, its size, magic and timestamp.
"""

Rows = npt.NDArray[np.void]
Numbers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A stretch of a log file that is not kept.

    Attributes:
        file: path of the log file.
        position: where it begins, bytes.
        length: how long it is.
        reason: as `Damage.reason`, or `REFUTED`, `UNREADABLE` or `MISSING`.
        first_offset: lowest offset that is lost, None if unknown.
        last_offset: highest offset that is lost, None if unknown.
        records: how many records are lost, None if unknown.
    """

    file: str
    position: int
    length: int
    reason: str
    first_offset: int | None
    last_offset: int | None
    records: int | None


@dataclass
class SoundCopy:
    """What is sound in one copy of a partition.

    Attributes:
        partition: the directory.
        segments: its log files, by base offset.
        rows: sound batches in the order of the files; of type `ROW`.
        dropped: what is left out.
        epochs: entries of leader-epoch-checkpoint, empty if it is broken.
        end: the log end offset that an orderly stop has left in recovery-point-offset-checkpoint, None without one.
        is_cleaned: whether the cleaner may have been here, which leaves gaps.
    """

    partition: "Partition"
    segments: "Sequence[Segment]"
    rows: Rows
    dropped: list[Dropped] = field(default_factory=list)
    epochs: "Sequence[EpochEntry]" = ()
    end: int | None = None
    is_cleaned: bool = False


def read_copies(partition: "Partition", limits: "Limits") -> list[SoundCopy]:
    """Read all of a partition directory, every header and CRC: its log, and the segments that `.swap` files replace.

    Raises:
        SourceError: a file cannot be read.
    """
    replaced = [each for each in partition.other_segments if is_log_file(each.name) and not each.suffix]
    return [_read(partition, each, limits) for each in (partition.segments, replaced) if each or each is not replaced]


def _read(partition: "Partition", segments: "Sequence[Segment]", limits: "Limits") -> SoundCopy:
    copy = SoundCopy(partition, segments, np.zeros(0, ROW))
    copy.epochs = if_sound(lambda: partition.leader_epochs) or ()
    if partition.location.sibling(CLEAN_SHUTDOWN).is_file():
        copy.end = if_sound(lambda: partition.recovery_point)
    is_cleaned = if_sound(lambda: partition.cleaner_offset) is not None
    copy.is_cleaned = is_cleaned or partition.topic in COORDINATORS_TOPICS
    parts: list[Rows] = []
    for number, segment in enumerate(segments):
        following = segments[number + 1] if number + 1 < len(segments) else None
        parts += _rows_of(copy, number, segment, following, limits)
    if parts:
        copy.rows = np.concatenate(parts)
    return copy


def _rows_of(
    copy: SoundCopy, number: int, segment: "Segment", following: "Segment | None", limits: "Limits"
) -> Iterator[Rows]:
    def describe(entry: "Entry") -> BatchHeader:
        entry.verify_checksum()
        header = entry.header()
        if header.count is None:
            # A wrapper says it nowhere; one that cannot be read is kept, and counts none.
            with suppress(KafkafmtError):
                header.count = entry.count(header, limits, verify_inner=False)
        return header

    def report(damage: Damage) -> None:
        copy.dropped.append(
            Dropped(
                segment.path,
                damage.position,
                damage.length,
                damage.reason,
                damage.first_offset,
                damage.last_offset,
                damage.records,
            )
        )

    with SalvagedFile(segment.open()) as file:
        reader = segment.reader(file, following, limits=limits, on_damage="skip", report=report, buffer=ReusedBuffer())
        reached = 0
        for found in reader.bulk_walk(describe):
            if isinstance(found, ReadWindow):
                batches = take_batches(found, verify_checksums=True)
                if len(batches):
                    reached = int(batches.ends[-1]) + batches.position
                    yield _rows(batches, number)
                del batches
            else:
                reached = found.position + found.size_in_bytes
                yield _row(found, number)
        _note_unreadable(copy, segment.path, file.unreadable, reached)


def _note_unreadable(copy: SoundCopy, path: str, unreadable: "Sequence[tuple[int, int]]", reached: int) -> None:
    """Say of stretches that are left out which of them could not be read, also behind the last batch, at `reached`."""
    for begin, end in unreadable:
        is_noted = False
        for number, each in enumerate(copy.dropped):
            if each.file == path and each.position < end and begin < each.position + each.length:
                copy.dropped[number] = replace(each, reason=UNREADABLE)
                is_noted = True
        if not is_noted and begin >= reached:
            copy.dropped.append(Dropped(path, begin, end - begin, UNREADABLE, None, None, None))


def _rows(batches: Batches, number: int) -> Rows:
    rows = np.zeros(len(batches), ROW)
    for name in HEADER.names or ():
        rows[name] = batches.headers[name]
    rows["position"] = batches.starts + batches.position
    rows["segment"] = number
    rows["first_offset"] = rows["base_offset"]
    rows["last_offset"] = batches.last_offsets
    return rows


def _row(header: BatchHeader, number: int) -> Rows:
    """Describe a message or wrapper, or a batch that was read by itself."""
    rows = np.zeros(1, ROW)
    row = rows[0]
    last = header.last_offset or 0
    row["position"], row["segment"] = header.position, number
    row["size"] = header.size_in_bytes - LOG_OVERHEAD
    row["magic"] = header.magic
    row["last_offset"] = last
    row["max_timestamp"] = -1 if header.max_timestamp is None else header.max_timestamp
    row["producer_id"], row["producer_epoch"], row["base_sequence"] = -1, -1, -1
    row["partition_leader_epoch"] = header.partition_leader_epoch
    row["num_records"] = header.count or 0
    # The first offset of a wrapper is known only when it is decompressed.
    row["first_offset"] = row["base_offset"] = last if header.magic < CURRENT_MAGIC else header.base_offset or 0
    if header.magic >= CURRENT_MAGIC:
        row["last_offset_delta"] = max(last - (header.base_offset or 0), -1)
        row["producer_id"], row["producer_epoch"] = header.producer_id, header.producer_epoch
        row["base_sequence"] = header.base_sequence
        row["attributes"] = (
            (0x08 if header.timestamp_type == APPEND_TIME else 0)
            | (0x10 if header.is_transactional else 0)
            | (0x20 if header.is_control_batch else 0)
        )
    return rows


def leave_out_refuted(copy: SoundCopy, *, mends: bool) -> list[str]:
    """Leave out the batches whose offsets the others refute: the most batches stay whose offsets rise.

    A batch behind a gap ends where a later leader epoch begins, if most batches agree with leader-epoch-checkpoint, and
    not beyond the log end of an orderly stop.

    Args:
        copy: is changed.
        mends: whether a batch that fills the gap between its neighbours exactly gets the offset that it must have.

    Returns:
        What was mended.
    """
    rows = copy.rows
    if not len(rows):
        return []
    bases = np.array([each.base_offset for each in copy.segments], np.int64)
    lower = bases[rows["segment"]]
    upper = np.append(bases[1:], np.iinfo(np.int64).max)[rows["segment"]]
    expected, end_of_epoch = _epochs_at(rows, copy.epochs)
    follows = np.zeros(len(rows), np.bool_)
    follows[1:] = rows["first_offset"][1:] == rows["last_offset"][:-1] + 1
    # What follows the batch before it at once needs no witness.
    is_earlier = (rows["partition_leader_epoch"] <= expected) & ~follows
    witnessed = np.where(is_earlier, end_of_epoch, _NO_END)
    if copy.end is not None and len(rows) > 1 and not follows[-1] and copy.end > rows["last_offset"][-2]:
        witnessed[-1] = min(int(witnessed[-1]), copy.end)  # of the last batch alone: the checkpoint may be damaged
    upper = np.minimum(upper, witnessed)
    upper = np.minimum(upper, _reach(rows, lower))
    fits = (
        (rows["first_offset"] >= lower) & (rows["last_offset"] < upper) & (rows["last_offset"] >= rows["first_offset"])
    )
    if fits.all() and bool((rows["first_offset"][1:] > rows["last_offset"][:-1]).all()):
        return []
    said = []
    is_kept = _witnessed_series(copy, fits)
    for number in np.flatnonzero(~is_kept).tolist():
        row = rows[number]
        covered = int(row["last_offset"]) - int(row["first_offset"])
        before = int(rows["last_offset"][number - 1]) + 1 if number and is_kept[number - 1] else None
        after = int(rows["first_offset"][number + 1]) if number + 1 < len(rows) and is_kept[number + 1] else None
        if number + 1 == len(rows) and witnessed[number] < _NO_END:
            after = int(witnessed[number])
        if mends and before is not None and after is not None and after - before == covered + 1 and row["magic"] >= 2:
            said.append(
                f"{_place(copy, number)}: base offset {row['base_offset']} becomes {before}, as its neighbours leave"
            )
            row["base_offset"] = row["first_offset"] = before
            row["last_offset"] = after - 1
            row["is_mended"] = is_kept[number] = True
            continue
        length = int(row["size"]) + LOG_OVERHEAD
        file = copy.segments[int(row["segment"])].path
        last = None if after is None else after - 1
        copy.dropped.append(Dropped(file, int(row["position"]), length, REFUTED, before, last, int(row["num_records"])))
    copy.rows = rows[is_kept]
    copy.dropped.sort(key=lambda each: (each.file, each.position))
    return said


def _reach(rows: Rows, lower: Numbers) -> npt.NDArray[np.int64]:
    """Give the offset below which each batch must end for the indexes of its segment, as far as that can be demanded.

    A segment can reach further: the cleaner of brokers before 0.11.0.1 joined segments so (KAFKA-6264), and Kafka
    splits it. But the offset of a batch that is alone beyond, at the end of its segment, is wrong if one flipped bit
    explains it, by which the batch would follow the one before at once, or if nobody ever wrote so many records.

    Args:
        rows: batches in the order of the files.
        lower: base offset of the segment of each.
    """
    reach = np.where(lower <= _NO_END - _MOST_OFFSETS, lower + _MOST_OFFSETS, _NO_END)
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


def split_bases(rows: Rows, bases: list[int]) -> list[int]:
    """Give the base offsets of segments once those are split whose offsets overflow them, as Kafka's loader does.

    Args:
        rows: batches by offset.
        bases: base offsets of the segments.
    """
    numbers = np.searchsorted(np.array(bases), rows["first_offset"], side="right") - 1
    found = set(bases)
    for number, base in enumerate(bases):
        of_segment = rows[numbers == number]
        if not len(of_segment) or int(of_segment["last_offset"][-1]) - base < _MOST_OFFSETS:
            continue
        found.discard(base)
        at = 0
        while at < len(of_segment):
            start = int(of_segment["first_offset"][at])
            found.add(start)
            at = max(at + 1, int(np.searchsorted(of_segment["last_offset"] - start, _MOST_OFFSETS)))
    return sorted(found)


def note_missing(copy: SoundCopy) -> None:
    """Take note of offsets that are missing between segments, where the cleaner has not been and nothing is damaged.

    Args:
        copy: is changed.
    """
    rows = copy.rows
    modern = rows[rows["magic"] >= CURRENT_MAGIC]
    has_holes = bool((modern["num_records"] <= modern["last_offset_delta"]).any())
    if has_holes or copy.is_cleaned or len(copy.segments) < 2 or not len(rows):
        return
    last_places = np.searchsorted(rows["segment"], np.arange(len(copy.segments)), side="right")
    for number, (segment, following) in enumerate(pairwise(copy.segments)):
        base, start, at = segment.base_offset or 0, following.base_offset or 0, int(last_places[number])
        end = max(base, int(rows["last_offset"][at - 1]) + 1 if at else base)
        last = int(rows["position"][at - 1]) if at and rows["segment"][at - 1] == number else -1
        # What is damaged behind the last batch has taken these offsets with it.
        is_damaged = any(each.file == segment.path and each.position > last for each in copy.dropped)
        if end < start and not is_damaged:
            copy.dropped.append(Dropped(segment.path, segment.size, 0, MISSING, end, start - 1, None))


def _witnessed_series(copy: SoundCopy, fits: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Choose the batches that most others bear out: those that follow each other at once stay or go together."""
    candidates = np.flatnonzero(fits)
    firsts, lasts = copy.rows["first_offset"][candidates], copy.rows["last_offset"][candidates]
    begins = np.ones(len(candidates), np.bool_)
    begins[1:] = firsts[1:] != lasts[:-1] + 1
    starts = np.flatnonzero(begins)
    kept = np.zeros(len(fits), np.bool_)
    if not len(starts):
        return kept
    ends = np.append(starts[1:], len(candidates))
    bases = np.array([each.base_offset for each in copy.segments], np.int64)
    at_base = firsts[starts] == bases[copy.rows["segment"][candidates[starts]]]
    for number in _rising(firsts[starts], lasts[ends - 1], (ends - starts) * 2 + at_base):
        kept[candidates[starts[number] : ends[number]]] = True
    return kept


def _rising(firsts: Numbers, lasts: Numbers, weights: Numbers) -> list[int]:
    """Find the series of ranges, in order, each of which begins above the end of the one before, of the most weight."""
    ordered = np.unique(lasts)
    below = np.searchsorted(ordered, firsts, side="left").tolist()  # how many ends each may follow
    places = (np.searchsorted(ordered, lasts) + 1).tolist()
    # A Fenwick tree of the heaviest series that ends at or below a place: its weight, and the last range of it.
    tree = [(0, -1)] * (len(ordered) + 1)
    before = [-1] * len(below)
    for number, weight in enumerate(weights.tolist()):
        best, at = (0, -1), below[number]
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
    """Give the epoch that leader-epoch-checkpoint has at each batch, and the offset where the next one begins.

    Epoch -1 and no end where the checkpoint cannot be trusted: it contradicts more than half of the batches.
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
    """Mend the leader epoch of batches which those around refute: no CRC covers that field.

    Epochs that rise by themselves stay, whatever leader-epoch-checkpoint says. Batches without an epoch after one that
    is known get that of both sides, or of the checkpoint.

    Args:
        copy: is changed.

    Returns:
        What was mended, and what could not be.
    """
    rows, epochs = copy.rows, copy.rows["partition_leader_epoch"].astype(np.int64)
    expected, _ = _epochs_at(rows, copy.epochs)
    known, numbers = np.flatnonzero(epochs >= 0), np.arange(len(rows))
    is_without = (epochs < 0) & (rows["magic"] >= CURRENT_MAGIC)
    is_later = is_without & (numbers > (known[0] if len(known) else len(rows)))
    if (np.diff(epochs[known]) >= 0).all() and not (is_later | (is_without & (expected >= 0))).any():
        return []
    rises = np.zeros(len(rows), np.bool_)
    rises[known[_rising(epochs[known] * 2, epochs[known] * 2 - 1, np.ones(len(known), np.int64))]] = True
    if len(known) == 1 and expected[known[0]] < 0 and is_later.sum() > 1:
        rises[known] = False  # it is in this batch alone, and the next ones have none
    first = int(rises.argmax()) if rises.any() else len(rows)
    said = _give_epochs(copy, is_without & ((expected >= 0) | (numbers > first)), rises, expected)
    before, after = np.append(-1, epochs[:-1]), np.append(epochs[1:], -1)
    right = np.where(expected >= 0, expected, np.where(before == after, before, -1))
    # The checkpoint decides only where it has what the batches around have.
    agrees = rises & ((epochs == expected) | (expected < 0))
    is_alone = np.append(True, agrees[:-1]) & np.append(agrees[1:], True) & (right >= 0)
    # The log begins with batches that have none.
    is_alone |= (numbers < first) & np.append(True, is_without[:-1]) & np.append(is_without[1:], False) & (right < 0)
    for at in np.flatnonzero(~rises & is_alone & (epochs >= 0)).tolist():
        rows["partition_leader_epoch"][at], rows["is_mended"][at] = right[at], True
        said.append(f"{_place(copy, at)}: leader epoch {epochs[at]} becomes {right[at]}, as in the batches around")
    return said


def _give_epochs(
    copy: SoundCopy, without: npt.NDArray[np.bool_], rises: npt.NDArray[np.bool_], expected: npt.NDArray[np.int64]
) -> list[str]:
    """Give an epoch to batches that have none, where it is known; returns what was done, a sentence for each run.

    Args:
        copy: is changed.
        without: which of its batches have none.
        rises: which of the others are right, as far as their order shows.
        expected: the epoch of each by leader-epoch-checkpoint, -1 where that does not say.
    """
    said, witnesses = [], np.flatnonzero(rises)
    epochs = copy.rows["partition_leader_epoch"][witnesses].astype(np.int64)
    before, after = np.append(-1, epochs), np.append(epochs, _NO_END)
    numbers = np.flatnonzero(without)
    places = np.searchsorted(witnesses, numbers)
    low, high, right = before[places], after[places], expected[numbers]
    right = np.where(low == high, low, np.where((right >= low) & (right <= high), right, -1))
    is_new = np.append(True, (np.diff(numbers) > 1) | (np.diff(right) != 0))
    bounds = [*np.flatnonzero(is_new).tolist(), len(numbers)] if len(numbers) else []
    for begin, end in pairwise(bounds):
        run, epoch = numbers[begin:end], int(right[begin])
        found = int(copy.rows["partition_leader_epoch"][run[0]])
        batches = "" if len(run) == 1 else f" of {len(run)} batches"
        what = f"{_place(copy, int(run[0]))}: leader epoch {found}{batches}"
        if epoch < 0:
            said.append(f"{what} stays: neither the batches around nor leader-epoch-checkpoint say which it was")
            continue
        copy.rows["partition_leader_epoch"][run], copy.rows["is_mended"][run] = epoch, True
        witness = "as in the batches around" if low[begin] == high[begin] else "as leader-epoch-checkpoint says"
        said.append(f"{what} becomes {epoch}, {witness}")
    return said


def _place(copy: SoundCopy, number: int) -> str:
    """Where a batch begins, as notes have it."""
    row = copy.rows[number]
    return f"{copy.segments[int(row['segment'])].path}, position {int(row['position'])}"
