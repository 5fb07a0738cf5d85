"""The sound records that a copy of a partition holds, as ranges of offsets, by the headers of its batches."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment import take_batches
from kafkafmt.libraries import np, npt
from kafkafmt.reference.layout import CONTROL

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

Range = tuple[int, int]
"""First offset, and the offset after the last one."""

END: Final = 2**63
"""An offset above all valid ones."""

_HELD: Final = [
    *(("first", "i8"), ("last", "i8"), ("records", "i8"), ("epoch", "i8")),
    *(("crc", "u4"), ("size", "i4"), ("segment", "i4")),
]


@dataclass(frozen=True)
class HeldRecords:
    """Sound batches of a copy, in the order of its files.

    Attributes:
        batches: first and last offset, data records (0 for a control batch), leader epoch, CRC, size in bytes, and
            number of the segment, for each batch.
        segments: names of the log files.
        damaged: numbers of the batches that follow damage; damage at the end has the number after the last batch.
        has_gaps: whether offsets may be missing without a fault, as in a compacted topic.
    """

    batches: "npt.NDArray[np.void]"
    segments: Sequence[str]
    damaged: Sequence[int]
    has_gaps: bool

    def kept(self, names: Iterable[str], start: int, end: int) -> "HeldRecords":
        """The batches of some log files between two offsets; a batch that contains the start offset is included."""
        numbers = [number for number, name in enumerate(self.segments) if name in set(names)]
        batches = self.batches
        mask = np.isin(batches["segment"], numbers) & (batches["last"] >= start) & (batches["last"] < end)
        # Damage after all kept batches is outside the log.
        before = np.append(0, np.cumsum(mask))
        damaged = sorted({int(before[number]) for number in self.damaged if number < len(mask) and mask[number:].any()})
        return HeldRecords(batches[mask], self.segments, damaged, self.has_gaps)

    def shared_with(self, other: "HeldRecords") -> "HeldRecords":
        """The batches that another copy has too, compared by offsets and CRC."""
        keys = ["first", "last", "crc"]
        shared = np.isin(self.batches[keys], other.batches[keys])
        return HeldRecords(self.batches[shared], self.segments, (), has_gaps=False)

    def rising(self) -> "HeldRecords":
        """The batches for a consumer that reads from the start: it skips offsets that it has already passed."""
        last = self.batches["last"]
        mask = last > np.append(-1, np.maximum.accumulate(last)[:-1]) if len(last) else np.ones(0, np.bool_)
        before = np.append(0, np.cumsum(mask))
        damaged = sorted({int(before[number]) for number in self.damaged})
        return HeldRecords(self.batches[mask], self.segments, damaged, self.has_gaps)

    def up_to_damage(self) -> "HeldRecords":
        """The batches for a consumer that reads from the start: it stops at damage."""
        end = self.damaged[0] if self.damaged else len(self.batches)
        return HeldRecords(self.batches[:end], self.segments, (), self.has_gaps)

    def ranges(self) -> list[Range]:
        """The ranges of offsets that the batches cover, in order."""
        batches = self.batches
        if not len(batches):
            return []
        ends = batches["last"] + 1
        breaks = np.zeros(len(batches) - 1, np.bool_) if self.has_gaps else batches["first"][1:] != ends[:-1]
        breaks[[number - 1 for number in self.damaged if 0 < number < len(batches)]] = True
        starts = np.append(True, breaks).nonzero()[0]
        stops = np.append(breaks, True).nonzero()[0]
        return united(zip(batches["first"][starts].tolist(), ends[stops].tolist(), strict=True))

    def count(self, ranges: Iterable[Range]) -> tuple[int, int | None]:
        """Number of data records in ranges, and the lowest offset of one."""
        batches, total, lowest = self.batches, 0, None
        with_records = batches[batches["records"] > 0]
        for start, end in ranges:
            batch = with_records[(with_records["last"] >= start) & (with_records["first"] < end)]
            if len(batch):
                firsts = np.maximum(batch["first"], start)
                room = np.minimum(batch["last"], end - 1) - firsts + 1
                total += int(np.minimum(batch["records"], room).sum())
                lowest = min(int(firsts.min()), END if lowest is None else lowest)
        return total, lowest

    def epochs(self) -> list[tuple[int, int]]:
        """Leader epochs that are higher than all earlier ones, with the offsets at which they begin."""
        epochs = self.batches["epoch"]
        rises = epochs > np.append(-1, np.maximum.accumulate(epochs)[:-1]) if len(epochs) else np.zeros(0, np.bool_)
        return [(int(each["epoch"]), int(each["first"])) for each in self.batches[rises]]


def read_held(partition: "Partition", limits: "Limits", *, verify_checksums: bool, has_gaps: bool) -> HeldRecords:
    """Read the headers of a partition directory, or all its bytes if CRCs are checked.

    Args:
        partition: the directory.
        limits: bounds of a decode.
        verify_checksums: whether CRCs are checked.
        has_gaps: as in `HeldRecords`.

    Raises:
        SourceError: a file cannot be read.
    """
    parts: list[npt.NDArray[np.void]] = []
    damaged: list[tuple[int, int]] = []
    positions: list[npt.NDArray[np.int64]] = []

    def describe(entry: "Entry") -> "BatchHeader":
        if verify_checksums:
            entry.verify_checksum()
        return entry.header()

    segments = partition.segments
    for number, segment in enumerate(segments):
        following = segments[number + 1] if number + 1 < len(segments) else None
        stretches: list[int] = []

        def report(damage: "Damage", stretches: list[int] = stretches) -> None:
            if not damage.is_open_end:
                stretches.append(damage.position)

        with segment.open() as file:
            reader = segment.reader(
                file,
                following,
                limits=limits,
                on_damage="skip",
                report=report,
                buffer=ReusedBuffer(),
                checks_lengths=not verify_checksums,
            )
            for found in reader.bulk_walk(describe):
                if isinstance(found, ReadWindow):
                    batches = take_batches(found, verify_checksums=verify_checksums)
                    rows = np.zeros(len(batches), _HELD)
                    rows["first"], rows["last"] = batches.headers["base_offset"], batches.last_offsets
                    is_data = (batches.headers["attributes"] & CONTROL) == 0
                    rows["records"] = np.where(is_data, batches.headers["num_records"], 0)
                    rows["epoch"] = batches.headers["partition_leader_epoch"]
                    rows["crc"] = batches.headers["crc"]
                    rows["size"] = batches.ends - batches.starts
                    positions.append(batches.starts + batches.position)
                    del batches
                else:
                    rows = np.zeros(1, _HELD)
                    last = found.last_offset or 0
                    rows[0] = (
                        last if found.base_offset is None else found.base_offset,
                        last,
                        0 if found.is_control_batch else (found.count or 1),
                        found.partition_leader_epoch,
                        found.crc or 0,
                        found.size_in_bytes,
                        0,
                    )
                    positions.append(np.array([found.position], np.int64))
                rows["segment"] = number
                parts.append(rows)
        damaged += [(number, position) for position in stretches]
    held = np.concatenate(parts) if parts else np.zeros(0, _HELD)
    places = np.concatenate(positions) if positions else np.zeros(0, np.int64)
    numbers = {
        int(((held["segment"] < number) | ((held["segment"] == number) & (places < position))).sum())
        for number, position in damaged
    }
    return HeldRecords(held, [each.name for each in segments], sorted(numbers), has_gaps)


def united(ranges: Iterable[Range]) -> list[Range]:
    """Ranges in order, with adjacent and overlapping ones joined."""
    joined: list[Range] = []
    for start, end in sorted(ranges):
        if start >= end:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def outside(ranges: Iterable[Range]) -> list[Range]:
    """All offsets outside these ranges, as ranges."""
    edges = [0, *(edge for each in united(ranges) for edge in each), END]
    return [(start, end) for start, end in list(pairwise(edges))[::2] if start < end]


def clipped(ranges: Iterable[Range], end: int) -> list[Range]:
    """Ranges cut at an offset."""
    return [(start, min(stop, end)) for start, stop in ranges if start < end]


def common(ranges: Sequence[Range], others: Sequence[Range]) -> list[Range]:
    """Ranges of the offsets that are in both."""
    found = []
    at = 0
    for start, end in ranges:
        while at < len(others) and others[at][1] <= start:
            at += 1
        each = at
        while each < len(others) and others[each][0] < end:
            found.append((max(start, others[each][0]), min(end, others[each][1])))
            each += 1
    return found
