"""OffsetMap: the latest offset of each key, with keys identified by hashes, as in Kafka's cleaner (SkimpyOffsetMap).

Kafka uses MD5 for that. Here it is SipHash-2-4 of 128 bits with a secret of the process, so that nobody can prepare a
file of colliding keys.
"""

import os
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.arrays import flags
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Mask, UInt8s
from kafkafmt.columnar.kernels import find_keys, hash_all, put_keys
from kafkafmt.reference.header import INT64_MIN

Int32s = npt.NDArray[np.int32]

HASHED: Final = np.dtype([("low", np.uint64), ("high", np.uint64), ("offset", np.int64)])
"""A key and its offset: 128 bits of the hash, the offset."""

Hashed = npt.NDArray[Any]
"""An array of `HASHED`."""

# Random for each process, so that nobody can prepare keys with equal hashes.
_SECRET: Final = np.frombuffer(os.urandom(16), np.uint64)
FREE: Final = INT64_MIN
"""Offset of a slot without a key."""

_FEWEST_SLOTS: Final = 1 << 10


class OffsetMap:
    """Keys, by their hashes, each with its latest offset.

    Args:
        capacity: maximal number of keys. Memory is 48 to 96 bytes per key, and briefly 144 while the map grows.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._slots = _slots(_FEWEST_SLOTS)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, hashed: Hashed) -> int:
        """Put keys in order; for a known key the higher offset wins.

        Args:
            hashed: the result of `hash_keys`.

        Returns:
            Number of keys taken: all, or those before the first that does not fit.
        """
        done = 0
        while done < hashed.size:
            room = min(self.capacity, self._slots.size // 2)
            taken, self._count = put_keys(self._slots, self._count, room, hashed[done:])
            done += taken
            if done < hashed.size:
                if room == self.capacity:
                    break
                entries = self.entries()
                self._slots = _slots(2 * self._slots.size)
                put_keys(self._slots, 0, entries.size, entries)
        return done

    def find(self, hashed: Hashed) -> Int64s:
        """The latest offsets of keys; -1 for a missing one."""
        found = np.empty(hashed.size, np.int64)
        find_keys(self._slots, hashed, found)
        return found

    def entries(self) -> Hashed:
        """All keys with their latest offsets, in any order."""
        found: Hashed = self._slots[self._slots["offset"] != FREE]
        return found

    def clear(self) -> None:
        """Forget all keys."""
        self._slots = _slots(_FEWEST_SLOTS)
        self._count = 0


def hash_keys(keys: pa.Array, offsets: Int64s, secret: npt.NDArray[np.uint64] = _SECRET) -> Hashed:
    """Hash the keys that are not null.

    Args:
        keys: keys of records, of Arrow's type binary.
        offsets: offsets of these records.
        secret: two numbers.

    Returns:
        Hash and offset of each record with a key, in order.
    """
    if not len(keys):
        return np.empty(0, HASHED)
    _, index, data = keys.buffers()
    begins = np.frombuffer(index, np.int32)[keys.offset : keys.offset + len(keys) + 1]
    source = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    has_key = np.ones(len(keys), np.bool_) if keys.null_count == 0 else flags(keys.is_valid())
    return hash_ranges(source, begins[:-1], begins[1:], has_key, offsets, secret)


def hash_ranges(
    source: UInt8s,
    begins: Int32s,
    ends: Int32s,
    has_key: Mask,
    offsets: Int64s,
    secret: npt.NDArray[np.uint64] = _SECRET,
) -> Hashed:
    """Hash keys at any positions in an array.

    Args:
        source: the array.
        begins: start of each record's key in the array.
        ends: end of each key.
        has_key: the records that have a key.
        offsets: offsets of the records.
        secret: two numbers.

    Returns:
        Hash and offset of each record with a key, in order.
    """
    hashed = np.empty(int(np.count_nonzero(has_key)), HASHED)
    hash_all(source, begins, ends, has_key, offsets, secret, hashed)
    return hashed


def _slots(number: int) -> Hashed:
    slots = np.empty(number, HASHED)
    slots["offset"] = FREE
    return slots
