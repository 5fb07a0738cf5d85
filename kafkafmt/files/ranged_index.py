"""Look-ups in an open index by ranged reads, a few blocks in an index of 10 MiB.

Entries at the end are requested most, so a binary search begins there, as in Kafka's AbstractIndex.
"""

import struct
from abc import ABC, abstractmethod
from bisect import bisect_left
from typing import ClassVar

from kafkafmt.errors import CorruptError, KafkafmtError, SourceError
from kafkafmt.files.index_steps import IndexEntryCompared, IndexKind, IndexOpened, Trace
from kafkafmt.io.base import File
from kafkafmt.phrases import sized

# Kafka's warm section: this many bytes at the end are searched first.
_WARM_BYTES = 8 * 1024


class RangedIndex(ABC):
    """Entries of an open index file, by number; read in blocks, of which the last one is cached.

    Results are only as correct as the index. Entries out of order, zeros between them, and a file that can no longer be
    read do not raise; check `finding`.

    Args:
        file: the open index file, closed by its opener.
        base_offset: base offset of the segment.
        name: name of the file in steps and findings; its own name if None.

    Attributes:
        base_offset: base offset of the segment.
        name: name of the file in steps and findings.
        padding: number of zero slots after the entries.
        finding: why the index is to be ignored, if a reason is known: it can no longer be read, or compared entries are
            out of order.
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
                found=sized(file.size),
            )
        self._slots = slots
        self._block = b""
        self._block_begin = 0
        self._used = slots
        self._load(slots - self._warm_slots(), slots)
        if slots and not any(self.slot(slots - 1)):
            # Preallocated slots that have not been written are zero; a zero first slot is an entry.
            self._used = bisect_left(range(slots), 1, lo=1, key=lambda number: not any(self.slot(number)))
        self.padding = slots - self._used

    def __len__(self) -> int:
        """Number of entries, without the zeros that pad the file."""
        return self._used

    @property
    def slot_size(self) -> int:
        """Size of an entry in bytes."""
        return self._layout.size

    def slot(self, number: int) -> tuple[int, int]:
        """The two numbers of an entry, as stored."""
        begin = number * self._layout.size - self._block_begin
        if not 0 <= begin < len(self._block):
            in_block = self._file.block // self._layout.size
            first = number // in_block * in_block
            self._load(first, first + in_block)
            begin = number * self._layout.size - self._block_begin
        first_field, second_field = self._layout.unpack_from(self._block, begin)
        return first_field, second_field

    def search(self, wanted: int, trace: Trace | None = None) -> int:
        """Number of entries at or below `wanted`, an offset or a time, by binary search, first in the warm section.

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
        """Make the step of comparing an entry."""

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
        """Load these slots into the block, if it does not have them."""
        size = self._layout.size
        begin = first * size
        length = min(end, self._slots) * size - begin
        if self._block_begin <= begin and begin + length <= self._block_begin + len(self._block):
            return
        try:
            self._block = self._file.read_at(begin, length)
        except SourceError as error:
            # A broker cuts off the padding when it rolls the segment. Every look-up also works without an index.
            self.finding = error
            self._block = bytes(length)
        self._block_begin = begin
