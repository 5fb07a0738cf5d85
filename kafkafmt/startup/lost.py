"""The losses of a start: records in cut parts of log files, and in deleted files, by their CRCs.

A broker cuts a log at its first fault, and loses all records after it. To count them, this module reads on after a
fault, as the other commands do: it searches for the next sound entry, also inside the bytes that a wrong length claims.
"""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment import take_batches
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.libraries import np
from kafkafmt.limits import Limits

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.reference.entry import Entry
    from kafkafmt.startup.outcome import LoadedLog
    from kafkafmt.startup.segment import LoadedSegment


def count_lost(
    log: "LoadedLog", listing: "Collection[DirectoryEntry]", segments: "Collection[LoadedSegment]", *, falls: bool
) -> None:
    """Count the lost records of a log.

    Args:
        log: takes the count.
        listing: the files of the partition as they were before the load.
        segments: those that are left.
        falls: whether the log end is below the last sound batch, although no byte is cut.

    Raises:
        SourceError: a file cannot be read.
    """
    # Usually all segments are left, perhaps a million, and need no look. Parts of a split file are not in the listing.
    whole = {segment.log for segment in segments if segment.size == (segment.log.size or 0)}.intersection(listing)
    kept: dict[str, list[tuple[int, int]]] = {}
    for segment in segments:
        if segment.log not in whole:
            kept.setdefault(segment.name, []).append((segment.origin, segment.origin + segment.size))
    last = max((each.base_offset for each in segments), default=None)
    for entry in listing:
        parsed = parse_segment_file_name(entry.name)
        if parsed is None or (parsed.kind, parsed.suffix) != ("log", "") or not entry.is_file:
            continue
        begin, size = 0, entry.size or 0
        stretches: list[tuple[int, int, int | None]] = []
        for low, high in () if entry in whole else (*sorted(kept.get(entry.path, ())), (size, size)):
            if begin < low:
                stretches.append((begin, low, None))
            begin = high
        if falls and not stretches and parsed.base_offset == last:
            stretches.append((0, size, log.log_end_offset))
        for low, high, from_offset in stretches:
            records, first = _lost_in(entry, parsed.base_offset, low, high, from_offset)
            log.lost_records += records
            if first is not None:
                log.first_lost_offset = first if log.first_lost_offset is None else min(first, log.first_lost_offset)
    if log.first_lost_offset is not None and log.truncate_from is not None:
        # Lost offsets begin at the cut: unreadable batches may precede the first readable one.
        log.first_lost_offset = min(log.first_lost_offset, log.truncate_from)


def _lost_in(
    entry: "DirectoryEntry", base_offset: int, begin: int, end: int, from_offset: int | None = None
) -> tuple[int, int | None]:
    """Count the loss of a stretch of a log file.

    Args:
        entry: the file.
        base_offset: by its name.
        begin: where the stretch begins, in bytes.
        end: where it ends.
        from_offset: only batches that reach up to this offset count; None for all.

    Returns:
        the number of records, and the lowest offset, or None where nothing is lost.

    Raises:
        SourceError: the file cannot be read.
    """
    damaged: list[Damage] = []
    records, first = 0, None
    limits = Limits()

    def count(entry: "Entry") -> tuple[int, int, int]:
        entry.verify_checksum()
        header = entry.header()
        last = header.last_offset or 0
        return last if header.base_offset is None else header.base_offset, last, entry.count(header, limits)

    with entry.location.open() as file:
        reader = SegmentReader(
            file,
            name=entry.path,
            bounds=SegmentBounds(base_offset=base_offset),
            limits=limits,
            on_damage="skip",
            report=damaged.append,
            buffer=ReusedBuffer(),
        )
        for found in reader.bulk_walk(count, begin, end):
            for low, high, number in _batches(found) if isinstance(found, ReadWindow) else (found,):
                if from_offset is None or high >= from_offset:
                    records += number
                    first = low if first is None else min(first, low)
    for each in damaged:
        if each.records and not each.is_open_end:
            records += each.records
            if each.first_offset is not None:
                first = each.first_offset if first is None else min(first, each.first_offset)
    return records, first


def _batches(window: ReadWindow) -> Iterator[tuple[int, int, int]]:
    """Lowest and highest offset of a window's batches, and how many records these have."""
    batches = take_batches(window, verify_checksums=True)
    if len(batches):
        headers = batches.headers
        columns = (headers["base_offset"], batches.last_offsets, headers["num_records"].astype(np.int64))
        yield from zip(*(column.tolist() for column in columns), strict=True)
