"""The time index of a segment (`.timeindex`): from timestamps to offsets, sparse.

Kafka's TimeIndex (since 0.10.1, KIP-33): 12 bytes an entry. An entry says that up to its offset no timestamp is above
its own. A file may be empty (all messages of format 0), and its last entry comes when the segment is rolled or closed.
"""

import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from kafkafmt.errors import CorruptError
from kafkafmt.files import slots
from kafkafmt.files.source import locate, read_bytes
from kafkafmt.reference.header import to_int64

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.location import Location
    from kafkafmt.files.source import Source

_LAYOUT = struct.Struct(">qi")


class TimeIndexEntry(NamedTuple):
    """One entry of a time index.

    Attributes:
        timestamp: largest timestamp up to the offset, in ms since the epoch.
        relative_offset: offset less the base offset of the segment (int32).
        offset: absolute offset; None while the base offset is unknown.
    """

    timestamp: int
    relative_offset: int
    offset: int | None


@dataclass(frozen=True, slots=True, eq=False)
class TimeIndex(slots.EntryFile[TimeIndexEntry]):
    """The entries of a time index, without the zeros that pad the file of an active segment.

    Attributes:
        entries: `TimeIndexEntry` objects in file order, decoded when asked for.
        base_offset: of the segment, or None when unknown.
        entry_count: entries by the file's size, padding included; what Kafka itself goes by.
        zero_padded_from: index of the first padding entry, or None without padding. It is never 0: a record of
            timestamp 0 at the base offset gives an entry of zeros, so one at the very start is taken for an entry.
        trailing_bytes: bytes after the last whole entry; Kafka ignores them on reading and complains on loading.
        file: name of the file, or None.
    """

    entries: Sequence[TimeIndexEntry] = field(repr=False)
    base_offset: int | None
    entry_count: int
    zero_padded_from: int | None
    trailing_bytes: int
    file: str | None
    _data: bytes = field(repr=False)

    @property
    def sanity_error(self) -> CorruptError | None:
        """What Kafka's TimeIndex.sanityCheck says when it loads this file; None when it is content.

        It looks at the file's size, the first and the last entry, padding included: a padded file is not sane to it.
        """
        if self.entry_count:
            position = (self.entry_count - 1) * _LAYOUT.size
            first_timestamp, _ = _LAYOUT.unpack_from(self._data, 0)
            last_timestamp, last_relative_offset = _LAYOUT.unpack_from(self._data, position)
            if last_timestamp < first_timestamp:
                return CorruptError(
                    "the last timestamp of the time index lies below the first",
                    file=self.file,
                    position=position,
                    expected=f"{first_timestamp} or more",
                    found=last_timestamp,
                )
            if slots.below_base_offset(last_relative_offset, self.base_offset):
                return CorruptError(
                    "the last offset of the time index lies below its base offset",
                    file=self.file,
                    position=position,
                    expected="a relative offset of 0 or more",
                    found=last_relative_offset,
                )
        if self.trailing_bytes:
            return CorruptError(
                "the size of the time index is no multiple of 12",
                file=self.file,
                position=len(self._data) - self.trailing_bytes,
                found=f"{len(self._data)} bytes",
            )
        return None

    def to_table(self) -> pa.Table:
        """Give the entries as columns.

        Returns:
            `timestamp` timestamp[ms, UTC], Kafka's ms unchanged; `offset` int64, null without base offset;
            `relativeOffset` int32.
        """
        count = len(self.entries)
        words = array("i", self._data[: count * _LAYOUT.size])
        halves = array("i", bytes(count * 8))
        halves[0::2], halves[1::2] = words[0::3], words[1::3]
        timestamp = pa.Array.from_buffers(
            pa.timestamp("ms", "UTC"), count, [None, pa.py_buffer(slots.big_endian_column(halves, "q"))]
        )
        relative = pa.Array.from_buffers(
            pa.int32(), count, [None, pa.py_buffer(slots.big_endian_column(words[2::3], "i"))]
        )
        return pa.table(
            {
                "timestamp": timestamp,
                "offset": slots.absolute_offsets(relative, self.base_offset),
                "relativeOffset": relative,
            }
        )


def parse(data: bytes | memoryview, *, base_offset: int | None = None, file: str | None = None) -> TimeIndex:
    """Read a time index; any bytes are one.

    Args:
        data: the whole file.
        base_offset: of the segment, which the file's name gives; needed for absolute offsets.
        file: its name, for error texts.
    """
    data = bytes(data)
    found = slots.find_slots(data, _LAYOUT.size)
    view = memoryview(data)[: found.used * _LAYOUT.size]
    return TimeIndex(
        entries=slots.SlotSequence(view, _LAYOUT, partial(_entry, base_offset)),
        base_offset=base_offset,
        entry_count=found.count,
        zero_padded_from=found.used if found.used < found.count else None,
        trailing_bytes=found.trailing_bytes,
        file=file,
        _data=data,
    )


def read(path: "Source | Location", filesystem: "FileSystem | None" = None) -> TimeIndex:
    """Read the time index at `path`, with the base offset of its name, where that begins with one.

    Args:
        path: a path or URI.
        filesystem: the pyarrow file system that `path` is of, if it is no local path or URI.

    Raises:
        SourceError: the file cannot be read.
        LimitExceededError: it is larger than an index can be (512 MiB).
    """
    location = locate(path, filesystem)
    data = read_bytes(location, max_bytes=slots.MAX_INDEX_BYTES)
    return parse(data, base_offset=slots.base_offset_of(location.name), file=str(location))


def _entry(base_offset: int | None, timestamp: int, relative_offset: int) -> TimeIndexEntry:
    offset = None if base_offset is None else to_int64(base_offset + relative_offset)
    return TimeIndexEntry(timestamp, relative_offset, offset)
