"""Batches with some of their records left out: where the records of many are, and those that stay, written anew.

Key, value and headers of a record are copied as they are; its length and its deltas change, as a batch that is written
anew has another base timestamp, and one of an older format another base offset.
"""

from typing import Any, NamedTuple

import numpy as np

from kafkafmt.columnar.access import SLACK, UInt8s, copy_exact, length, put, varint, varlong
from kafkafmt.columnar.compiling import kernel, part
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Headers, Mask
from kafkafmt.columnar.offset_map import Int32s
from kafkafmt.columnar.weighing import record_fields, timestamp_base
from kafkafmt.reference.record_batch import SMALLEST_RECORD

# What a record takes besides what is copied, at most: its length, attributes, and deltas of timestamp and offset.
_MOST_BEFORE_KEY = 5 + 1 + 10 + 5


class RecordPlaces(NamedTuple):
    """The records of batches, one after the other; places are in the array that holds them.

    Attributes:
        offsets: of each.
        timestamps: of each, in ms; with LogAppendTime that of its batch.
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
        """So many of them, from the first on."""
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
    """Make room for so many records."""
    return RecordPlaces(
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.bool_),
    )


@kernel
def find_records(
    source: UInt8s, starts: Int64s, ends: Int64s, headers: Headers, max_headers: int, places: RecordPlaces
) -> int:
    """Find the records of batches of format 2.

    Args:
        source: bytes that hold the records of all batches, decompressed; less than 2 GiB.
        starts: where in `source` the records of each batch begin.
        ends: where they end; `SLACK` bytes of any content must follow.
        headers: headers of these batches.
        max_headers: most headers of one record.
        places: is written; has room for as many records as the headers declare.

    Returns:
        How many batches are sound, up to the first that is not.
    """
    row = 0
    for index in range(starts.size):
        header = headers[index]
        at, end = starts[index], ends[index]
        count: int = header.num_records
        if at < 0 or at > end or end + SLACK > source.size or count < 0 or count > (end - at) // SMALLEST_RECORD:
            return index
        if row + count > places.offsets.size:
            return index
        base_timestamp, delta_mask = timestamp_base(header)
        for _ in range(count):
            begin = at
            at, timestamp_delta, offset_delta, key_at, key_size, _headers_at, num_headers = record_fields(
                source, begin, end, max_headers
            )
            if at < 0 or num_headers < 0:
                return index
            _, body = length(source, begin)
            _, body = varlong(source, body + 1)
            _, body = varint(source, body)
            value_size, _ = length(source, key_at + max(key_size, 0))
            put(places.offsets, row, header.base_offset + offset_delta)
            put(places.timestamps, row, base_timestamp + (timestamp_delta & delta_mask))
            put(places.bodies, row, body)
            put(places.ends, row, at)
            put(places.key_starts, row, key_at)
            put(places.key_sizes, row, key_size)
            put(places.has_value, row, value_size >= 0)
            row += 1
        if at != end:
            return index
    return starts.size


def room_for(places: RecordPlaces, kept: Mask) -> int:
    """Bytes that `write_records` needs at most."""
    return int((places.ends[kept] - places.bodies[kept]).sum(dtype=np.int64)) + _MOST_BEFORE_KEY * int(kept.sum())


@kernel
def write_records(
    source: UInt8s,
    places: RecordPlaces,
    kept: Mask,
    first_rows: Int64s,
    end_rows: Int64s,
    base_offsets: Int64s,
    base_timestamps: Int64s,
    target: UInt8s,
    target_ends: Int64s,
) -> None:
    """Write the records of batches that are kept, side by side (`DefaultRecord.writeTo`).

    Args:
        source: bytes that hold the records.
        places: where they are.
        kept: which of them to write.
        first_rows: number of the first record of each batch.
        end_rows: number of the record after its last.
        base_offsets: of the new batches; no more than 2^31 - 1 below the offsets.
        base_timestamps: of the new batches.
        target: is written; has the room that `room_for` tells.
        target_ends: where the records of each batch end in `target`; is written.
    """
    at = 0
    for index in range(first_rows.size):
        for row in range(first_rows[index], end_rows[index]):
            if kept[row]:
                timestamp_delta = places.timestamps[row] - base_timestamps[index]
                offset_delta = places.offsets[row] - base_offsets[index]
                copied = np.int64(places.ends[row]) - np.int64(places.bodies[row])
                size = 1 + _size_of(timestamp_delta) + _size_of(offset_delta) + copied
                at = _put_number(target, at, size)
                put(target, at, 0)
                at = _put_number(target, at + 1, timestamp_delta)
                at = _put_number(target, at, offset_delta)
                copy_exact(target, at, source, np.int64(places.bodies[row]), copied)
                at += copied
        target_ends[index] = at


@part
def _size_of(number: Any) -> Any:
    size, left = 1, np.uint64((number << 1) ^ (number >> 63)) >> np.uint64(7)
    while left != 0:
        size += 1
        left >>= np.uint64(7)
    return size


@part
def _put_number(target: UInt8s, at: Any, number: Any) -> Any:
    """Write a signed number of seven bits a byte; returns where it ends."""
    left = np.uint64((number << 1) ^ (number >> 63))
    while left > np.uint64(0x7F):
        put(target, at, np.uint8((left & np.uint64(0x7F)) | np.uint64(0x80)))
        at += 1
        left >>= np.uint64(7)
    put(target, at, np.uint8(left))
    return at + 1
