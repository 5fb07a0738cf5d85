"""The two checksums of Kafka's log: CRC-32C of record batches (format v2), CRC-32 of messages (v0, v1)."""

import crc32c as _crc32c
from isal import isal_zlib


def crc32c(data: bytes | bytearray | memoryview, crc: int = 0) -> int:
    """Compute the CRC-32C (Castagnoli) of contiguous bytes, as an unsigned 32-bit number.

    Args:
        data: the bytes.
        crc: CRC-32C of what precedes them, to go on from.
    """
    return int(_crc32c.crc32c(data, crc))


def crc32(data: bytes | bytearray | memoryview, crc: int = 0) -> int:
    """Compute the CRC-32 (IEEE 802.3, that of gzip) of contiguous bytes, as an unsigned 32-bit number.

    Args:
        data: the bytes.
        crc: CRC-32 of what precedes them, to go on from.
    """
    return int(isal_zlib.crc32(data, crc))
