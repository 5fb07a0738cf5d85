"""The sound part of a partition's copy: batches with right CRCs and consistent offsets; and the ranges left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Final

import numpy.typing as npt

from kafkafmt.columnar.headers import HEADER, Batches
from kafkafmt.errors import DataError, LimitExceededError
from kafkafmt.files.damage import Damage
from kafkafmt.files.names import is_log_file
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment import take_batches
from kafkafmt.findings import reason_of
from kafkafmt.internal_topics import COORDINATORS_TOPICS
from kafkafmt.libraries import np
from kafkafmt.logdir.lost_end import clean_end
from kafkafmt.logdir.replicas import MOST_OFFSETS
from kafkafmt.reference.header import LOG_APPEND_TIME as APPEND_TIME
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC, LOG_APPEND_TIME, LOG_OVERHEAD, TRANSACTIONAL
from kafkafmt.repairing.salvage import SalvagedFile, if_sound

if TYPE_CHECKING:
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.entry import Entry

UNREADABLE: Final = "unreadable"
"""Reason of a range that the disk cannot read."""

MISSING: Final = "missing"
"""Reason of offsets between two segments that neither contains; no bytes are left out there, so the length is 0."""

ROW: Final = np.dtype(
    [
        ("copy", "i4"),
        ("segment", "i4"),
        ("position", "i8"),
        ("first_offset", "i8"),
        ("last_offset", "i8"),
        ("is_mended", "?"),
        ("is_broken", "?"),
        *HEADER.descr,
    ]
)
"""A batch: number of its copy and segment, its position, its offsets if known, and its header.

In formats 0 and 1 the header has the offset of the message or wrapper, its size, magic and timestamp. A wrapper is
broken if its CRC is right but its messages cannot be read; it counts as having no records.
"""

Rows = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A range of a log file that is not kept.

    Attributes:
        file: path of the log file.
        position: where it begins, in bytes.
        length: how long it is, in bytes.
        reason: why, in a word: the reason of damage, as "checksum", or "unreadable", "missing", or one of `refuted`.
        first_offset: lowest offset that is lost; None if unknown.
        last_offset: highest offset that is lost; None if unknown.
        records: number of records that are lost; None if unknown.
    """

    file: Annotated[str, "string"]
    position: Annotated[int, "int64"]
    length: Annotated[int, "int64"]
    reason: Annotated[str, "string"]
    first_offset: Annotated[int | None, "int64"]
    last_offset: Annotated[int | None, "int64"]
    records: Annotated[int | None, "int64"]


@dataclass
class SoundCopy:
    """The sound part of one copy of a partition.

    Attributes:
        partition: the partition directory.
        segments: its log files, by base offset.
        rows: sound batches in file order, of type `ROW`.
        dropped: the ranges left out.
        broken: the broken wrappers (v0, v1) by segment number and position, in the form of dropped ranges.
        epochs: entries of leader-epoch-checkpoint; empty if it is broken.
        end: log end offset at a clean shutdown, from recovery-point-offset-checkpoint; None without one.
        is_cleaned: whether the cleaner, which leaves gaps, may have compacted the log.
    """

    partition: "Partition"
    segments: "Sequence[Segment]"
    rows: Rows
    dropped: list[Dropped] = field(default_factory=list)
    broken: dict[tuple[int, int], Dropped] = field(default_factory=dict)
    epochs: "Sequence[EpochEntry]" = ()
    end: int | None = None
    is_cleaned: bool = False


def read_copies(partition: "Partition", limits: "Limits") -> list[SoundCopy]:
    """Read a whole partition directory, all headers and CRCs: its log, and the segments that `.swap` files replace.

    Raises:
        SourceError: a file cannot be read.
    """
    replaced = [each for each in partition.other_segments if is_log_file(each.name) and not each.suffix]
    return [_read(partition, each, limits) for each in (partition.segments, replaced) if each or each is not replaced]


def _read(partition: "Partition", segments: "Sequence[Segment]", limits: "Limits") -> SoundCopy:
    copy = SoundCopy(partition, segments, np.zeros(0, ROW))
    copy.epochs = if_sound(lambda: partition.leader_epochs) or ()
    copy.end = if_sound(lambda: clean_end(partition))
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
    broken: dict[int, Dropped] = {}

    def describe(entry: "Entry") -> BatchHeader:
        entry.verify_checksum()
        header = entry.header()
        if header.count is None:  # the content of a wrapper is known once it is decompressed
            try:
                header.count = entry.count(header, limits)
            except LimitExceededError:
                header.count = 0
            except DataError as error:
                place = segment.path, header.position, header.size_in_bytes, reason_of(error)
                broken[header.position] = Dropped(*place, header.base_offset, header.last_offset, header.count)
                header.count = 0
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
                yield _row(found, number, is_broken=found.position in broken)
                if found.position in broken:
                    copy.broken[number, found.position] = broken[found.position]
        _note_unreadable(copy, segment.path, file.unreadable, reached)


def _note_unreadable(copy: SoundCopy, path: str, unreadable: "Sequence[tuple[int, int]]", reached: int) -> None:
    """Mark the left-out ranges that could not be read, including those after the last batch, at `reached`."""
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


def _row(header: BatchHeader, number: int, *, is_broken: bool) -> Rows:
    """Describe a message or wrapper, or a batch that was read on its own."""
    rows = np.zeros(1, ROW)
    row = rows[0]
    last = header.last_offset or 0
    row["position"], row["segment"], row["is_broken"] = header.position, number, is_broken
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
            (LOG_APPEND_TIME if header.timestamp_type == APPEND_TIME else 0)
            | (TRANSACTIONAL if header.is_transactional else 0)
            | (CONTROL if header.is_control_batch else 0)
        )
    return rows


def split_bases(rows: Rows, bases: list[int]) -> list[int]:
    """The base offsets of segments after those whose offsets overflow them are split, as Kafka's loader does.

    Args:
        rows: batches by offset.
        bases: base offsets of the segments.
    """
    numbers = np.searchsorted(np.array(bases), rows["first_offset"], side="right") - 1
    found = set(bases)
    for number, base in enumerate(bases):
        of_segment = rows[numbers == number]
        if not len(of_segment) or int(of_segment["last_offset"][-1]) - base < MOST_OFFSETS:
            continue
        found.discard(base)
        at = 0
        while at < len(of_segment):
            start = int(of_segment["first_offset"][at])
            found.add(start)
            at = max(at + 1, int(np.searchsorted(of_segment["last_offset"] - start, MOST_OFFSETS)))
    return sorted(found)


def note_missing(copy: SoundCopy) -> None:
    """Record offsets that are missing between segments, if these are neither compacted nor damaged.

    Args:
        copy: the copy, which is changed.
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
        # Not a gap of its own: damage after the last batch has already been charged with these offsets.
        is_damaged = any(each.file == segment.path and each.position > last for each in copy.dropped)
        if end < start and not is_damaged:
            copy.dropped.append(Dropped(segment.path, segment.size, 0, MISSING, end, start - 1, None))
