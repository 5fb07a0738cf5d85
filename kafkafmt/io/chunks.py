"""A file stored in an object as separately compressed or encrypted chunks, as tiered segments are (KIP-405).

A read fetches one range of the object and decodes its chunks; chunks at its ends are cached for the next read. A chunk
that cannot be decoded reads as zeros, and `ChunkedFile.lost` returns the reason to walks over the file.
"""

import threading
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from kafkafmt.cached import cached_property
from kafkafmt.errors import CorruptError, DataError, TruncatedError
from kafkafmt.io.base import File
from kafkafmt.phrases import sized

Decode = Callable[[memoryview, memoryview], int]
"""Decodes a chunk from its bytes in the object into space for its bytes in the file; returns how many it wrote."""

_KEPT_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class ChunkIndex:
    """The positions of a file's chunks in its object.

    Attributes:
        chunk_size: size in the file of each chunk but the last, in bytes; positive.
        size: size of the file in bytes.
        stored_sizes: size of each chunk in the object, in bytes, in order; one for each chunk of the file.
    """

    chunk_size: int
    size: int
    stored_sizes: Sequence[int]

    @property
    def count(self) -> int:
        """Number of chunks."""
        return len(self.stored_sizes)

    @cached_property
    def starts(self) -> Sequence[int]:
        """Start of each chunk in the object, followed by the end of the last one, in bytes."""
        return array("q", accumulate(self.stored_sizes, initial=0))

    @property
    def stored_size(self) -> int:
        """Size of the object in bytes."""
        return self.starts[-1]

    def length(self, chunk: int) -> int:
        """Size of a chunk in the file, in bytes."""
        return min(self.chunk_size, self.size - chunk * self.chunk_size)

    def bytes_of(self, chunk: int) -> str:
        """Name of a chunk, with its range of bytes in the file."""
        begin = chunk * self.chunk_size
        return f"chunk {chunk}, bytes {begin} to {begin + self.length(chunk) - 1}"


class ChunkedFile(File):
    """A file in chunks, read through the object that holds them.

    Args:
        name: name of the object in errors.
        stored: the open object, which is closed with the file. None if it is missing.
        index: positions of the chunks in the object.
        decode: decodes a chunk.
        what: description of the file, for errors: "the segment of offsets 0 to 99".
        lost: why the whole file cannot be read, or None.
    """

    def __init__(
        self,
        name: str,
        stored: File | None,
        index: ChunkIndex,
        decode: Decode,
        *,
        what: str,
        lost: DataError | None = None,
    ) -> None:
        super().__init__(name, index.size)
        self._stored = stored
        self._index = index
        self._decode = decode
        self._what = what
        self._all_lost = lost
        self._lock = threading.Lock()
        self._scratch = bytearray()
        self._kept: dict[int, bytearray] = {}
        self._lost: dict[int, DataError] = {}
        if stored is None and lost is None:
            self._all_lost = CorruptError(f"the object of {what} is missing", file=name)
        elif stored is not None:
            # A shorter object is not an error here, as chunks that are cut off are reported one by one.
            if lost is None and stored.size > index.stored_size:
                self._all_lost = CorruptError(
                    f"the chunk index of {what} does not add up",
                    file=name,
                    expected=f"an object of {index.stored_size} bytes",
                    found=sized(stored.size),
                )
            self.worth_skipping = max(stored.worth_skipping, 2 * min(index.chunk_size, index.size))
            self.block = stored.block
        self.unit = index.chunk_size

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Decode the chunks of the range; undecodable ones give zeros. See `File.readinto_at`."""
        wanted = max(0, min(len(buffer), self.size - position))
        if not wanted:
            return 0
        if self._all_lost is not None:
            buffer[:wanted] = bytes(wanted)
            return wanted
        end, size = position + wanted, self._index.chunk_size
        chunks = range(position // size, -(-end // size))
        with self._lock:
            missing = [chunk for chunk in chunks if chunk not in self._kept and chunk not in self._lost]
            stored = self._stored_bytes(missing[0], missing[-1]) if missing else memoryview(b"")
            for chunk in chunks:
                begin = chunk * size
                at, until = max(0, begin - position), min(end, begin + size) - position
                self._fill(chunk, buffer[at:until], position + at - begin, stored, missing)
        return wanted

    def _fill(self, chunk: int, target: memoryview, begin: int, stored: memoryview, missing: Sequence[int]) -> None:
        """Copy the bytes of a chunk from its byte `begin` on into a buffer."""
        length = self._index.length(chunk)
        if chunk in self._kept:
            self._kept[chunk] = self._kept.pop(chunk)  # now the most recently used
        elif chunk not in self._lost:
            starts = self._index.starts
            piece = stored[starts[chunk] - starts[missing[0]] : starts[chunk + 1] - starts[missing[0]]]
            if len(piece) < self._index.stored_sizes[chunk]:
                self._lose(chunk, TruncatedError("the object ends within it", expected=self._index.stored_sizes[chunk]))
            elif len(target) == length:
                self._decode_into(target, chunk, piece)
            else:
                content = self._room(length)
                if self._decode_into(memoryview(content), chunk, piece):
                    self._kept[chunk] = content
        if chunk in self._kept:
            target[:] = memoryview(self._kept[chunk])[begin : begin + len(target)]
        if chunk in self._lost:
            # Only as many zeros as requested, since the declared size of the chunk may be wrong.
            target[:] = bytes(len(target))

    def lost(self, begin: int, end: int) -> DataError | None:
        """Why bytes in a range could not be decoded; None if all bytes read could."""
        if self._all_lost is not None:
            return self._all_lost
        if not self._lost:
            return None
        chunks = range(begin // self._index.chunk_size, -(-end // self._index.chunk_size))
        return next((self._lost[chunk] for chunk in sorted(self._lost) if chunk in chunks), None)

    def close(self) -> None:
        """Close the object; decoded chunks are dropped."""
        self._kept = {}
        self._scratch = bytearray()
        if self._stored is not None:
            self._stored.close()

    def _stored_bytes(self, first: int, last: int) -> memoryview:
        """The stored chunks, fetched by one request; fewer bytes if the object is cut off."""
        starts = self._index.starts
        if self._stored is None:
            return memoryview(b"")
        size = max(0, min(starts[last + 1], self._stored.size) - starts[first])
        if len(self._scratch) < size:
            # Reused for the next chunks, as touching new pages takes longer than reading.
            self._scratch = bytearray(size)
        stored = memoryview(self._scratch)[:size]
        self._stored.readinto_at(starts[first], stored)
        return stored

    def _decode_into(self, target: memoryview, chunk: int, piece: memoryview) -> bool:
        """Decode a chunk; return False if it is lost."""
        try:
            size = self._decode(piece, target)
            if size != len(target):
                raise CorruptError("it decodes to another size", expected=len(target), found=size)
        except DataError as error:
            self._lose(chunk, error)
            return False
        return True

    def _lose(self, chunk: int, error: DataError) -> None:
        error.message = f"{self._index.bytes_of(chunk)} of {self._what}: {error.message}"
        self._lost[chunk] = error.at(self.name, self._index.starts[chunk]).with_traceback(None)

    def _room(self, length: int) -> bytearray:
        """Memory for a chunk to be cached, for which the least recently used ones are dropped."""
        spare = bytearray()
        while self._kept and sum(map(len, self._kept.values())) + length > _KEPT_BYTES:
            spare = self._kept.pop(next(iter(self._kept)))
        return spare if len(spare) == length else bytearray(length)
