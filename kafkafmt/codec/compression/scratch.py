"""One reused buffer for many batches' decompressed records: what a columnar kernel reads side by side."""

from kafkafmt.codec.compression import Compression, decompress, gzip, lz4, snappy, zstd
from kafkafmt.codec.compression.buffer import Buffer
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits

# Comparing with members of the enumeration itself takes a microsecond a batch.
_GZIP, _SNAPPY, _LZ4, _ZSTD = (codec.value for codec in list(Compression)[1:])


class Scratch(Buffer):
    """A buffer to which batches are decompressed one behind the other; one a thread.

    What Kafka's producer and librdkafka write goes there straight from the library, after no more looking than it takes
    to know it; all the rest, and all that is broken, goes through `decompress`.

    Args:
        limits: as `decompress` has them.
    """

    __slots__ = ("_limits",)

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits

    def add(self, codec: int, data: bytes | memoryview, magic: int) -> int:
        """Append the decompressed records of one batch, or the inner messages of one wrapper.

        Args:
            codec: what compressed them; 0 appends them as they are.
            data: the compressed bytes as stored, all of them; contiguous, of format "B".
            magic: message format version of the batch or wrapper.

        Returns:
            How many bytes were appended.

        Raises:
            KafkafmtError: as `decompress`; then nothing is appended.
        """
        try:
            size = self._append(codec, data, magic)
        except KafkafmtError:
            # Whoever asks for the exact error decompresses it again.
            self.give_back()
            raise
        self.used += size
        return size

    def _append(self, codec: int, data: bytes | memoryview, magic: int) -> int:
        limits = self._limits
        size: int | None = None
        if codec == _LZ4:
            size = lz4.decompress_ordinary(data, self, limits, magic=magic)
        elif codec == _ZSTD:
            size = zstd.decompress_ordinary(data, self, limits)
        elif codec == _SNAPPY:
            size = snappy.decompress_ordinary(data, self, limits)
        elif codec == _GZIP:
            size = gzip.decompress_ordinary(data, self, limits)
        if size is None:
            self.give_back()
            content = decompress(Compression(codec), data, magic=magic, limits=limits) if codec else data
            size = len(content)
            self.room(0, size)[:] = content
        return size
