"""What a server keeps between Fetches: where readers go on in a partition, and batches that were read ahead of them."""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from kafkafmt.files.read_window import ReusedBuffer
from kafkafmt.serving.sound_batches import SoundBatches

_MOST_PLACES = 64
"""Most readers of a partition that go on without a look-up."""


@dataclass(frozen=True, slots=True)
class ReaderPlace:
    """Where a reader goes on.

    Attributes:
        number: of the segment.
        position: in it, in bytes.
        ahead: batches that were read ahead from there or before; None if none were.
        piece: number of their piece that has the offset.
    """

    number: int
    position: int
    ahead: SoundBatches | None = None
    piece: int = 0


class ReaderPlaces:
    """Where readers go on, by offset. Threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[int, ReaderPlace] = {}

    def find(self, offset: int) -> ReaderPlace | None:
        """The place of an offset; None if it is not known."""
        with self._lock:
            place = self._places.pop(offset, None)
            if place is not None:
                self._places[offset] = place
            return place

    def remember(self, offset: int, place: ReaderPlace) -> None:
        """Keep a place."""
        with self._lock:
            self._places.pop(offset, None)
            self._places[offset] = place
            while len(self._places) > _MOST_PLACES:
                del self._places[next(iter(self._places))]


class KeptBatches:
    """Batches that were read ahead, of all partitions; the oldest give way. Threads share it.

    Attributes:
        buffer: gives memory for them.
    """

    _MOST = 32 * 2**20

    def __init__(self) -> None:
        self.buffer = ReusedBuffer()
        self._lock = threading.Lock()
        self._kept: OrderedDict[SoundBatches, int] = OrderedDict()
        self._size = 0

    def keep(self, batches: SoundBatches) -> None:
        """Keep batches, in place of those that were not asked for the longest time."""
        with self._lock:
            if batches not in self._kept:
                self._kept[batches] = len(batches)
                self._size += len(batches)
            self._kept.move_to_end(batches)
            while self._size > self._MOST and len(self._kept) > 1:
                oldest, size = self._kept.popitem(last=False)
                oldest.forget()
                self._size -= size

    def drop(self, batches: SoundBatches) -> None:
        """Drop batches that a reader has read: their memory can be used again at once."""
        with self._lock:
            self._size -= self._kept.pop(batches, 0)
            batches.forget()
