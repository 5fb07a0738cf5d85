"""A file that lies in an object in chunks, each compressed or encrypted by itself, as tiered segments do (KIP-405).

What a read needs of the object is one range, whose chunks are decoded; chunks at its ends are kept for the next read.
A chunk that cannot be decoded reads as zeros, and `ChunkedFile.lost` says so: whoever walks over the file asks.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from kafkafmt.errors import CorruptError, DataError, TruncatedError
from kafkafmt.io.base import File

Decode = Callable[[memoryview, int], bytes | memoryview]
"""Undoes what was done to a chunk: gets its bytes in the object, and the size that it has in the file."""

_KEPT_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class ChunkIndex:
    """Where the chunks of a file lie in its object.

    Attributes:
        chunk_size: bytes of each chunk of the file but the last; positive.
        size: bytes of the file.
        stored_sizes: bytes of each chunk in the object, in order; as many as the file has chunks.
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
        """Where each chunk begins in the object, and at the end where the last one ends, in bytes."""
        return array("q", accumulate(self.stored_sizes, initial=0))

    @property
    def stored_size(self) -> int:
        """Bytes of the object."""
        return self.starts[-1]

    def length(self, chunk: int) -> int:
        """Bytes of a chunk in the file."""
        return min(self.chunk_size, self.size - chunk * self.chunk_size)

    def bytes_of(self, chunk: int) -> str:
        """Name a chunk, and the bytes of the file that it has."""
        begin = chunk * self.chunk_size
        return f"chunk {chunk}, bytes {begin} to {begin + self.length(chunk) - 1}"


class ChunkedFile(File):
    """A file in chunks, read through the object that holds them.

    Args:
        name: what errors call the object.
        stored: the object, open; it is closed with the file. None if it is missing.
        index: where the chunks lie in it.
        decode: undoes what was done to a chunk.
        what: what the file is, for errors: "the segment of offsets 0 to 99".
        lost: why none of it can be read, or None.
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
        # Replaced as a whole: threads may share the file.
        self._kept: tuple[tuple[int, bytes | memoryview], ...] = ()
        self._lost: dict[int, DataError] = {}
        if stored is None and lost is None:
            self._all_lost = CorruptError(f"the object of {what} is missing", file=name)
        elif stored is not None:
            # Shorter: the chunks that are cut off will be missed one by one.
            if lost is None and stored.size > index.stored_size:
                self._all_lost = CorruptError(
                    f"the chunk index of {what} does not add up",
                    file=name,
                    expected=f"an object of {index.stored_size} bytes",
                    found=f"{stored.size} bytes",
                )
            self.worth_skipping = max(stored.worth_skipping, 2 * min(index.chunk_size, index.size))
            self.block = stored.block
        self.unit = index.chunk_size

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Decode the chunks that hold the range; what cannot be decoded is zeros. See `File.readinto_at`."""
        wanted = max(0, min(len(buffer), self.size - position))
        if not wanted:
            return 0
        end = position + wanted
        first, last = position // self._index.chunk_size, (end - 1) // self._index.chunk_size
        kept = dict(self._kept)
        if self._all_lost is not None:
            buffer[:wanted] = bytes(wanted)
            return wanted
        missing = [chunk for chunk in range(first, last + 1) if chunk not in kept and chunk not in self._lost]
        stored = self._stored_bytes(missing[0], missing[-1]) if missing else memoryview(b"")
        edges = []
        for chunk in range(first, last + 1):
            content = kept.get(chunk)
            if content is None and chunk not in self._lost:
                content = self._decoded(chunk, missing[0], stored)
                if content is not None and chunk in (first, last):
                    edges.append((chunk, content))
            begin = chunk * self._index.chunk_size
            at, until = max(0, begin - position), min(end, begin + self._index.chunk_size) - position
            # No more zeros than are asked for: the size of the chunk is only what somebody wrote down.
            buffer[at:until] = (
                bytes(until - at) if content is None else memoryview(content)[position + at - begin :][: until - at]
            )
        if edges:
            self._keep(edges)
        return wanted

    def lost(self, begin: int, end: int) -> DataError | None:
        """Why bytes in a range could not be decoded; None if all that was read of it could."""
        if self._all_lost is not None:
            return self._all_lost
        if not self._lost:
            return None
        chunks = range(begin // self._index.chunk_size, -(-end // self._index.chunk_size))
        return next((self._lost[chunk] for chunk in sorted(self._lost) if chunk in chunks), None)

    def close(self) -> None:
        """Close the object; what was decoded is dropped."""
        self._kept = ()
        if self._stored is not None:
            self._stored.close()

    def _stored_bytes(self, first: int, last: int) -> memoryview:
        """The chunks as they are stored, by one request; fewer bytes if the object is cut off."""
        starts = self._index.starts
        if self._stored is None:
            return memoryview(b"")
        return memoryview(self._stored.read_at(starts[first], starts[last + 1] - starts[first]))

    def _decoded(self, chunk: int, first: int, stored: memoryview) -> bytes | memoryview | None:
        """A chunk, given what is stored from the chunk `first` on; None if it is lost."""
        starts, length = self._index.starts, self._index.length(chunk)
        try:
            piece = stored[starts[chunk] - starts[first] : starts[chunk + 1] - starts[first]]
            if len(piece) < self._index.stored_sizes[chunk]:
                raise TruncatedError("the object ends within it", expected=self._index.stored_sizes[chunk])
            content = self._decode(piece, length)
            if len(content) != length:
                raise CorruptError("it decodes to another size", expected=length, found=len(content))
        except DataError as error:
            error.message = f"{self._index.bytes_of(chunk)} of {self._what}: {error.message}"
            self._lost[chunk] = error.at(self.name, starts[chunk]).with_traceback(None)
            return None
        return content

    def _keep(self, edges: "Sequence[tuple[int, bytes | memoryview]]") -> None:
        kept: list[tuple[int, bytes | memoryview]] = []
        total = 0
        for chunk, content in [*reversed(edges), *self._kept]:
            total += len(content)
            if kept and total > _KEPT_BYTES:
                break
            kept.append((chunk, content))
        self._kept = tuple(kept)
