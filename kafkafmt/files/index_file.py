"""Index files: entries of a fixed size, followed by zeros in unused slots, as Kafka maps them into memory.

Kafka's AbstractIndex: entries ascend; after them come zeros that a broker preallocates, and trims when it rolls the
segment. This module reads a file whole; `ranged_index` looks up single entries with a few reads.
"""

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from operator import eq
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar, overload

from kafkafmt.errors import CorruptError
from kafkafmt.files.bounded import Read
from kafkafmt.files.kinds import KINDS
from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.files.slots import find_slots
from kafkafmt.io.base import Location
from kafkafmt.io.source import Source, locate, open_bounded
from kafkafmt.libraries import np, npt, pa
from kafkafmt.phrases import counted, sized
from kafkafmt.reference.header import to_int64

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

INDEX_INTERVAL_BYTES: Final = 4096
INDEX_MAX_BYTES: Final = 10 << 20
"""Kafka's defaults of `index.interval.bytes` and `segment.index.bytes`."""

EntryT = TypeVar("EntryT")
FileT = TypeVar("FileT")
FileT_co = TypeVar("FileT_co", covariant=True)


class SlotSequence(Sequence[EntryT], Generic[EntryT]):
    """Entries of one size, each decoded when it is accessed, as an index of 10 MiB has 1.3 million of them.

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

    def slots(self, first: int, count: int) -> list[tuple[int, int]]:
        """The fields of entries, as stored.

        Args:
            first: number of the first entry.
            count: maximal number of entries.
        """
        size = self._layout.size
        return list(self._layout.iter_unpack(self._data[first * size : (first + count) * size]))

    def fields(self, first: int, count: int) -> "list[npt.NDArray[np.int64]]":
        """The fields of entries as arrays, one for each field, as stored.

        Args:
            first: number of the first entry.
            count: maximal number of entries.
        """
        count = min(count, len(self) - first)
        entries = np.frombuffer(self._data, _stored(self._layout), count, first * self._layout.size)
        return [entries[name].astype(np.int64) for name in entries.dtype.names or ()]

    def __eq__(self, other: object) -> bool:
        """Whether another sequence, such as a tuple, has the same entries."""
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'entry', 'entries')}>"


class EntryFile(Sequence[EntryT], Generic[EntryT]):
    """A parsed index file, as a sequence of its entries."""

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


@dataclass(frozen=True, slots=True, eq=False)
class SlotFile(EntryFile[EntryT]):
    """The entries of an index file, without the zero padding of an active segment's index.

    Attributes:
        entries: the entries in file order, decoded when they are accessed.
        base_offset: base offset of the segment, or None if unknown.
        entry_count: number of entries by the file's size, including padding, as Kafka counts them.
        zero_padded_from: index of the first padding entry, or None without padding. It is never 0: as in
            DumpLogSegments, a zero entry at the very start counts as an entry, since a time index begins with one if a
            record at the base offset has timestamp 0.
        trailing_bytes: number of bytes after the last whole entry, which Kafka ignores when reading and reports when
            loading.
        file: name of the file, or None.
    """

    entries: SlotSequence[EntryT] = field(repr=False)
    base_offset: int | None
    entry_count: int
    zero_padded_from: int | None
    trailing_bytes: int
    file: str | None
    _data: bytes = field(repr=False)

    def _stored_fields(self, number: int, layout: struct.Struct) -> tuple[int, int]:
        """The fields of an entry as stored, also of padding."""
        if self.zero_padded_from is not None and number >= self.zero_padded_from:
            return 0, 0
        first, second = layout.unpack_from(self._data, number * layout.size)
        return first, second

    def _ends_oddly(self, index: str, slot_size: int, last_offset: int | None) -> CorruptError | None:
        """The error that Kafka's sanity checks, common to both kinds of index, find at the end.

        Args:
            index: name of the index in errors.
            slot_size: size of an entry in bytes.
            last_offset: relative offset of the last entry, including padding; None without entries.
        """
        if last_offset is not None and below_base_offset(last_offset, self.base_offset):
            return CorruptError(
                f"the last offset of the {index} is below its base offset",
                file=self.file,
                position=(self.entry_count - 1) * slot_size,
                expected="a relative offset of 0 or more",
                found=last_offset,
            )
        if self.trailing_bytes:
            return CorruptError(
                f"the size of the {index} is not a multiple of {slot_size}",
                file=self.file,
                position=self.entry_count * slot_size,
                found=sized(self.entry_count * slot_size + self.trailing_bytes),
            )
        return None


class Parse(Protocol[FileT_co]):
    """The `parse` function of an index."""

    def __call__(
        self,
        data: bytes | memoryview,
        *,
        base_offset: int | None = None,
        file: str | None = None,
        size: int | None = None,
    ) -> FileT_co:
        """Parse the index; see `parser`."""


def parser(
    make: Callable[[SlotSequence[EntryT], int | None, int, int | None, int, str | None, bytes], FileT],
    layout: struct.Struct,
    build: Callable[..., EntryT],
) -> Parse[FileT]:
    """Make the `parse` function of an index.

    Args:
        make: class of the index, called with its attributes in order, and the bytes.
        layout: layout of a slot.
        build: makes an entry from the base offset and the fields of a slot.
    """

    def parse(
        data: bytes | memoryview, *, base_offset: int | None = None, file: str | None = None, size: int | None = None
    ) -> FileT:
        """Parse an index; no content is refused.

        Args:
            data: the whole file, or at least everything before the zeros at its end.
            base_offset: base offset of the segment, from the file's name; needed for absolute offsets.
            file: its name, for error texts.
            size: size of the file in bytes, if zeros at its end are left out.
        """
        found = find_slots(data, layout.size, len(data) if size is None else size)
        used = found.used * layout.size
        data = bytes(data[:used]).ljust(used, b"\0")
        entries = SlotSequence(memoryview(data), layout, partial(build, base_offset))
        padded_from = found.used if found.used < found.count else None
        return make(entries, base_offset, found.count, padded_from, found.trailing_bytes, file, data)

    parse.__annotations__["return"] = make  # as help() shows it
    return parse


def reader(parse: Parse[FileT], kind: str = "index") -> Read[FileT]:
    """Make the `read` function of an index.

    Args:
        parse: its `parse` function.
        kind: kind of file that determines the maximal size.
    """

    def read(path: Source | Location, filesystem: "FileSystem | None" = None) -> FileT:
        """Read the index at `path`, with the base offset in its name, if there is one.

        Zeros at the end that a file system stores as a hole are not read: a broker preallocates 10 MiB.

        Args:
            path: a path or URI.
            filesystem: the pyarrow file system of `path`, unless that is a local path or URI.

        Raises:
            SourceError: the file cannot be read.
            LimitExceededError: it is larger than an index can be (512 MiB; a transaction index 64 MiB).
            UnsupportedError: an entry of a transaction index has a version above 0.
        """
        location = locate(path, filesystem)
        with open_bounded(location, KINDS[kind].max_bytes) as file:
            data = file.read_at(0, file.data_end())
            return parse(data, base_offset=base_offset_of(location.name), file=str(location), size=file.size)

    return read


def columns(data: bytes, layout: struct.Struct, count: int) -> "list[pa.Array]":
    """The fields of entries as columns of numbers, as wide as in the file.

    Args:
        data: bytes of the file.
        layout: layout of an entry.
        count: number of entries.
    """
    fields = _stored(layout)
    entries = np.frombuffer(data, fields, count)
    return [pa.array(entries[name].astype(fields[name].newbyteorder("="))) for name in entries.dtype.names or ()]


@lru_cache
def _stored(layout: struct.Struct) -> "np.dtype[np.void]":
    """The numpy type of an entry, with fields named by their numbers."""
    return np.dtype([(str(number), f">{code}") for number, code in enumerate(layout.format[1:])])


def absolute_offsets(relative: "pa.Array", base_offset: int | None) -> "pa.Array":
    """Add the base offset to a column of relative offsets (int32); all null without a base offset."""
    if base_offset is None:
        return pa.nulls(len(relative), pa.int64())
    import pyarrow.compute as pc  # noqa: PLC0415 (it takes as long as all that reads a segment)

    return pc.add(relative.cast(pa.int64()), pa.scalar(base_offset, pa.int64()))


def below_base_offset(relative_offset: int, base_offset: int | None) -> bool:
    """Whether an offset is below the base offset, as Kafka's sanity checks compute it (wrapping beyond 2^63 - 1)."""
    base = base_offset or 0
    return to_int64(base + relative_offset) < base


def base_offset_of(path: str | os.PathLike[str]) -> int | None:
    """The base offset of a segment from the name of one of its files; None if the name has none."""
    name = parse_segment_file_name(os.fsdecode(path).rpartition("/")[2])
    return None if name is None else name.base_offset
