"""Decompression of a batch's records as Kafka's own clients do it, one module a codec, all under `Limits`."""

from enum import IntEnum

from kafkafmt.codec.compression import gzip, lz4, snappy, zstd
from kafkafmt.limits import Limits


class Compression(IntEnum):
    """Compression of a batch, as the lowest three bits of its attributes number it (Kafka's `CompressionType`)."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4

    @property
    def label(self) -> str:
        """The name in lower case, as Kafka's configuration and the `compression` column have it."""
        return self.name.lower()


LABELS: dict[int, str] = {codec.value: codec.label for codec in Compression}
"""Names of the codecs by id."""


def decompress(codec: Compression, data: bytes | memoryview, *, magic: int, limits: Limits) -> bytes:
    """Decompress the records of one batch, or the inner messages of one wrapper.

    Args:
        codec: what compressed them.
        data: the compressed bytes as stored, all of them.
        magic: message format version of the batch or wrapper; 0 takes lz4 frames with a wrong header checksum.
        limits: `max_decompressed_bytes` caps the result, `zstd_window_log` the window of a zstd frame.

    Returns:
        All decompressed bytes; with `Compression.NONE` the data themselves.

    Raises:
        CorruptError: the data are not what the codec writes.
        TruncatedError: they end before the codec's stream does.
        UnsupportedError: they need what Kafka's reader does not have either: a dictionary, linked lz4 blocks.
        LimitExceededError: a bound of `limits` is passed; raised before more than that is allocated.
    """
    if codec is Compression.GZIP:
        return gzip.decompress(data, limits)
    if codec is Compression.SNAPPY:
        return snappy.decompress(data, limits)
    if codec is Compression.LZ4:
        return lz4.decompress(data, limits, magic=magic)
    if codec is Compression.ZSTD:
        return zstd.decompress(data, limits)
    return bytes(data)
