"""Files of entries of one size, as Kafka maps its indexes into memory: slots, the unused ones at the end zeros.

They are read whole (`parse`, `read`), or through ranged reads (`RangedIndex`): a lookup in an index of 10 MiB reads a
few blocks. Kafka's AbstractIndex: entries ascend, then come zeros that a broker preallocates and trims when it rolls
the segment. Those at the end are asked for most, so a binary search looks there first.
"""

import os
import struct
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.errors import CorruptError, KafkafmtError, SourceError
from kafkafmt.files.bounded import Read
from kafkafmt.files.index_steps import IndexEntryCompared, IndexKind, IndexOpened, Trace
from kafkafmt.files.kinds import KINDS
from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.files.slots import find_slots
from kafkafmt.io.base import File, Location
from kafkafmt.io.source import Source, locate, open_bounded
from kafkafmt.reference.header import to_int64

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

EntryT = TypeVar("EntryT")
FileT = TypeVar("FileT")

# Kafka's warm section: so many bytes at the end are searched before all bytes ahead of them.
_WARM_BYTES = 8 * 1024


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

    def fields(self, first: int, count: int) -> list[npt.NDArray[np.int64]]:
        """The fields of entries as arrays, one for each field, as the file has them.

        Args:
            first: number of the first entry.
            count: how many entries at most.
        """
        count = min(count, len(self) - first)
        entries = np.frombuffer(self._data, _stored(self._layout), count, first * self._layout.size)
        return [entries[name].astype(np.int64) for name in entries.dtype.names or ()]

    def __eq__(self, other: object) -> bool:
        """Whether these are the same entries, as another sequence or a tuple of them."""
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

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


@dataclass(frozen=True, slots=True, eq=False)
class SlotFile(EntryFile[EntryT]):
    """The entries of an index file, without the zero padding of an active segment's.

    Attributes:
        entries: in file order, decoded when asked for.
        base_offset: of the segment, or None when unknown.
        entry_count: entries by the file's size, padding included; Kafka's own count.
        zero_padded_from: index of the first padding entry, or None without padding. It is never 0: as in
            DumpLogSegments, a zero entry at the very start counts as an entry, as a time index begins with one if a
            record at the base offset has timestamp 0.
        trailing_bytes: bytes after the last whole entry; Kafka ignores them on reading and complains on loading.
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
        """The fields of an entry as the file has them, also of padding."""
        if self.zero_padded_from is not None and number >= self.zero_padded_from:
            return 0, 0
        first, second = layout.unpack_from(self._data, number * layout.size)
        return first, second

    def _ends_oddly(self, index: str, slot_size: int, last_offset: int | None) -> CorruptError | None:
        """The result of Kafka's sanity checks of both kinds of index at its end.

        Args:
            index: its name in errors.
            slot_size: bytes of an entry.
            last_offset: relative offset of the last entry, padding included; None without entries.
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
                found=f"{self.entry_count * slot_size + self.trailing_bytes} bytes",
            )
        return None


def parse(
    make: Callable[[SlotSequence[EntryT], int | None, int, int | None, int, str | None, bytes], FileT],
    layout: struct.Struct,
    build: Callable[..., EntryT],
    data: bytes | memoryview,
    base_offset: int | None,
    file: str | None,
    size: int | None = None,
) -> FileT:
    """Read an index file; any bytes are one.

    Args:
        make: the class of index, called with its attributes in their order, and the bytes.
        layout: of a slot.
        build: makes an entry of the fields of a slot.
        data: the file, up to the zeros at its end at least.
        base_offset: of the segment, or None.
        file: its name, for error texts.
        size: bytes of the file, if zeros are left out.
    """
    found = find_slots(data, layout.size, len(data) if size is None else size)
    used = found.used * layout.size
    data = bytes(data[:used]).ljust(used, b"\0")
    entries = SlotSequence(memoryview(data), layout, build)
    padded_from = found.used if found.used < found.count else None
    return make(entries, base_offset, found.count, padded_from, found.trailing_bytes, file, data)


def reader(parse: Callable[..., FileT]) -> Read[FileT]:
    """The `read` of an index whose `parse` takes the size of the file, too."""

    def read(path: Source | Location, filesystem: "FileSystem | None" = None) -> FileT:
        """Read the index at `path`, with the base offset of its name, where that begins with one.

        Zeros at the end that a file system keeps as a hole are not read: a broker preallocates 10 MiB.

        Args:
            path: a path or URI.
            filesystem: the pyarrow file system that `path` is of, unless it is a local path or URI.

        Raises:
            SourceError: the file cannot be read.
            LimitExceededError: it is larger than an index can be (512 MiB).
        """
        location = locate(path, filesystem)
        with open_bounded(location, KINDS["index"].max_bytes) as file:
            data = file.read_at(0, file.data_end())
            return parse(data, base_offset=base_offset_of(location.name), file=str(location), size=file.size)

    return read


def columns(data: bytes, layout: struct.Struct, count: int) -> list[pa.Array]:
    """Return the fields of entries as columns of numbers, as wide as in the file.

    Args:
        data: of the file.
        layout: of an entry.
        count: how many entries.
    """
    fields = _stored(layout)
    entries = np.frombuffer(data, fields, count)
    return [pa.array(entries[name].astype(fields[name].newbyteorder("="))) for name in entries.dtype.names or ()]


def _stored(layout: struct.Struct) -> np.dtype[np.void]:
    """The fields of an entry as numpy reads them, named by their numbers."""
    return np.dtype([(str(number), f">{code}") for number, code in enumerate(layout.format[1:])])


def absolute_offsets(relative: pa.Array, base_offset: int | None) -> pa.Array:
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
    """Read the base offset of a segment from the name of one of its files; None if the name has none."""
    name = parse_segment_file_name(os.fsdecode(path).rpartition("/")[2])
    return None if name is None else name.base_offset


class RangedIndex(ABC):
    """Entries of an open index file by their number; read in blocks, of which the last one is kept.

    Results are only as correct as the index: entries out of order, zeros between them, and a file that cannot be read
    any more raise nothing; check `finding`.

    Args:
        file: the open index file; its opener closes it.
        base_offset: of the segment.
        name: the file's name in steps and findings; its own name if None.

    Attributes:
        base_offset: of the segment.
        name: the file's name in steps and findings.
        padding: how many slots of zeros follow the entries.
        finding: why the index is to be ignored, as far as known: it cannot be read any more, or entries that were
            compared are out of order.
        oddity: another fault: bytes after the last whole entry.
    """

    kind: ClassVar[IndexKind]
    _layout: ClassVar[struct.Struct]

    def __init__(self, file: File, base_offset: int, name: str | None = None) -> None:
        self._file = file
        self.base_offset = base_offset
        self.name = file.name if name is None else name
        self.finding: KafkafmtError | None = None
        self.oddity: KafkafmtError | None = None
        size = self._layout.size
        slots, trailing = divmod(file.size, size)
        if trailing:
            self.oddity = CorruptError(
                f"the size of the index is not a multiple of {size}",
                file=self.name,
                position=slots * size,
                found=f"{file.size} bytes",
            )
        self._slots = slots
        self._block = b""
        self._block_begin = 0
        self._used = slots
        self._load(slots - self._warm_slots(), slots)
        if slots and not any(self.slot(slots - 1)):
            # Preallocated slots that are not written yet are zero; a first slot of zeros is an entry.
            self._used = bisect_left(range(slots), 1, lo=1, key=lambda number: not any(self.slot(number)))
        self.padding = slots - self._used

    def __len__(self) -> int:
        """Number of entries, without the zeros that pad the file."""
        return self._used

    @property
    def slot_size(self) -> int:
        """Bytes of an entry."""
        return self._layout.size

    def slot(self, number: int) -> tuple[int, int]:
        """The two numbers that an entry holds, as the file has them."""
        begin = number * self._layout.size - self._block_begin
        if not 0 <= begin < len(self._block):
            in_block = self._file.block // self._layout.size
            first = number // in_block * in_block
            self._load(first, first + in_block)
            begin = number * self._layout.size - self._block_begin
        first_field, second_field = self._layout.unpack_from(self._block, begin)
        return first_field, second_field

    def search(self, wanted: int, trace: Trace | None = None) -> int:
        """How many entries are at or below `wanted`, an offset or a time, by binary search; the warm section first.

        Args:
            wanted: the absolute offset, or the time in ms.
            trace: called with each step.
        """
        self._tell_opened(wanted, trace)
        compared: list[tuple[int, int]] = []

        def is_below(number: int) -> bool:
            key = self._key(number)
            compared.append((number, key))
            if trace is not None:
                trace(self._compared(number, is_below=key <= wanted))
            return key <= wanted

        low, high = 0, self._used
        first_warm = self._used - self._warm_slots()
        if first_warm > 0:
            self._load(first_warm, self._used)
            if is_below(first_warm):
                low = first_warm + 1
            else:
                high = first_warm
        while low < high:
            middle = (low + high) // 2
            if is_below(middle):
                low = middle + 1
            else:
                high = middle
        self._require_order(sorted(compared))
        return low

    @abstractmethod
    def _key(self, number: int) -> int:
        """The search key of an entry."""

    @abstractmethod
    def _compared(self, number: int, *, is_below: bool) -> IndexEntryCompared:
        """The step of comparing an entry."""

    def _tell_opened(self, wanted: int | None, trace: Trace | None) -> None:
        if trace is not None:
            trace(IndexOpened(self.name, self.kind, self._used, self.padding, wanted, finding=self.oddity))

    def _warm_slots(self) -> int:
        return min(self._slots, _WARM_BYTES // self._layout.size)

    def _require_order(self, compared: list[tuple[int, int]]) -> None:
        highest = None
        for number, key in compared:
            if highest is not None and key < highest and self.finding is None:
                self.finding = CorruptError(
                    "the entries of the index are out of order",
                    file=self.name,
                    position=number * self._layout.size,
                    expected=f"{highest} or more",
                    found=key,
                )
            highest = key

    def _load(self, first: int, end: int) -> None:
        """Let the block hold these slots, unless it does."""
        size = self._layout.size
        begin = first * size
        length = min(end, self._slots) * size - begin
        if self._block_begin <= begin and begin + length <= self._block_begin + len(self._block):
            return
        try:
            self._block = self._file.read_at(begin, length)
        except SourceError as error:
            # A broker cuts off the padding when it rolls the segment. Every lookup works without an index too.
            self.finding = error
            self._block = bytes(length)
        self._block_begin = begin
