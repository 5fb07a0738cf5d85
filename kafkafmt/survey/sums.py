"""Sums over the entries of a segment, one by one or in bulk, and over the segments of a partition."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.codec.compression import LABELS
from kafkafmt.columnar.headers import Batches, Positions
from kafkafmt.files.batch_faults import time_unit_of, time_units
from kafkafmt.files.sizes import Sizes
from kafkafmt.findings import FINDING
from kafkafmt.libraries import np
from kafkafmt.logdir.partition import Partition
from kafkafmt.reference import header as names
from kafkafmt.reference.header import CREATE_TIME, to_int64
from kafkafmt.reference.layout import COMPRESSION, CURRENT_MAGIC, DELETE_HORIZON, LOG_APPEND_TIME
from kafkafmt.survey.facts import PartitionFacts, SegmentFacts, Share

if TYPE_CHECKING:
    from kafkafmt.files.batch_faults import TimeUnit
    from kafkafmt.reference.header import BatchHeader

# Seconds read as milliseconds are in January 1970; a correct clock is at most a day ahead of this machine's.
_EARLIEST_MS = 31_536_000_000

MOST_GAPS = 100
"""Most gaps of a segment that are kept; a compacted segment may have one between any two batches."""


@dataclass(slots=True)
class SegmentSums:
    """Sums over the entries of a segment.

    Attributes:
        base_offset: base offset of the segment, or None.
        latest_possible: the highest timestamp that a correct clock can have given, in ms.
        has_holes: whether the cleaner has compacted it: offsets are missing in or between batches without damage.
        is_sparse: whether offsets are missing in batches, or before one of format 0 or 1, whose first may be unknown.
        gaps: first and last offset of the first gaps between batches that are a sign of the cleaner, or of removed
            batches.
        next_offset: offset after the last entry; None before the first one.
        last_position: start of the last entry, in bytes; None before the first one.
        end_position: end of the last entry, in bytes.
        impossible_times: entries of formats with timestamps, with one that no correct clock can have given.
        time_units: number of entries whose maxTimestamp seems to be in seconds, microseconds or nanoseconds.

        The other attributes are as in `SegmentFacts`.
    """

    base_offset: int | None
    latest_possible: int
    batches: int = 0
    records: int = 0
    decompressed: int = 0
    has_holes: bool = False
    is_in_order: bool = True
    is_behind_a_hole: bool = False
    is_sparse: bool = False
    gaps: list[tuple[int, int]] = field(default_factory=list)
    hole: tuple[int, int] = (0, 0)
    next_offset: int | None = None
    last_position: int | None = None
    end_position: int = 0
    min_timestamp: int | None = None
    max_timestamp: int | None = None
    min_leader_epoch: int | None = None
    max_leader_epoch: int | None = None
    earliest: int | None = None
    latest: int | None = None
    impossible_times: int = 0
    time_units: "dict[TimeUnit, int]" = field(default_factory=dict)
    timestamp_types: set[str] = field(default_factory=set)
    shares: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def see(self, header: "BatchHeader") -> None:
        """Take the next entry."""
        self._look_for_holes(header)
        self.add(header)

    def add(self, header: "BatchHeader") -> None:
        """Add an entry; offsets missing before it do not count as a hole."""
        self.batches += 1
        self.last_position = header.position
        self.end_position = header.position + header.size_in_bytes
        self.records += 0 if header.error else header.count or 0
        self._add_share(header.magic, header.compression or "unknown", 1, header.size_in_bytes)
        if header.timestamp_type is not None:
            self.timestamp_types.add(header.timestamp_type)
        if header.last_offset is not None:
            self.next_offset = to_int64(header.last_offset + 1)
        latest = -1 if header.max_timestamp is None else header.max_timestamp
        earliest = latest
        if (
            header.base_timestamp is not None
            and header.timestamp_type == CREATE_TIME
            and header.delete_horizon_ms is None
        ):
            earliest = header.base_timestamp
        possible = [each for each in (earliest, latest) if _EARLIEST_MS <= each <= self.latest_possible]
        self.impossible_times += header.magic > 0 and len(possible) < 2
        self._add_times([each for each in (earliest, latest) if each >= 0], possible)
        unit = time_unit_of(header)
        if unit is not None and header.error is None:
            self.time_units[unit] = self.time_units.get(unit, 0) + 1
        if header.partition_leader_epoch >= 0:
            self._add_epochs(header.partition_leader_epoch, header.partition_leader_epoch)

    def see_batches(self, batches: Batches) -> None:
        """Take the next batches, all sound, adjacent and in file order; the same as `see` for each batch."""
        headers = batches.headers
        first, last, ends = headers["base_offset"], batches.last_offsets, batches.ends + batches.position
        attributes = headers["attributes"]
        expected = np.empty_like(last)
        expected[1:] = last[:-1] + 1  # wraps as `to_int64` does
        expected[0] = first[0] if self._expected is None else self._expected
        in_order = first >= expected
        follows = int(batches.starts[0]) + batches.position == self.end_position
        behind = (first > expected) & np.concatenate([[self.is_in_order and follows], in_order[:-1]])
        if self.is_behind_a_hole and in_order[0]:
            self.end_hole()
        for number in np.flatnonzero(behind[:-1] & in_order[1:])[:MOST_GAPS].tolist():
            self.hole = int(expected[number]), int(first[number]) - 1
            self.end_hole()
        if (headers["num_records"] <= headers["last_offset_delta"]).any():
            self.has_holes = self.is_sparse = True
        self.is_behind_a_hole, self.is_in_order = bool(behind[-1]), bool(in_order[-1])
        if self.is_behind_a_hole:
            self.hole = int(expected[-1]), int(first[-1]) - 1
        self.batches += len(batches)
        self.last_position = int(batches.starts[-1]) + batches.position
        self.end_position = int(ends[-1])
        self.records += int(headers["num_records"].sum(dtype=np.int64))
        self.next_offset = to_int64(int(last[-1]) + 1)
        sizes = batches.ends - batches.starts
        codecs = attributes & COMPRESSION
        for codec in np.flatnonzero(np.bincount(codecs)).tolist():
            of_codec = sizes[codecs == codec]
            self._add_share(CURRENT_MAGIC, LABELS[codec], len(of_codec), int(of_codec.sum()))
        appended = (attributes & LOG_APPEND_TIME) != 0
        if appended.any():
            self.timestamp_types.add(names.LOG_APPEND_TIME)
        if not appended.all():
            self.timestamp_types.add(CREATE_TIME)
        for unit, count in time_units(headers).items():
            self.time_units[unit] = self.time_units.get(unit, 0) + count
        latest = headers["max_timestamp"]
        is_base = (attributes & (LOG_APPEND_TIME | DELETE_HORIZON)) == 0
        times = np.stack([np.where(is_base, headers["base_timestamp"], latest), latest])
        possible = (times >= _EARLIEST_MS) & (times <= self.latest_possible)
        self.impossible_times += int(np.count_nonzero(~possible.all(axis=0)))
        self._add_times(_ends(times[times >= 0]), _ends(times[possible]))
        epochs = headers["partition_leader_epoch"]
        known = _ends(epochs[epochs >= 0])
        if known:
            self._add_epochs(*known)

    @property
    def _expected(self) -> int | None:
        """The offset of the next entry if no offset is missing."""
        return self.base_offset if self.next_offset is None else self.next_offset

    def _look_for_holes(self, header: "BatchHeader") -> None:
        """Find out whether the cleaner has compacted the segment."""
        if header.magic < CURRENT_MAGIC and header.compression not in ("none", None):
            self.decompressed += 1
        first = header.base_offset if header.base_offset is not None else header.last_offset
        if first is None:  # pragma: no cover: one of them is always known
            return
        expected = self._expected
        covered = 1 if header.last_offset is None else header.last_offset - first + 1
        is_in_order = expected is None or first >= expected
        # Two kinds of gaps are not signs of the cleaner: gaps after damage, and before an offset that jumps up and
        # comes back.
        if self.is_behind_a_hole and is_in_order:
            self.end_hole()
        if header.count is not None and header.count < covered:
            self.has_holes = self.is_sparse = True
        self.is_behind_a_hole = False
        if expected is not None and first > expected and self.is_in_order and header.position == self.end_position:
            self.is_behind_a_hole, self.hole = True, (expected, first - 1)
            self.is_sparse |= header.magic < CURRENT_MAGIC
        self.is_in_order = is_in_order

    def end_hole(self) -> None:
        """Record that offsets are missing before the last entry, once the next entry or the end confirms it."""
        self.has_holes = True
        if len(self.gaps) < MOST_GAPS:
            self.gaps.append(self.hole)

    def _add_share(self, magic: int, codec: str, batches: int, size: int) -> None:
        share = self.shares.setdefault((magic, codec), [0, 0])
        share[0] += batches
        share[1] += size

    def _add_times(self, times: list[int], possible: list[int]) -> None:
        if times:
            self.min_timestamp = _lowest(self.min_timestamp, min(times))
            self.max_timestamp = highest(self.max_timestamp, max(times))
        if possible:
            self.earliest = _lowest(self.earliest, min(possible))
            self.latest = highest(self.latest, max(possible))

    def _add_epochs(self, lowest: int, most: int) -> None:
        self.min_leader_epoch = _lowest(self.min_leader_epoch, lowest)
        self.max_leader_epoch = highest(self.max_leader_epoch, most)


def add_up(
    partition: Partition,
    log_dir: str,
    segments: list[SegmentFacts],
    sizes: Sizes,
    *,
    topic_id: str | None = None,
    topic_of_id: str | None = None,
    log_start_offset: int | None = None,
    is_end_known: bool = True,
    high_watermark: int | None = None,
    recovery_point: int | None = None,
    leader_epochs: tuple[tuple[int, int], ...] = (),
    producer_snapshots: int = 0,
) -> PartitionFacts:
    """Add up the segments of a partition.

    Args:
        partition: partition of the segments.
        log_dir: path of its log directory.
        segments: segments in order.
        sizes: sizes of all files in its directory.
        topic_id: as in `PartitionFacts`.
        topic_of_id: as in `PartitionFacts`.
        log_start_offset: offset in the checkpoint; the log begins there if it is inside the log or past it.
        is_end_known: whether the last segment determines where the log ends.
        high_watermark: as in `PartitionFacts`.
        recovery_point: as in `PartitionFacts`.
        leader_epochs: as in `PartitionFacts`.
        producer_snapshots: as in `PartitionFacts`.
    """
    first, last = (segments[0], segments[-1]) if segments else (None, None)
    shares: dict[tuple[int, str], Share] = {}
    log_size = decompressed = findings = 0
    for segment in segments:
        log_size += segment.size
        decompressed += segment.decompressed
        findings += sum(finding.level == FINDING for finding in segment.findings) if segment.findings else 0
        for key, share in segment.shares.items():
            old = shares.get(key)
            shares[key] = share if old is None else Share(old.batches + share.batches, old.size + share.size)
    end = highest(log_start_offset, last.next_offset if last else None) if is_end_known else None
    return PartitionFacts(
        path=partition.path,
        log_dir=log_dir,
        topic=partition.topic,
        partition=partition.partition,
        state=partition.state,
        topic_id=topic_id,
        topic_of_id=topic_of_id,
        size=sizes.content,
        log_size=log_size,
        segments=len(segments),
        log_start_offset=highest(log_start_offset, first.base_offset if first else None),
        log_end_offset=end,
        end_on_disk=end if end is None or last is None else highest(end, last.end_by_order),
        high_watermark=high_watermark,
        recovery_point=recovery_point,
        batches=_total([segment.batches for segment in segments]),
        records=_total([segment.records for segment in segments]),
        decompressed=decompressed,
        min_timestamp=min((each.min_timestamp for each in segments if each.min_timestamp is not None), default=None),
        max_timestamp=highest(*(segment.max_timestamp for segment in segments)),
        shares=dict(sorted(shares.items())),
        leader_epochs=leader_epochs,
        max_leader_epoch=highest(*(segment.max_leader_epoch for segment in segments)),
        producer_snapshots=producer_snapshots,
        findings=findings,
        size_on_disk=sizes.on_disk,
    )


def highest(*numbers: int | None) -> int | None:
    """The largest of the known numbers, or None."""
    found = None
    for number in numbers:
        if number is not None and (found is None or number > found):
            found = number
    return found


def _lowest(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _ends(numbers: Positions) -> list[int]:
    """The lowest and the highest number; empty if there are none."""
    return [int(numbers.min()), int(numbers.max())] if len(numbers) else []


def _total(numbers: list[int | None]) -> int | None:
    """The sum, or None if a number is unknown."""
    return None if None in numbers else sum(number for number in numbers if number is not None)
