"""Index files as Kafka maps them into memory: slots of one size, the unused ones at the end filled with zeros."""

import os
import struct
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.reference.header import to_int64

EntryT = TypeVar("EntryT")

# A segment of 2 GiB with an entry for every batch, each of the least size (61 bytes), needs 400 MiB of the larger kind.
MAX_INDEX_BYTES = 512 * 1024 * 1024


class SlotSequence(Sequence[EntryT], Generic[EntryT]):
    """Entries of one size, each decoded when it is asked for: an index of 10 MiB has 1.3 million.

    A slice is a tuple of entries.
    """

    def __init__(self, data: memoryview, layout: struct.Struct, build: Callable[..., EntryT]) -> None:
        self._data = data
        self._layout = layout
        self._build = build

    def __len__(self) -> int:
        return len(self._data) // self._layout.size

    def __iter__(self) -> Iterator[EntryT]:
        build = self._build
        for fields in self._layout.iter_unpack(self._data):
            yield build(*fields)

    @overload
    def __getitem__(self, index: int) -> EntryT: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[EntryT, ...]: ...
    def __getitem__(self, index: int | slice) -> EntryT | tuple[EntryT, ...]:
        indexes = range(len(self))[index]
        if isinstance(indexes, range):
            return tuple(self[each] for each in indexes)
        return self._build(*self._layout.unpack_from(self._data, indexes * self._layout.size))

    def __repr__(self) -> str:
        return f"<{len(self)} entries>"


class EntryFile(Sequence[EntryT], Generic[EntryT]):
    """A parsed file that is the sequence of its entries."""

    __slots__ = ()

    entries: Sequence[EntryT]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[EntryT]:
        return iter(self.entries)

    @overload
    def __getitem__(self, index: int) -> EntryT: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[EntryT]: ...
    def __getitem__(self, index: int | slice) -> EntryT | Sequence[EntryT]:
        return self.entries[index]


@dataclass(frozen=True, slots=True)
class Slots:
    """Where the entries of an index file end.

    Attributes:
        count: whole slots in the file, used or not; what Kafka takes for the number of entries.
        used: slots before the padding.
        trailing_bytes: bytes after the last whole slot, which Kafka ignores.
    """

    count: int
    used: int
    trailing_bytes: int


def find_slots(data: bytes, size: int) -> Slots:
    """Tell entries from the zeros that a broker preallocates and trims only when it rolls or closes the segment.

    The first slot counts as used even when it is zero, as DumpLogSegments counts it: a record of timestamp 0 at the
    base offset gives a time index just that entry.
    """
    count, trailing = divmod(len(data), size)
    written = len(data[: count * size].rstrip(b"\0"))
    return Slots(count, min(count, max(1, -(-written // size))), trailing)


def big_endian_column(words: "array[int]", typecode: str) -> "array[int]":
    """Turn 4-byte words in file order into native numbers of the array type `typecode`."""
    column = array(typecode, words.tobytes())
    if sys.byteorder == "little":  # pragma: no branch
        column.byteswap()
    return column


def absolute_offsets(relative: pa.Array, base_offset: int | None) -> pa.Array:
    """Add the base offset to a column of relative offsets (int32); all null without a base offset."""
    if base_offset is None:
        return pa.nulls(len(relative), pa.int64())
    return pc.add(relative.cast(pa.int64()), pa.scalar(base_offset, pa.int64()))


def below_base_offset(relative_offset: int, base_offset: int | None) -> bool:
    """Tell whether an offset lies below the base offset, as Kafka's sanity checks see it (wrapping beyond 2^63 - 1)."""
    base = base_offset or 0
    return to_int64(base + relative_offset) < base


def base_offset_of(path: str | os.PathLike[str]) -> int | None:
    """Read the base offset of a segment from the name of one of its files; None where the name tells none."""
    name = parse_segment_file_name(os.path.basename(os.fsdecode(path)))
    return None if name is None else name.base_offset
