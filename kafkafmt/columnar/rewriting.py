"""Batches with some of their records left out: the positions of the records of many batches, and rewritten records.

Key, value and headers of a record are copied unchanged; its length and its deltas change, as a rewritten batch has
another base timestamp, and one of an older format another base offset.
"""

from typing import NamedTuple

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Mask
from kafkafmt.columnar.offset_map import Int32s

# The largest size of a record before the copied bytes: length, attributes, and deltas of timestamp and offset.
_MOST_BEFORE_KEY = 5 + 1 + 10 + 5


class RecordPlaces(NamedTuple):
    """The records of batches, one after the other; positions are in the array that holds them.

    Attributes:
        offsets: offset of each record.
        timestamps: timestamp of each record, in ms; with LogAppendTime that of its batch.
        bodies: position of each record's key length, from which on the record is copied.
        ends: end of each record.
        key_starts: position of each key.
        key_sizes: size of each key in bytes; -1 for null.
        has_value: whether each value is not null.
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
    """Upper bound of the number of bytes that `write_records` needs."""
    return int((places.ends[kept] - places.bodies[kept]).sum(dtype=np.int64)) + _MOST_BEFORE_KEY * int(kept.sum())
