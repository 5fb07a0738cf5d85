"""Finds the records of batches, and rewrites some of them (`columnar.rewriting`)."""

from typing import Any

import numpy as np

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Headers, Mask, UInt8s
from kafkafmt.columnar.kernels.access import copy_exact, length, put, varint, varlong
from kafkafmt.columnar.kernels.compiling import kernel, part
from kafkafmt.columnar.kernels.weighing import record_fields, timestamp_base
from kafkafmt.columnar.rewriting import RecordPlaces
from kafkafmt.reference.record_batch import SMALLEST_RECORD


@kernel
def find_records(
    source: UInt8s, starts: Int64s, ends: Int64s, headers: Headers, max_headers: int, places: RecordPlaces
) -> int:
    """Find the records of batches of format 2.

    Args:
        source: bytes of the records of all batches, decompressed; less than 2 GiB.
        starts: start of each batch's records in `source`.
        ends: end of each batch's records; `SLACK` bytes of any content must follow.
        headers: headers of these batches.
        max_headers: maximal number of headers of a record.
        places: output, with space for as many records as the headers declare; is written.

    Returns:
        Number of sound batches before the first unsound one.
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
    """Write the kept records of batches, side by side (`DefaultRecord.writeTo`).

    Args:
        source: bytes of the records.
        places: positions of the records.
        kept: records to write.
        first_rows: number of the first record of each batch.
        end_rows: number of the record after each batch's last.
        base_offsets: base offsets of the new batches; no more than 2^31 - 1 below the offsets.
        base_timestamps: base timestamps of the new batches.
        target: output, with the space that `room_for` computes; is written.
        target_ends: end of each batch's records in `target`; is written.
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
    """Write a signed number with seven bits per byte; return where it ends."""
    left = np.uint64((number << 1) ^ (number >> 63))
    while left > np.uint64(0x7F):
        put(target, at, np.uint8((left & np.uint64(0x7F)) | np.uint64(0x80)))
        at += 1
        left >>= np.uint64(7)
    put(target, at, np.uint8(left))
    return at + 1
