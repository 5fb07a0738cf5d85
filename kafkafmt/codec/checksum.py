"""The two checksums of Kafka's log: CRC-32C of record batches (format v2), CRC-32 of messages (v0, v1)."""

from typing import Protocol

import crc32c as _crc32c
from isal import isal_zlib


class _Checksum(Protocol):
    def __call__(self, data: bytes | bytearray | memoryview, crc: int = 0, /) -> int: ...


# These are the libraries' functions themselves: of a batch of 16 KB, another call would take a fifth of the time.
crc32c: _Checksum = _crc32c.crc32c
"""Compute the CRC-32C (Castagnoli) of contiguous bytes, as an unsigned 32-bit number.

Args:
    data: the bytes.
    crc: CRC-32C of what precedes them, to go on from.
"""

crc32: _Checksum = isal_zlib.crc32
"""Compute the CRC-32 (IEEE 802.3, that of gzip) of contiguous bytes, as an unsigned 32-bit number.

Args:
    data: the bytes.
    crc: CRC-32 of what precedes them, to go on from.
"""
