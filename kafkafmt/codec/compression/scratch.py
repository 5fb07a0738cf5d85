"""A reused buffer for the decompressed records of many batches, which a columnar kernel reads side by side."""

from kafkafmt.codec.compression import CODECS, Compression, decompress
from kafkafmt.codec.compression.buffer import Buffer
from kafkafmt.errors import KafkafmtError, LimitExceededError
from kafkafmt.limits import Limits

_ORDINARY = {codec_id: codec.decompress_ordinary for codec_id, codec in CODECS.items()}


class Scratch(Buffer):
    """A buffer to which batches are decompressed one after the other; one per thread.

    The library writes there directly if the data are as Kafka's producer and librdkafka write them; all other data, and
    all broken data, go through `decompress`.

    Args:
        limits: as for `decompress`.
    """

    __slots__ = ("_limits",)

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits

    def add(self, codec: int, data: bytes | memoryview, magic: int, most: int | None = None) -> int:
        """Append the decompressed records of one batch, or the inner messages of one wrapper.

        Args:
            codec: the codec; 0 appends the bytes unchanged.
            data: all compressed bytes, as stored; contiguous, of format "B".
            magic: message format version of the batch or wrapper.
            most: upper bound of the number of bytes to append, besides the limits.

        Returns:
            Number of bytes appended.

        Raises:
            LimitExceededError: there are more than `most` bytes; nothing is appended.
            KafkafmtError: as for `decompress`; nothing is appended.
        """
        try:
            size = self._append(codec, data, magic, most)
        except KafkafmtError:
            # A caller that needs the exact error decompresses the data again.
            self.give_back()
            raise
        self.used += size
        return size

    def _append(self, codec: int, data: bytes | memoryview, magic: int, most: int | None) -> int:
        limits = self._limits
        ordinary = _ORDINARY.get(codec)
        size = None if ordinary is None else ordinary(data, self, limits, magic)
        if size is None:
            self.give_back()
            content = decompress(Compression(codec), data, magic=magic, limits=limits) if codec else data
            _require(len(content), most)
            size = len(content)
            self.room(0, size)[:] = content
        _require(size, most)
        return size


def _require(size: int, most: int | None) -> None:
    if most is not None and size > most:
        raise LimitExceededError("too large to be decoded in bulk", expected=most, found=size)
