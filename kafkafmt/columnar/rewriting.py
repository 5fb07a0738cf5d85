"""Batches with some of their records left out: where the records of many are, and the kept ones, rewritten.

Key, value and headers of a record are copied as they are; its length and its deltas change, as a rewritten batch has
another base timestamp, and one of an older format another base offset.
"""

from typing import NamedTuple

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Mask
from kafkafmt.columnar.offset_map import Int32s

# The most that a record takes besides the copied bytes: its length, attributes, and deltas of timestamp and offset.
_MOST_BEFORE_KEY = 5 + 1 + 10 + 5


class RecordPlaces(NamedTuple):
    """The records of batches, one after the other; places are in the array that holds them.

    Attributes:
        offsets: one a record.
        timestamps: one a record, in ms; with LogAppendTime that of its batch.
        bodies: where the length of its key is, from which on it is copied.
        ends: where it ends.
        key_starts: where its key begins.
        key_sizes: bytes of its key; -1 for null.
        has_value: whether its value is not null.
    """

    offsets: Int64s
    timestamps: Int64s
    bodies: Int32s
    ends: Int32s
    key_starts: Int32s
    key_sizes: Int32s
    has_value: Mask

    def first(self, count: int) -> "RecordPlaces":
        """The places of the first `count` records."""
        return RecordPlaces(
            self.offsets[:count],
            self.timestamps[:count],
            self.bodies[:count],
            self.ends[:count],
            self.key_starts[:count],
            self.key_sizes[:count],
            self.has_value[:count],
        )


def new_places(count: int) -> RecordPlaces:
    """Allocate arrays for `count` records."""
    return RecordPlaces(
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.bool_),
    )


def room_for(places: RecordPlaces, kept: Mask) -> int:
    """Bytes that `write_records` needs at most."""
    return int((places.ends[kept] - places.bodies[kept]).sum(dtype=np.int64)) + _MOST_BEFORE_KEY * int(kept.sum())
