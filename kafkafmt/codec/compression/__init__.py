"""Compression of a batch's records as in Kafka's clients, with one module per codec; reading obeys `Limits`.

A new codec is a module with `compress`, `decompress` and `decompress_ordinary`, a member of `Compression` and an entry
of `CODECS`. All other uses of codecs in the package derive from these, except the names of `kafkafmt write`, whose
--help must not load codecs. Kernels may have their own function for it (`columnar/kernels/unpacking.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from kafkafmt.codec.compression import gzip, lz4, snappy, zstd
from kafkafmt.codec.compression.buffer import Buffer
from kafkafmt.errors import ChecksumError
from kafkafmt.limits import Limits


class Compression(IntEnum):
    """Compression of a batch, numbered as in the lowest three bits of its attributes (Kafka's `CompressionType`)."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4

    @property
    def label(self) -> str:
        """The lower-case name, as in Kafka's configuration and the `compression` column."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Codec:
    """The functions of one codec. Their last argument is the message format version, which matters only for lz4.

    Attributes:
        compress: compresses bytes as Kafka's producer does, given the level or None for Kafka's default.
        decompress: decompresses everything that Kafka's reader accepts, and raises for the rest, as `decompress` below.
        decompress_ordinary: decompresses the output of Kafka's producer and librdkafka directly to the end of a
            buffer's content; returns the number of bytes written, or None if `decompress` has to examine the data.
        levels: the lowest and the highest level that Kafka accepts, None for a codec without levels.
        first_magic: the first message format with the codec.
    """

    compress: Callable[[bytes | memoryview, int | None, int], bytes]
    decompress: Callable[[bytes | memoryview, Limits, int], bytes]
    decompress_ordinary: Callable[[bytes | memoryview, Buffer, Limits, int], int | None]
    levels: tuple[int, int] | None
    first_magic: int = 0


CODECS: dict[int, Codec] = {
    Compression.GZIP: Codec(gzip.compress, gzip.decompress, gzip.decompress_ordinary, (1, 9)),
    Compression.SNAPPY: Codec(snappy.compress, snappy.decompress, snappy.decompress_ordinary, None),
    Compression.LZ4: Codec(lz4.compress, lz4.decompress, lz4.decompress_ordinary, (1, 17)),
    Compression.ZSTD: Codec(zstd.compress, zstd.decompress, zstd.decompress_ordinary, (-131072, 22), first_magic=2),
}
"""All codecs by id; 0 is none. Each format has all ids up to its last one."""

LABELS: dict[int, str] = {codec.value: codec.label for codec in Compression}
"""Names of the codecs by id."""


@cache
def last_codec(magic: int) -> int:
    """The highest codec id of a message format."""
    return max(codec_id for codec_id, codec in CODECS.items() if codec.first_magic <= max(magic, 0))


def decompress(codec: Compression, data: bytes | memoryview, *, magic: int, limits: Limits) -> bytes:
    """Decompress the records of one batch, or the inner messages of one wrapper.

    Args:
        codec: the codec.
        data: all compressed bytes, as stored.
        magic: message format version of the batch or wrapper; with 0, lz4 frames with a wrong header checksum are
            accepted.
        limits: bounds, of which `max_decompressed_bytes` caps the result, and `zstd_window_log` the window of a zstd
            frame.

    Returns:
        All decompressed bytes; with `Compression.NONE` the data themselves.

    Raises:
        CorruptError: the data are not in the codec's format.
        TruncatedError: the data end before the codec's stream does.
        UnsupportedError: the data need something that Kafka's reader lacks as well: a dictionary, or linked lz4 blocks.
        LimitExceededError: a bound of `limits` is exceeded; raised before more than that is allocated.
    """
    if not codec:
        return bytes(data)
    try:
        return CODECS[codec].decompress(data, limits, magic)
    except ChecksumError as error:
        error.is_inside = True
        raise


def compress(codec: Compression, data: bytes | memoryview, *, magic: int, level: int | None = None) -> bytes:
    """Compress the records of one batch, or the inner messages of one wrapper, as Kafka's producer does.

    Args:
        codec: the codec.
        data: the bytes.
        magic: message format version; with 0, lz4 frames get the wrong header checksum that clients of that format
            expect.
        level: one of the codec's `levels`; None for Kafka's default.
    """
    return CODECS[codec].compress(data, level, magic) if codec else bytes(data)


def check_level(codec: Compression, level: int | None) -> None:
    """Check a level as Kafka's configuration does.

    Raises:
        ValueError: the codec does not have levels, or not this one.
    """
    if level is None:
        return
    levels = CODECS[codec].levels if codec else None
    if levels is None:
        raise ValueError(f"{codec.label} has no compression level")
    if not levels[0] <= level <= levels[1] and (codec, level) != (Compression.GZIP, -1):
        raise ValueError(f"the compression level of {codec.label} is from {levels[0]} to {levels[1]}, not {level}")
