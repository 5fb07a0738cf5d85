"""Files as Kafka's tool sees them: the facts in their names, and headers at fixed places."""

import re
from typing import Final

from kafkafmt.cli.dump import DECODER_OPTIONS
from kafkafmt.files.kinds import without_suffix
from kafkafmt.files.names import parse_partition_name
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.io.base import File, Location
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX, INT64_MAX, BatchHeader
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
)

BOOTSTRAP_SNAPSHOT: Final = "bootstrap.checkpoint"

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_BASE_OFFSET = re.compile(r"(?P<offset>[0-9]{1,20})[._]")
_SNAPSHOT = re.compile(r"(?P<offset>[0-9]{20})-(?P<epoch>[0-9]{10})\.checkpoint")

_COUNT_SIZE = 4
_TIMESTAMP_SIZE = 8
_NULL_KEY_AND_VALUE = b"\xff" * 8


def as_java_prints(location: Location) -> str:
    """A path as java.io.File prints it: without doubled slashes, and none at the end. A URI stays as it is."""
    path = str(location)
    if _URI.match(path):
        return path
    squeezed = re.sub("/+", "/", path)
    return squeezed.rstrip("/") or squeezed


def base_offset_of(name: str) -> int | None:
    """The base offset with which a name begins, of any number of digits; None if there is none.

    Tiered storage's cache names its indexes `<offset>_<uuid>.index`.
    """
    match = _BASE_OFFSET.match(name)
    return int(match["offset"]) if match and int(match["offset"]) <= INT64_MAX else None


def snapshot_id_of(name: str) -> tuple[int, int] | None:
    """End offset and epoch in the name of a raft snapshot; None if the name is not one."""
    match = _SNAPSHOT.match(name)
    if match is None or int(match["offset"]) > INT64_MAX or int(match["epoch"]) > INT32_MAX:
        return None
    return int(match["offset"]), int(match["epoch"])


def internal_topic_of(location: Location) -> str | None:
    """The internal topic of a log or raft snapshot, by its directory or its own name; None for other topics."""
    plain, _ = without_suffix(location.name)
    if plain == BOOTSTRAP_SNAPSHOT or snapshot_id_of(plain) is not None:
        return CLUSTER_METADATA
    topic = parse_partition_name(location.parent.name).topic
    return topic if topic in DECODER_OPTIONS else None


def as_known_format(entry: Entry) -> Entry:
    """An entry with a magic above 2 as one of format 2; any other entry as it is.

    Format 2's CRC does not cover the magic, so the copy is as valid as the original is to Kafka.
    """
    if entry.frame.magic <= CURRENT_MAGIC:
        return entry
    return Entry(_as_format_2(entry.data), entry.file, entry.position)


def header_at_fixed_places(entry: Entry, file: File) -> BatchHeader | None:
    """Read the header of an entry that is broken otherwise: a negative count, or a key or value of impossible size.

    Args:
        entry: the entry, of a known format.
        file: its file; Kafka reads past the end of an entry that is too small for its header.

    Returns:
        The header, without `is_valid`; None if even the file has too few bytes.

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
