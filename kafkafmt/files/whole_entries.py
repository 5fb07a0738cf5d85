"""Whole entries: how far a log file that a broker is writing consists of whole entries."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kafkafmt.files.read_window import ReadWindow, new_buffer
from kafkafmt.files.segment_reader import SegmentReader

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry


class Reach(NamedTuple):
    """How far whole entries go.

    Attributes:
        position: where the last one ends, in bytes.
        last: where it begins; None if there is none.
        next_offset: offset after it, or None likewise.
    """

    position: int
    last: int | None = None
    next_offset: int | None = None


def whole_entries(
    file: "File",
    begin: int,
    limits: "Limits",
    *,
    end_offset: int | None = None,
    is_growing: bool = True,
    buffer: Callable[[int], memoryview] = new_buffer,
) -> Reach:
    """Find how far whole entries go, by their headers; damage is passed over if an entry follows it.

    Their CRCs are not checked.

    Args:
        file: an open log file.
        begin: where the first entry begins, in bytes.
        limits: bounds of an entry's size.
        end_offset: the reach ends before the first entry that ends at this offset or above; None for all.
        is_growing: as for `SegmentReader`.
        buffer: makes a writable buffer of so many bytes.

    Raises:
        SourceError: reading failed.
    """
    reach = Reach(begin)

    def visit(entry: "Entry") -> Reach:
        header = entry.header()
        last_offset = header.last_offset
        return Reach(
            entry.position + entry.frame.size_in_bytes, entry.position, None if last_offset is None else last_offset + 1
        )

    reader = SegmentReader(file, limits=limits, on_damage="skip", buffer=buffer, is_growing=is_growing)
    for found in reader.bulk_walk(visit, begin):
        if isinstance(found, ReadWindow):
            batches = found.batches()
            if end_offset is not None:
                beyond = np.flatnonzero(batches.last_offsets >= end_offset)
                if len(beyond):
                    batches = batches[: int(beyond[0])]
                    found.ends_walk = True
            found.take(batches)
            if len(batches):
                position = found.position + found.taken
                reach = Reach(position, found.last, int(batches.last_offsets[-1]) + 1)
            del batches  # so that the next window has the same memory
        elif end_offset is not None and found.next_offset is not None and found.next_offset > end_offset:
            return reach
        else:
            reach = found
    return reach
