"""The walk over the records of many batches of format v2: stored bytes in, columns out (`formats/kafka_record.ksy`).

`walk_records` is all that another engine would have to replace: it takes bytes, bounds and headers of batches, and
fills buffers. It takes whole batches of sound records and stops before the first unusual one, for which the reference
engine then names the error. Reads stay within the source's arrays whatever its bytes are: a varint is read without
checking where its record ends, which the `SLACK` bytes after every batch allow, and an overread is noticed when the
next length is compared, or at the latest when the record does not end where it must. Writes stay within the columns,
because these have space for everything that the bytes of a batch can hold; declared counts are not trusted.
"""

from typing import Any

import numpy as np

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Headers, UInt8s
from kafkafmt.columnar.kernels.access import clear_bit, copy, length, put, varint, varlong
from kafkafmt.columnar.kernels.column_space import fill_nulls, has_room, header_room_of
from kafkafmt.columnar.kernels.compiling import kernel, part
from kafkafmt.columnar.kernels.needles import is_kept
from kafkafmt.columnar.outputs import (
    HEADER_KEY_BYTES,
    HEADER_ROWS,
    HEADER_VALUE_BYTES,
    HEADERS,
    KEY_BYTES,
    KEY_ROWS,
    NO_HEADERS,
    NULL_HEADER_VALUE,
    NULL_KEY,
    NULL_VALUE,
    NULLS,
    ROWS,
    VALUE_BYTES,
    Columns,
    Strings,
)
from kafkafmt.columnar.row_filter import Kept
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.reference.layout import LOG_APPEND_TIME
from kafkafmt.reference.parsers import SMALLEST_HEADER
from kafkafmt.reference.record_batch import SMALLEST_RECORD

_ALL_SOUND = -1


@kernel
def walk_records(
    source: UInt8s,
    starts: Int64s,
    ends: Int64s,
    headers: Headers,
    positions: Int64s,
    kept: Kept,
    max_headers: int,
    columns: Columns,
    totals: Int64s,
    rows_after: Int64s,
) -> int:
    """Fill columns with the records of batches.

    Args:
        source: bytes of the records of all batches, decompressed.
        starts: start of each batch's records in `source`.
        ends: end of each batch's records; `SLACK` bytes of any content must follow.
        headers: headers of these batches.
        positions: positions of the batches in the file.
        kept: selects the records that become rows.
        max_headers: maximal number of headers of a record.
        columns: arrays with space for everything that the batches can hold.
        totals: filled sizes of the columns, in the order of `Totals`; are updated.
        rows_after: number of rows after each batch; is written. For the first batch not taken, it is the number of
            sound records before the error.

    Returns:
        Number of batches taken.
    """
    return _walk(source, starts, ends, headers, positions, kept, max_headers, columns, totals, rows_after, whole=False)


@kernel
def walk_whole_records(
    source: UInt8s,
    starts: Int64s,
    ends: Int64s,
    headers: Headers,
    positions: Int64s,
    kept: Kept,
    max_headers: int,
    columns: Columns,
    totals: Int64s,
    rows_after: Int64s,
) -> int:
    """Do the same as `walk_records`, if all records become rows, and key, value, offset and timestamp are columns."""
    return _walk(source, starts, ends, headers, positions, kept, max_headers, columns, totals, rows_after, whole=True)


@kernel
def record_at(source: UInt8s, start: int, number: int) -> int:
    """Find the start of a record, by the sizes of the sound records before it.

    Args:
        source: bytes of the records, decompressed.
        start: start of the first record in `source`.
        number: number of records to skip.
    """
    at = start
    for _ in range(number):
        size, at = length(source, at)
        at += size
    return at


@part
def _walk(
    source: UInt8s,
    starts: Int64s,
    ends: Int64s,
    headers: Headers,
    positions: Int64s,
    kept: Kept,
    max_headers: int,
    columns: Columns,
    totals: Int64s,
    rows_after: Int64s,
    whole: bool,
) -> int:
    taken = starts.size
    row = totals[ROWS]
    for index in range(starts.size):
        header = headers[index]
        start, end = starts[index], ends[index]
        sound = 0
        if has_room(columns, totals, header.num_records, end - start):
            sound = _walk_batch(source, start, end, header, kept, max_headers, columns, totals, whole)
        if sound != _ALL_SOUND:
            taken = index
            rows_after[index] = sound
            break
        if columns.base_offset.size > 0:
            columns.base_offset[row : totals[ROWS]] = header.base_offset
        if columns.position.size > 0:
            columns.position[row : totals[ROWS]] = positions[index]
        row = totals[ROWS]
        rows_after[index] = row
    if columns.key.offsets.size > 0 and totals[KEY_ROWS] > 0:
        totals[NULLS] |= fill_nulls(columns.key.offsets, columns.key.bits, totals[KEY_ROWS], row, NULL_KEY)
    if columns.headers.offsets.size > 0 and totals[HEADER_ROWS] > 0:
        begin = totals[HEADER_ROWS]
        totals[NULLS] |= fill_nulls(columns.headers.offsets, columns.headers.bits, begin, row, NO_HEADERS)
    return taken


@part
def _walk_batch(
    source: UInt8s,
    at: int,
    end: int,
    header: Any,
    kept: Kept,
    max_headers: int,
    columns: Columns,
    totals: Int64s,
    whole: bool,
) -> int:
    """Walk over the records of one batch; totals are updated only if all records are sound.

    If `whole` is known to be true, the loop has no tests for selection.

    Returns:
        `_ALL_SOUND`, or the number of sound records before the first unsound one or before extra bytes at the end.
    """
    # One loop, as a separate function to write columns would take and return all their counts for every record.
    count: int = header.num_records
    if at < 0 or at > end or end + SLACK > source.size or count < 0 or count > (end - at) // SMALLEST_RECORD:
        return 0
    base_offset: int = header.base_offset
    # Each timestamp is the base plus the delta, or with LogAppendTime the maximum plus nothing.
    append_time = header.attributes & LOG_APPEND_TIME != 0
    base_timestamp: int = header.max_timestamp if append_time else header.base_timestamp
    delta_mask = 0 if append_time else -1
    base_sequence: int = header.base_sequence
    with_offset = whole or columns.offset.size > 0
    with_timestamp = whole or columns.timestamp.size > 0
    with_sequence = columns.sequence.size > 0
    with_key = whole or columns.key.offsets.size > 0
    with_value = whole or columns.value.offsets.size > 0
    with_headers = columns.headers.offsets.size > 0
    filtered = not (whole or kept.all)
    row, key_rows = totals[ROWS], totals[KEY_ROWS]
    key_bytes, value_bytes = totals[KEY_BYTES], totals[VALUE_BYTES]
    header_rows, total_headers = totals[HEADER_ROWS], totals[HEADERS]
    header_bytes = (totals[HEADER_KEY_BYTES], totals[HEADER_VALUE_BYTES])
    header_room = header_room_of(columns)
    nulls = totals[NULLS]
    for number in range(count):
        size, at = length(source, at)
        if size < SMALLEST_RECORD - 1 or size > end - at:
            return number
        record_end = at + size
        timestamp_delta, at = varlong(source, at + 1)
        offset_delta, at = varint(source, at)
        offset = base_offset + offset_delta
        timestamp = base_timestamp + (timestamp_delta & delta_mask)
        key_size, at = length(source, at)
        key_at = at
        if key_size >= 0:
            if key_size > record_end - at:
                return number
            at += key_size
        value_size, at = length(source, at)
        value_at = at
        if value_size >= 0:
            if value_size > record_end - at:
                return number
            at += value_size
        num_headers, at = length(source, at)
        is_row = True
        if filtered:
            is_row = is_kept(source, kept, offset, timestamp, key_at, key_size, record_end)
        if num_headers != 0:
            if num_headers < 0 or num_headers > max_headers or num_headers > (record_end - at) // SMALLEST_HEADER:
                return number
            if with_headers and is_row:
                if num_headers > header_room - total_headers:
                    return number
                if header_rows < row:
                    nulls |= fill_nulls(columns.headers.offsets, columns.headers.bits, header_rows, row, NO_HEADERS)
                at, header_bytes, null_values = _write_headers(
                    source,
                    at,
                    record_end,
                    num_headers,
                    columns.header_key,
                    columns.header_value,
                    total_headers,
                    header_bytes,
                )
                nulls |= null_values
                total_headers += num_headers
                put(columns.headers.offsets, row + 1, total_headers)
                header_rows = row + 1
            else:
                at = _pass_headers(source, at, record_end, num_headers)
        # Arithmetic, so that the next record's address depends on this one's size, and not on all of its fields.
        if at ^ record_end != 0:
            return number
        at = record_end
        if not is_row:
            continue
        if with_key and key_size >= 0:
            if key_rows < row:
                nulls |= fill_nulls(columns.key.offsets, columns.key.bits, key_rows, row, NULL_KEY)
            copy(columns.key.data, key_bytes, source, key_at, key_size)
            key_bytes += key_size
            put(columns.key.offsets, row + 1, key_bytes)
            key_rows = row + 1
        if with_value:
            if value_size >= 0:
                copy(columns.value.data, value_bytes, source, value_at, value_size)
                value_bytes += value_size
            else:
                clear_bit(columns.value.bits, row)
                nulls |= NULL_VALUE
            put(columns.value.offsets, row + 1, value_bytes)
        if with_offset:
            put(columns.offset, row, offset)
        if with_timestamp:
            put(columns.timestamp, row, timestamp)
        if with_sequence:
            put(columns.sequence, row, _sequence(base_sequence, offset_delta))
        row += 1
    if at != end and count > 0:
        return count
    totals[ROWS], totals[KEY_ROWS] = row, key_rows
    totals[KEY_BYTES], totals[VALUE_BYTES] = key_bytes, value_bytes
    totals[HEADER_ROWS], totals[HEADERS] = header_rows, total_headers
    totals[HEADER_KEY_BYTES], totals[HEADER_VALUE_BYTES] = header_bytes
    totals[NULLS] = nulls
    return _ALL_SOUND


@part
def _write_headers(
    source: UInt8s,
    at: int,
    end: int,
    count: int,
    keys: Strings,
    values: Strings,
    row: int,
    used: tuple[int, int],
) -> tuple[int, tuple[int, int], int]:
    """Copy the headers of one record (`formats/kafka_header.ksy`).

    Returns:
        End of the headers, -1 if one of them is broken; the number of bytes of keys and values so far; and whether any
        value is null.
    """
    key_bytes, value_bytes = used
    nulls = 0
    for _ in range(count):
        if row & 7 == 0:
            put(values.bits, row >> 3, 0xFF)
        size, at = length(source, at)
        if size < 0 or size > end - at:
            return -1, used, 0
        copy(keys.data, key_bytes, source, at, size)
        at += size
        key_bytes += size
        size, at = length(source, at)
        if size > end - at:
            return -1, used, 0
        if size >= 0:
            copy(values.data, value_bytes, source, at, size)
            at += size
            value_bytes += size
        else:
            clear_bit(values.bits, row)
            nulls = NULL_HEADER_VALUE
        row += 1
        put(keys.offsets, row, key_bytes)
        put(values.offsets, row, value_bytes)
    return at, (key_bytes, value_bytes), nulls


@part
def _pass_headers(source: UInt8s, at: int, end: int, count: int) -> int:
    """Skip the headers of one record; return where they end, -1 if one of them is broken."""
    for _ in range(count):
        size, at = length(source, at)
        if size < 0 or size > end - at:
            return -1
        size, at = length(source, at + size)
        if size > end - at:
            return -1
        if size >= 0:
            at += size
    return at


@part
def _sequence(base: int, delta: int) -> int:
    """Sequence number of a record, which wraps from the highest int32 to 0; -1 if its batch has none."""
    if base < 0:
        return -1
    if base > np.int64(np.int32(INT32_MAX - delta)):
        return np.int64(np.int32(base + delta - INT32_MAX - 1))  # type: ignore[return-value]
    return np.int64(np.int32(base + delta))  # type: ignore[return-value]
