"""Hashes of keys, and the map from them to offsets (`columnar.offset_map`)."""

from typing import Any, Final

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Mask, UInt8s
from kafkafmt.columnar.kernels.access import byte_at, little_endian_uint64
from kafkafmt.columnar.kernels.compiling import kernel, part
from kafkafmt.columnar.offset_map import FREE, Hashed, Int32s

_WORD: Final = 8


@kernel
def put_keys(slots: Hashed, count: int, room: int, hashed: Hashed) -> tuple[int, int]:
    """Put keys into slots, up to the first new one that does not fit; return how many, and the number of keys."""
    mask = np.uint64(slots.size - 1)
    for index in range(hashed.size):
        key = hashed[index]
        at = key.low & mask
        while slots[at].offset != FREE and (slots[at].low != key.low or slots[at].high != key.high):
            at = (at + np.uint64(1)) & mask
        if slots[at].offset == FREE:
            if count >= room:
                return index, count
            slots[at].low, slots[at].high = key.low, key.high
            slots[at].offset = key.offset
            count += 1
        elif key.offset > slots[at].offset:
            slots[at].offset = key.offset
    return hashed.size, count


@kernel
def find_keys(slots: Hashed, hashed: Hashed, found: Int64s) -> None:
    """Look up keys; the offset of each key, -1 for a missing one, is written to `found`."""
    mask = np.uint64(slots.size - 1)
    for index in range(hashed.size):
        key = hashed[index]
        at = key.low & mask
        while slots[at].offset != FREE and (slots[at].low != key.low or slots[at].high != key.high):
            at = (at + np.uint64(1)) & mask
        found[index] = -1 if slots[at].offset == FREE else slots[at].offset


@kernel
def hash_all(
    source: UInt8s, begins: Int32s, ends: Int32s, has_key: Mask, offsets: Int64s, secret: Any, hashed: Hashed
) -> None:
    """Hash the keys of records that have one, all within `source`."""
    row = 0
    for index in range(has_key.size):
        if has_key[index]:
            low, high = _sip_hash(source, begins[index], ends[index], secret[0], secret[1])
            hashed[row].low, hashed[row].high = low, high
            hashed[row].offset = offsets[index]
            row += 1


@part
def _sip_hash(source: UInt8s, begin: int, end: int, key0: Any, key1: Any) -> tuple[Any, Any]:
    """128-bit SipHash-2-4 (Aumasson and Bernstein, 2012) of a range of an array."""
    v0, v1 = key0 ^ np.uint64(0x736F6D6570736575), key1 ^ np.uint64(0x646F72616E646F6D ^ 0xEE)
    v2, v3 = key0 ^ np.uint64(0x6C7967656E657261), key1 ^ np.uint64(0x7465646279746573)
    at = begin
    while at + _WORD <= end:
        word = little_endian_uint64(source, at)
        v0, v1, v2, v3 = _two_rounds(v0, v1, v2, v3 ^ word)
        v0 ^= word
        at += _WORD
    word = np.uint64(end - begin) << np.uint64(56)
    shift = np.uint64(0)
    while at < end:
        word |= np.uint64(byte_at(source, at)) << shift
        shift += np.uint64(8)
        at += 1
    v0, v1, v2, v3 = _two_rounds(v0, v1, v2, v3 ^ word)
    v0, v1, v2, v3 = _two_rounds(v0 ^ word, v1, v2 ^ np.uint64(0xEE), v3)
    v0, v1, v2, v3 = _two_rounds(v0, v1, v2, v3)
    low = v0 ^ v1 ^ v2 ^ v3
    v0, v1, v2, v3 = _two_rounds(v0, v1 ^ np.uint64(0xDD), v2, v3)
    v0, v1, v2, v3 = _two_rounds(v0, v1, v2, v3)
    return low, v0 ^ v1 ^ v2 ^ v3


@part
def _two_rounds(v0: Any, v1: Any, v2: Any, v3: Any) -> tuple[Any, Any, Any, Any]:
    for _ in range(2):
        v0, v2 = v0 + v1, v2 + v3
        v1, v3 = _rotated(v1, 13) ^ v0, _rotated(v3, 16) ^ v2
        v0 = _rotated(v0, 32)
        v2, v0 = v2 + v1, v0 + v3
        v1, v3 = _rotated(v1, 17) ^ v2, _rotated(v3, 21) ^ v0
        v2 = _rotated(v2, 32)
    return v0, v1, v2, v3


@part
def _rotated(word: Any, bits: int) -> Any:
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))
