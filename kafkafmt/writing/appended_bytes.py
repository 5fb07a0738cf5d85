"""Whole entries in bytes that are appended to a log: their headers, after a check of their CRCs."""

from collections.abc import Iterator

from kafkafmt.columnar.headers import descriptions, first_wrong, read_batches
from kafkafmt.errors import CorruptError, DataError
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import HEADER_SIZE_UP_TO_MAGIC, LOG_OVERHEAD, read_size


def headers_of(data: memoryview) -> Iterator[BatchHeader]:
    """Describe adjacent whole entries, after checking their CRCs.

    Raises:
        DataError: an entry is damaged or cut off.
    """
    limits = Limits()
    position = 0
    while position < len(data):
        batches = read_batches(data, position, 0, limits)
        if len(batches):
            wrong = first_wrong(batches)
            yield from descriptions(batches[:wrong], None, is_valid=True)
            if wrong < len(batches):
                Entry(data[int(batches.starts[wrong]) : int(batches.ends[wrong])]).verify_checksum()
            position = int(batches.ends[-1])
            continue
        end = _end(data, position)
        entry = Entry(data[position:end], None, position)
        entry.verify_checksum()
        yield entry.header()
        position = end


def _end(data: memoryview, position: int) -> int:
    """The end of the entry that begins at `position`.

    Raises:
        CorruptError: the data has no whole entry there.
    """
    if len(data) - position >= HEADER_SIZE_UP_TO_MAGIC:
        end = position + LOG_OVERHEAD + read_size(data, position)
        if position + HEADER_SIZE_UP_TO_MAGIC <= end <= len(data):
            return end
    raise CorruptError("no whole batch", position=position)


def size_of_whole_entries(data: memoryview) -> int:
    """Number of bytes of whole entries, before a last one that is cut off."""
    position = 0
    try:
        while position < len(data):
            position = _end(data, position)
    except DataError:
        pass
    return position
