"""The two checksums of Kafka's log: CRC-32C of record batches (format v2), CRC-32 of messages (v0, v1).

`CrcShift` computes the CRC of any part of a stream from CRCs of its beginnings, without reading that part again. A CRC
is linear over GF(2): crc(A + B) = shift(crc(A), len(B)) ^ crc(B), where shift appends zero bytes to the input (the
method of zlib's crc32_combine). So crc(B) follows from the CRCs of A + B and of A.
"""

from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Protocol

from isal import isal_zlib


class _Checksum(Protocol):
    def __call__(self, data: bytes | bytearray | memoryview, crc: int = 0, /) -> int: ...


def _extension() -> ModuleType:
    """The extension module in the package crc32c, as the package looks up its own version, which loads 30 modules."""
    package = find_spec("crc32c")
    places = None if package is None else package.submodule_search_locations
    found = PathFinder.find_spec("crc32c._crc32c", places)
    if found is None or found.loader is None:
        import crc32c as package_itself  # noqa: PLC0415 (of another layout, or not installed)

        return package_itself
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


# Assigned directly from the libraries, as a wrapper function would add a fifth to the time for a batch of 16 KB.
crc32c: _Checksum = _extension().crc32c
"""Compute the CRC-32C (Castagnoli) of contiguous bytes, as an unsigned 32-bit number.

Args:
    data: the bytes.
    crc: CRC-32C of the preceding bytes, to continue from.
"""

crc32: _Checksum = isal_zlib.crc32
"""Compute the CRC-32 (IEEE 802.3, as in gzip) of contiguous bytes, as an unsigned 32-bit number.

Args:
    data: the bytes.
    crc: CRC-32 of the preceding bytes, to continue from.
"""

_WORD_BITS = 32


class CrcShift:
    """Appends zero bytes to the input of a finished 32-bit CRC.

    Args:
        polynomial: polynomial of the CRC, with reflected bits: 0xEDB88320 for CRC-32, 0x82F63B78 for CRC-32C.
    """

    def __init__(self, polynomial: int) -> None:
        # Column i is the CRC that results from bit i; the first matrix appends one zero bit, and three squarings make
        # it a byte.
        matrix = [polynomial, *(1 << bit for bit in range(_WORD_BITS - 1))]
        for _ in range(3):
            matrix = _square(matrix)
        self._matrices = [matrix]  # each appends twice as many bytes as the previous one
        self._tables: list[tuple[list[int], list[int], list[int], list[int]]] = []

    def shift(self, crc: int, length: int) -> int:
        """CRC after `length` more zero bytes; takes time proportional to the number of one bits in `length`."""
        power = 0
        while length:
            if power == len(self._tables):
                self._tables.append(_tables(self._matrices[-1]))
                self._matrices.append(_square(self._matrices[-1]))
            if length & 1:
                first, second, third, fourth = self._tables[power]
                crc = first[crc & 0xFF] ^ second[crc >> 8 & 0xFF] ^ third[crc >> 16 & 0xFF] ^ fourth[crc >> 24]
            length >>= 1
            power += 1
        return crc

    def of_rest(self, crc_whole: int, crc_beginning: int, length: int) -> int:
        """CRC of the last `length` bytes, from the CRC of all bytes and the CRC of the preceding bytes."""
        return crc_whole ^ self.shift(crc_beginning, length)


def _times(matrix: list[int], vector: int) -> int:
    result = 0
    for column in matrix:
        if not vector:
            break
        if vector & 1:
            result ^= column
        vector >>= 1
    return result


def _square(matrix: list[int]) -> list[int]:
    return [_times(matrix, column) for column in matrix]


def _tables(matrix: list[int]) -> tuple[list[int], list[int], list[int], list[int]]:
    def table(byte: int) -> list[int]:
        columns = matrix[8 * byte : 8 * byte + 8]
        return [_times(columns, value) for value in range(256)]

    return table(0), table(1), table(2), table(3)


# The polynomials with reversed bits, as both CRCs take the lowest bit of a byte first.
CRC32 = CrcShift(0xEDB88320)
CRC32C = CrcShift(0x82F63B78)
