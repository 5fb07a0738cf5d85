"""Entries as Kafka's tool sees them: it reads a header at fixed places, whatever stands there and behind."""

from kafkafmt.io.base import File
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
)

_COUNT_SIZE = 4
_TIMESTAMP_SIZE = 8
_NULL_KEY_AND_VALUE = b"\xff" * 8


def as_known_format(entry: Entry) -> Entry:
    """Give an entry of a magic above 2 as one of format 2, and any other as it is.

    Format 2's CRC does not cover the magic, so the copy is as valid as Kafka finds the original.
    """
    if entry.frame.magic <= CURRENT_MAGIC:
        return entry
    return Entry(_as_format_2(entry.data), entry.file, entry.position)


def header_at_fixed_places(entry: Entry, file: File) -> BatchHeader | None:
    """Read the header of an entry that is broken otherwise: a count below 0, a key or value of impossible size.

    Args:
        entry: the entry, of a known format.
        file: the file it stands in; Kafka reads on behind an entry that is too small for its header.

    Returns:
        The header, without `is_valid`; None where not even the file has bytes enough.

    Raises:
        SourceError: reading failed.
    """
    if entry.frame.magic < CURRENT_MAGIC:
        size = LOG_OVERHEAD + RECORD_OVERHEAD_V0 - len(_NULL_KEY_AND_VALUE)
        size += _TIMESTAMP_SIZE if entry.frame.magic else 0
        data = file.read_at(entry.position, size) + _NULL_KEY_AND_VALUE
        count = None
    else:
        data = _as_format_2(file.read_at(entry.position, RECORD_BATCH_OVERHEAD))
        if len(data) < RECORD_BATCH_OVERHEAD:
            return None
        count = int.from_bytes(data[-_COUNT_SIZE:], "big", signed=True)
        data = data[:-_COUNT_SIZE] + bytes(_COUNT_SIZE)
    header = Entry(data, entry.file, entry.position).header()
    header.size_in_bytes = entry.frame.size_in_bytes
    if count is not None:
        header.count = count
    return header


def _as_format_2(data: bytes | memoryview) -> bytes:
    changed = bytearray(data)
    changed[HEADER_SIZE_UP_TO_MAGIC - 1] = CURRENT_MAGIC
    return bytes(changed)
