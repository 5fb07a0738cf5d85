"""Look-ups in an open index through ranged reads: in an index of 10 MiB one reads a few blocks.

Entries at the end are asked for most, so a binary search looks there first, as Kafka's AbstractIndex does.
"""

import struct
from abc import ABC, abstractmethod
from bisect import bisect_left
from typing import ClassVar

from kafkafmt.errors import CorruptError, KafkafmtError, SourceError
from kafkafmt.files.index_steps import IndexEntryCompared, IndexKind, IndexOpened, Trace
from kafkafmt.io.base import File
from kafkafmt.phrases import sized

# Kafka's warm section: this many bytes at the end are searched before all bytes ahead of them.
_WARM_BYTES = 8 * 1024


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
                found=sized(file.size),
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
