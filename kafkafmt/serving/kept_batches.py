"""State that a server keeps between Fetches: positions of readers in a partition, and batches read ahead of them."""

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.files.read_window import ReusedBuffer
from kafkafmt.serving.sent_files import SentFiles

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from kafkafmt.serving.sound_batches import SoundBatches

_MOST_PLACES = 64
"""Most readers of a partition that continue without a look-up."""
_FEW_RUNS = 64
"""Judged runs that are added before forgotten runs are removed again."""


class ReaderPlace(NamedTuple):
    """The place where a reader continues.

    Attributes:
        number: number of the segment.
        position: position in the segment, in bytes.
        ahead: batches that were read ahead, starting at the position or before it; None if there are none.
        piece: number of the piece of these batches that has the offset.
    """

    number: int
    position: int
    ahead: "SoundBatches | None" = None
    piece: int = 0


class ReaderPlaces:
    """The places where readers of a partition continue, by offset. Threads share it.

    Args:
        kept: keeps the batches that were read ahead.
    """

    def __init__(self, kept: "KeptBatches") -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._places: dict[int, ReaderPlace] = {}
        self._is_closed = False

    def find(self, offset: int) -> ReaderPlace | None:
        """The place of an offset; None if it is unknown."""
        with self._lock:
            place = self._places.pop(offset, None)
            if place is not None:
                self._places[offset] = place
            return place

    def remember(self, offset: int, place: ReaderPlace) -> None:
        """Keep the place of an offset."""
        with self._lock:
            left = [self._places.pop(offset, None)]
            self._places[offset] = place
            while len(self._places) > _MOST_PLACES:
                left.append(self._places.pop(next(iter(self._places))))
            self._forget(left)
        if self._is_closed:
            self.clear()

    def close(self) -> None:
        """Forget all places, and any that an answer in progress still adds: the partition was replaced or is gone."""
        self._is_closed = True
        self.clear()

    def clear(self) -> None:
        """Forget all places, and the batches read ahead of them."""
        with self._lock:
            left, self._places = self._places, {}
            self._forget(left.values())

    def _forget(self, left: "Iterable[ReaderPlace | None]") -> None:
        """Forget the batches read ahead of dropped places, unless another reader finds them."""
        for batches in {place.ahead for place in left if place is not None and place.ahead is not None}:
            stays = batches.is_shared or batches.is_forgotten
            if not stays and all(place.ahead is not batches for place in self._places.values()):
                self._kept.forget(batches)


class JudgedBatches:
    """Judged batches of a partition, by offset; all readers use them. Threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._offsets: list[int] = []
        self._found: list[tuple[int, SoundBatches]] = []
        self._most = _FEW_RUNS

    def find(self, offset: int, number: int | None = None) -> ReaderPlace | None:
        """The place of an offset; None if its batch was not judged, or has been forgotten.

        Args:
            offset: the offset.
            number: number of the segment that has the offset; None for any segment.
        """
        with self._lock:
            at = bisect_right(self._offsets, offset) - 1
            if at < 0:
                return None
            of, batches = self._found[at]
        if batches.is_forgotten or offset >= batches.next_offset or number not in (None, of):
            return None
        return ReaderPlace(of, batches.begin, batches)

    def add(self, number: int, batches: "SoundBatches") -> None:
        """Add batches of the segment with a number."""
        with self._lock:
            at = bisect_left(self._offsets, batches.offset)
            if at < len(self._offsets) and self._offsets[at] == batches.offset:
                self._found[at] = number, batches
            else:
                self._offsets.insert(at, batches.offset)
                self._found.insert(at, (number, batches))
            if len(self._found) > self._most:
                self._found = [each for each in self._found if not each[1].is_forgotten]
                self._offsets = [each.offset for _, each in self._found]
                self._most = 2 * len(self._found) + _FEW_RUNS


class KeptAborted:
    """Aborted transactions (producer ids, first offsets) of answers that may be asked for again. Threads share it."""

    _MOST = 50_000

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, list[tuple[int, int]]] = OrderedDict()
        self._size = 0

    def find(self, key: "Hashable") -> list[tuple[int, int]] | None:
        """The aborted transactions of an answer; None if they are unknown."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: "Hashable", found: list[tuple[int, int]]) -> None:
        """Keep the aborted transactions of an answer, in place of the least recently used ones."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = found
                self._size += 1 + len(found)
            while self._size > self._MOST:
                _, oldest = self._kept.popitem(last=False)
                self._size -= 1 + len(oldest)


class KeptBatches:
    """Batches of all partitions that were read ahead; the least recently used are dropped first. Threads share it.

    Args:
        sends_files: whether bytes may be sent from files, so that only their places are kept.

    Attributes:
        buffer: gives memory for batches.
        files: the files that bytes are sent from; None if bytes are not sent from files.
        aborted: the aborted transactions of answers.
    """

    _MOST = 32 * 2**20

    def __init__(self, *, sends_files: bool = False) -> None:
        self.buffer = ReusedBuffer()
        self.files = SentFiles() if sends_files else None
        self.aborted = KeptAborted()
        self._lock = threading.Lock()
        self._kept: OrderedDict[SoundBatches, int] = OrderedDict()
        self._size = 0

    def keep(self, batches: "SoundBatches") -> None:
        """Keep batches, in place of the least recently used ones."""
        with self._lock:
            if batches not in self._kept:
                self._kept[batches] = batches.held
                self._size += batches.held
            self._kept.move_to_end(batches)
            while self._size > self._MOST and len(self._kept) > 1:
                oldest, size = self._kept.popitem(last=False)
                oldest.forget()
                self._size -= size

    def drop(self, batches: "SoundBatches") -> None:
        """Forget batches that a reader has read, so that their memory is used again at once, unless they are shared.

        Args:
            batches: the batches.
        """
        if batches.is_shared:
            self.keep(batches)
        else:
            self.forget(batches)

    def forget(self, batches: "SoundBatches") -> None:
        """Forget batches."""
        with self._lock:
            self._size -= self._kept.pop(batches, 0)
            batches.forget()
