"""OffsetMap: the latest offset of each key, as Kafka's cleaner keeps it (SkimpyOffsetMap): keys by their hashes alone.

Kafka takes MD5 for that. Here it is SipHash-2-4 of 128 bits with a secret of the process, so that no file can hold keys
that were chosen to meet.
"""

import os
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.columnar.access import UInt8s, byte_at, little_endian_uint64
from kafkafmt.columnar.compiling import kernel, part
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Mask

Int32s = npt.NDArray[np.int32]

HASHED: Final = np.dtype([("low", np.uint64), ("high", np.uint64), ("offset", np.int64)])
"""A key and its offset: 128 bits of the hash, the offset."""

Hashed = npt.NDArray[Any]
"""An array of `HASHED`."""

_SECRET: Final = np.frombuffer(os.urandom(16), np.uint64)
_FREE: Final = -(2**63)
"""Offset of a slot without a key."""

_FEWEST_SLOTS: Final = 1 << 10
_WORD: Final = 8


class OffsetMap:
    """Keys by their hashes, each with its latest offset.

    Args:
        capacity: most keys. Memory is 48 to 96 bytes a key that is there, and 144 for a moment as it grows.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._slots = _slots(_FEWEST_SLOTS)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, hashed: Hashed) -> int:
        """Take keys, in order; of one that is there the higher offset stays.

        Args:
            hashed: what `hash_keys` gives.

        Returns:
            How many of them were taken: all, or those before the first for which there is no room.
        """
        done = 0
        while done < hashed.size:
            room = min(self.capacity, self._slots.size // 2)
            taken, self._count = _put(self._slots, self._count, room, hashed[done:])
            done += taken
            if done < hashed.size:
                if room == self.capacity:
                    break
                entries = self.entries()
                self._slots = _slots(2 * self._slots.size)
                _put(self._slots, 0, entries.size, entries)
        return done

    def find(self, hashed: Hashed) -> Int64s:
        """The latest offset of each of some keys; -1 for one that is not there."""
        found = np.empty(hashed.size, np.int64)
        _find(self._slots, hashed, found)
        return found

    def entries(self) -> Hashed:
        """All keys, with their latest offsets, in any order."""
        found: Hashed = self._slots[self._slots["offset"] != _FREE]
        return found

    def clear(self) -> None:
        """Forget all keys."""
        self._slots = _slots(_FEWEST_SLOTS)
        self._count = 0


def hash_keys(keys: pa.Array, offsets: Int64s, secret: npt.NDArray[np.uint64] = _SECRET) -> Hashed:
    """Hash the keys that are not null.

    Args:
        keys: of records, of Arrow's type binary.
        offsets: of these records.
        secret: two numbers.

    Returns:
        Hash and offset of each record with a key, in order.
    """
    if not len(keys):
        return np.empty(0, HASHED)
    _, index, data = keys.buffers()
    begins = np.frombuffer(index, np.int32)[keys.offset : keys.offset + len(keys) + 1]
    source = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    has_key = np.ones(len(keys), np.bool_) if keys.null_count == 0 else keys.is_valid().to_numpy(zero_copy_only=False)
    return hash_ranges(source, begins[:-1], begins[1:], has_key, offsets, secret)


def hash_ranges(
    source: UInt8s,
    begins: Int32s,
    ends: Int32s,
    has_key: Mask,
    offsets: Int64s,
    secret: npt.NDArray[np.uint64] = _SECRET,
) -> Hashed:
    """Hash keys that lie anywhere in an array.

    Args:
        source: the array.
        begins: where in it the key of each record begins.
        ends: where it ends.
        has_key: of which records that says something.
        offsets: of the records.
        secret: two numbers.

    Returns:
        Hash and offset of each record with a key, in order.
    """
    hashed = np.empty(int(np.count_nonzero(has_key)), HASHED)
    _hash_all(source, begins, ends, has_key, offsets, secret, hashed)
    return hashed


def _slots(number: int) -> Hashed:
    slots = np.empty(number, HASHED)
    slots["offset"] = _FREE
    return slots


@kernel
def _put(slots: Hashed, count: int, room: int, hashed: Hashed) -> tuple[int, int]:
    """Put keys into slots, up to the first that is new and beyond `room`; returns how many, and the number of keys."""
    mask = np.uint64(slots.size - 1)
    for index in range(hashed.size):
        key = hashed[index]
        at = key.low & mask
        while slots[at].offset != _FREE and (slots[at].low != key.low or slots[at].high != key.high):
            at = (at + np.uint64(1)) & mask
        if slots[at].offset == _FREE:
            if count >= room:
                return index, count
            slots[at].low, slots[at].high = key.low, key.high
            slots[at].offset = key.offset
            count += 1
        elif key.offset > slots[at].offset:
            slots[at].offset = key.offset
    return hashed.size, count


@kernel
def _find(slots: Hashed, hashed: Hashed, found: Int64s) -> None:
    mask = np.uint64(slots.size - 1)
    for index in range(hashed.size):
        key = hashed[index]
        at = key.low & mask
        while slots[at].offset != _FREE and (slots[at].low != key.low or slots[at].high != key.high):
            at = (at + np.uint64(1)) & mask
        found[index] = -1 if slots[at].offset == _FREE else slots[at].offset


@kernel
def _hash_all(
    source: UInt8s, begins: Int32s, ends: Int32s, has_key: Mask, offsets: Int64s, secret: Any, hashed: Hashed
) -> None:
    """Hash the keys of records that have one; they lie inside `source`."""
    row = 0
    for index in range(has_key.size):
        if has_key[index]:
            low, high = _sip_hash(source, begins[index], ends[index], secret[0], secret[1])
            hashed[row].low, hashed[row].high = low, high
            hashed[row].offset = offsets[index]
            row += 1


@part
def _sip_hash(source: UInt8s, begin: int, end: int, key0: Any, key1: Any) -> tuple[Any, Any]:
    """SipHash-2-4 with 128 bits (Aumasson and Bernstein, 2012) of a range of an array."""
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
