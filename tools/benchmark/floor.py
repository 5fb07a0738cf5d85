"""What no reader can do without: check a batch's CRC, decompress it, and copy it once. Format 2 only.

The fastest decompressors that PyPI has are used, each in the way that suits it best.
"""

import mmap
from typing import TYPE_CHECKING

import cramjam
import crc32c
import lz4.frame
import zstandard
from isal import isal_zlib

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmark.readers import Reader

# formats/kafka_log_segment.ksy and formats/kafka_record_batch.ksy
_OVERHEAD, _CRC_AT, _ATTRIBUTES_AT, _COUNT_AT, _RECORDS_AT = 12, 17, 21, 57, 61
_CODEC_BITS = 7
_GZIP = 31
"""zlib's window bits for a gzip frame."""
_SNAPPY_MAGIC, _SNAPPY_HEADER = b"\x82SNAPPY\0", 16

_READ_BYTES = 1 << 22
_SCRATCH_BYTES = 1 << 24


def mapped() -> "Reader":
    """Make the floor that maps the file into memory, which is the one that the goals name."""
    take = _Taker()

    def read(path: str) -> int:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapping:
            with memoryview(mapping) as data:
                records, _ = take.batches(data)
            return records

    return read


def streamed() -> "Reader":
    """Make the floor that reads the file into one small buffer again and again, which is faster."""
    take = _Taker()
    buffer = bytearray(_READ_BYTES)

    def read(path: str) -> int:
        records = held = 0
        view = memoryview(buffer)
        with open(path, "rb", buffering=0) as file:
            while got := file.readinto(view[held:]):
                held += got
                found, end = take.batches(view[:held])
                records += found
                buffer[: held - end] = view[end:held]
                held -= end
        return records

    return read


class _Taker:
    """Checks, decompresses and copies batches; keeps what can be used again."""

    def __init__(self) -> None:
        scratch = bytearray(_SCRATCH_BYTES)
        self._scratch = memoryview(scratch)
        self._lz4 = lz4.frame.create_decompression_context()
        self._zstd = zstandard.ZstdDecompressor()
        self._decompress: dict[int, Callable[[memoryview], int]] = {
            0: self._copied,
            1: lambda payload: self._copied(isal_zlib.decompress(payload, _GZIP)),
            2: self._snappy,
            3: lambda payload: self._copied(lz4.frame.decompress_chunk(self._lz4, payload)[0]),
            4: lambda payload: self._copied(self._zstd.decompressobj().decompress(payload)),
        }

    def batches(self, data: memoryview) -> tuple[int, int]:
        """Take the whole batches at the beginning of `data`; returns how many records they have, and their end."""
        crc, decompress, integer = crc32c.crc32c, self._decompress, int.from_bytes
        records = at = 0
        size = len(data)
        while at + _RECORDS_AT <= size:
            end = at + _OVERHEAD + integer(data[at + 8 : at + _OVERHEAD], "big")
            if end > size:
                break
            if crc(data[at + _ATTRIBUTES_AT : end]) != integer(data[at + _CRC_AT : at + _ATTRIBUTES_AT], "big"):
                raise ValueError(f"wrong CRC at position {at}")
            decompress[data[at + _ATTRIBUTES_AT + 1] & _CODEC_BITS](data[at + _RECORDS_AT : end])
            records += integer(data[at + _COUNT_AT : at + _RECORDS_AT], "big")
            at = end
        return records, at

    def _copied(self, data: bytes | memoryview) -> int:
        size = len(data)
        self._scratch[:size] = data
        return size

    def _snappy(self, payload: memoryview) -> int:
        # Kafka's clients frame snappy as snappy-java does: blocks, each behind its size.
        if payload[: len(_SNAPPY_MAGIC)] != _SNAPPY_MAGIC:
            return cramjam.snappy.decompress_raw_into(payload, self._scratch)
        size, at = 0, _SNAPPY_HEADER
        while at < len(payload):
            block = at + 4 + int.from_bytes(payload[at : at + 4], "big")
            size += cramjam.snappy.decompress_raw_into(payload[at + 4 : block], self._scratch[size:])
            at = block
        return size
