"""The losses of a start: records in cut parts of log files, and in deleted files, by their CRCs.

A broker cuts a log at its first fault, and loses all records after it. So this module reads the log as other commands
read a damaged log: after a fault it searches the next sound entry, also inside the bytes that a wrong length claims.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment import take_batches
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.limits import Limits

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.reference.entry import Entry


def lost_in(
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
