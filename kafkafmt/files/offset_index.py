"""The offset index of a segment (`.index`): from offsets to positions in the `.log` file, sparse.

Kafka's OffsetIndex: 8 bytes an entry. Up to Kafka 1.1 an entry holds the first offset of the appended set that starts
at its position, later the last one: all it says is that nothing at or above its offset lies before its position.
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

_LAYOUT = struct.Struct(">ii")


class OffsetIndexEntry(NamedTuple):
    """One entry of an offset index.

    Attributes:
        relative_offset: offset less the base offset of the segment (int32).
        offset: absolute offset; None while the base offset is unknown.
        position: where in the log file the entry's batch, or the set appended with it, begins, in bytes.
    """

    relative_offset: int
    offset: int | None
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class OffsetIndex(slots.EntryFile[OffsetIndexEntry]):
    """The entries of an offset index, without the zeros that pad the file of an active segment.

    Attributes:
        entries: `OffsetIndexEntry` objects in file order, decoded when asked for.
        base_offset: of the segment, or None when unknown.
        entry_count: entries by the file's size, padding included; what Kafka itself goes by.
        zero_padded_from: index of the first padding entry, or None without padding. It is never 0: as DumpLogSegments
            does, a zero entry at the very start is taken for an entry.
        trailing_bytes: bytes after the last whole entry; Kafka ignores them on reading and complains on loading.
        file: name of the file, or None.
    """

    entries: Sequence[OffsetIndexEntry] = field(repr=False)
    base_offset: int | None
    entry_count: int
    zero_padded_from: int | None
    trailing_bytes: int
    file: str | None
    _data: bytes = field(repr=False)

    @property
    def sanity_error(self) -> CorruptError | None:
        """What Kafka's OffsetIndex.sanityCheck says when it loads this file; None when it is content.

        It looks at the file's size and at the last entry, padding included, and so overlooks most damage.
        """
        if self.entry_count:
            position = (self.entry_count - 1) * _LAYOUT.size
            relative_offset, _ = _LAYOUT.unpack_from(self._data, position)
            if slots.below_base_offset(relative_offset, self.base_offset):
                return CorruptError(
                    "the last offset of the index lies below its base offset",
                    file=self.file,
                    position=position,
                    expected="a relative offset of 0 or more",
                    found=relative_offset,
                )
        if self.trailing_bytes:
            return CorruptError(
                "the size of the index is no multiple of 8",
                file=self.file,
                position=len(self._data) - self.trailing_bytes,
                found=f"{len(self._data)} bytes",
            )
        return None

    def to_table(self) -> pa.Table:
        """Give the entries as columns: `offset` int64, null without base offset; `relativeOffset`, `position` int32."""
        words = array("i", self._data[: len(self.entries) * _LAYOUT.size])
        relative, position = (
            pa.Array.from_buffers(
                pa.int32(), len(self.entries), [None, pa.py_buffer(slots.big_endian_column(words[start::2], "i"))]
            )
            for start in range(2)
        )
        return pa.table(
            {
                "offset": slots.absolute_offsets(relative, self.base_offset),
                "relativeOffset": relative,
                "position": position,
            }
        )


def parse(data: bytes | memoryview, *, base_offset: int | None = None, file: str | None = None) -> OffsetIndex:
    """Read an offset index; any bytes are one.

    Args:
        data: the whole file.
        base_offset: of the segment, which the file's name gives; needed for absolute offsets.
        file: its name, for error texts.
    """
    data = bytes(data)
    found = slots.find_slots(data, _LAYOUT.size)
    view = memoryview(data)[: found.used * _LAYOUT.size]
    return OffsetIndex(
        entries=slots.SlotSequence(view, _LAYOUT, partial(_entry, base_offset)),
        base_offset=base_offset,
        entry_count=found.count,
        zero_padded_from=found.used if found.used < found.count else None,
        trailing_bytes=found.trailing_bytes,
        file=file,
        _data=data,
    )


def read(path: "Source | Location", filesystem: "FileSystem | None" = None) -> OffsetIndex:
    """Read the offset index at `path`, with the base offset of its name, where that begins with one.

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


def _entry(base_offset: int | None, relative_offset: int, position: int) -> OffsetIndexEntry:
    offset = None if base_offset is None else to_int64(base_offset + relative_offset)
    return OffsetIndexEntry(relative_offset, offset, position)
