"""Rows of Arrow, written as records of format 2, and cut into batches (`columnar.encoder`)."""

from typing import Any

import numpy as np

from kafkafmt.columnar.encoder import Rows, Texts
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.access import byte_at, copy_exact, little_endian_uint32, put
from kafkafmt.columnar.kernels.compiling import kernel, part
from kafkafmt.columnar.kernels.crc import crc32c
from kafkafmt.columnar.offset_map import Int32s
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, RECORD_BATCH_OVERHEAD, crc_span

# COMPRESSION_RATE_ESTIMATION_FACTOR of Kafka's producer; a float as in Java, so that batches end where its batches end.
_FACTOR = np.float32(1.05)
_CRC_AT, _CRC_INPUT = crc_span(CURRENT_MAGIC)


@part
def _varint_size(number: Any) -> Any:
    left = np.uint64((number << 1) ^ (number >> 63))
    size = 1
    while left > 0x7F:
        left >>= np.uint64(7)
        size += 1
    return size


@part
def _put_varint(target: UInt8s, at: Any, number: Any) -> Any:
    left = np.uint64((number << 1) ^ (number >> 63))
    while left > 0x7F:
        put(target, at, np.uint8(left & np.uint64(0x7F)) | np.uint8(0x80))
        left >>= np.uint64(7)
        at += 1
    put(target, at, np.uint8(left))
    return at + 1


@part
def _text_size(texts: Texts, row: Any) -> Any:
    if texts.is_null[row]:
        return 1
    length = np.int64(texts.offsets[row + 1]) - np.int64(texts.offsets[row])
    return _varint_size(length) + length


@part
def _put_text(target: UInt8s, at: Any, texts: Texts, row: Any) -> Any:
    if texts.is_null[row]:
        put(target, at, np.uint8(1))
        return at + 1
    start = np.int64(texts.offsets[row])
    length = np.int64(texts.offsets[row + 1]) - start
    at = _put_varint(target, at, length)
    if length:
        copy_exact(target, at, texts.data, start, length)
    return at + length


@part
def _body_size(offset_delta: Any, timestamp_delta: Any, content: Any) -> Any:
    return 1 + _varint_size(offset_delta) + _varint_size(timestamp_delta) + content


@kernel
def cut_rows(
    rows: Rows,
    breaks: UInt8s,
    limit: Any,
    header_size: Any,
    ratio: Any,
    is_compressed: bool,
    begins: Int64s,
    sizes: Int64s,
) -> Any:
    """Measure records and find where batches begin, as in `encoder.cut`; return the number of batches.

    Args:
        rows: the records.
        breaks: nonzero where a batch must begin.
        limit: upper bound of a batch's estimated size in bytes.
        header_size: size of a batch header in bytes.
        ratio: estimated compression ratio, a float32.
        is_compressed: whether the ratio applies.
        begins: first row of each batch; is written.
        sizes: size of each record; is written.
    """
    found = 0
    base = base_timestamp = last = uncompressed = np.int64(0)
    for row in range(rows.offsets.size):
        begin, end = np.int64(rows.header_begins[row]), np.int64(rows.header_begins[row + 1])
        content = _text_size(rows.keys, row) + _text_size(rows.values, row) + _varint_size(end - begin)
        for header in range(begin, end):
            content += _text_size(rows.header_keys, header) + _text_size(rows.header_values, header)
        offset, timestamp = rows.offsets[row], rows.timestamps[row]
        opens = row == 0 or breaks[row] != 0 or offset - base > INT32_MAX
        if not opens:
            estimate = uncompressed
            if is_compressed:
                estimate = np.int64(np.float32(np.float32(np.float32(uncompressed) * ratio) * _FACTOR))
            estimate += header_size
            body = _body_size(last + 1 - base, timestamp - base_timestamp, content)
            opens = limit <= estimate or limit < estimate + body + _varint_size(body)
        if opens:
            begins[found] = row
            found += 1
            base, base_timestamp, uncompressed = offset, timestamp, np.int64(0)
        body = _body_size(offset - base, timestamp - base_timestamp, content)
        sizes[row] = body + _varint_size(body)
        uncompressed += sizes[row]
        last = offset
    return found


@part
def _put_header(target: UInt8s, start: Any, end: Any, headers: UInt8s, batch: Any) -> None:
    copy_exact(target, start, headers, batch * RECORD_BATCH_OVERHEAD, RECORD_BATCH_OVERHEAD)
    crc = crc32c(target, start + _CRC_INPUT, end)
    for byte in range(4):
        put(target, start + _CRC_AT + byte, np.uint8(crc >> (24 - 8 * byte) & 0xFF))


@kernel
def close_batches(target: UInt8s, starts: Int64s, headers: UInt8s) -> None:
    """Put headers before the stored records of batches, which begin and end in `target` at `starts`."""
    for batch in range(starts.size - 1):
        _put_header(target, starts[batch], starts[batch + 1], headers, batch)


@kernel
def encode_rows(rows: Rows, begins: Int64s, sizes: Int64s, starts: Int64s, headers: UInt8s, target: UInt8s) -> None:
    """Write the records of batches, with their headers if there are any.

    Args:
        rows: the records.
        begins: first row of each batch.
        sizes: size of each record.
        starts: start of each batch in `target`.
        headers: headers as stored, with sizes; CRCs are computed. Empty for records alone.
        target: output, of exactly the size needed; is written.
    """
    gap = RECORD_BATCH_OVERHEAD if headers.size else 0
    for batch in range(begins.size):
        first = begins[batch]
        end = begins[batch + 1] if batch + 1 < begins.size else sizes.size
        base, base_timestamp = rows.offsets[first], rows.timestamps[first]
        at = starts[batch] + gap
        for row in range(first, end):
            offset_delta, timestamp_delta = rows.offsets[row] - base, rows.timestamps[row] - base_timestamp
            # The size of the record without its length field.
            body = sizes[row] - 1
            while body + _varint_size(body) != sizes[row]:
                body -= 1
            at = _put_varint(target, at, body)
            put(target, at, np.uint8(0))
            at = _put_varint(target, at + 1, timestamp_delta)
            at = _put_varint(target, at, offset_delta)
            at = _put_text(target, at, rows.keys, row)
            at = _put_text(target, at, rows.values, row)
            header, last = np.int64(rows.header_begins[row]), np.int64(rows.header_begins[row + 1])
            at = _put_varint(target, at, last - header)
            for number in range(header, last):
                at = _put_text(target, at, rows.header_keys, number)
                at = _put_text(target, at, rows.header_values, number)
        # Now, while the batch is in the processor's cache.
        if headers.size:
            _put_header(target, starts[batch], at, headers, batch)


@part
def _times(number: Any) -> Any:
    """Multiply by murmur2's factor, in 32 bits."""
    return (number * np.uint64(0x5BD1E995)) & np.uint64(0xFFFFFFFF)


@kernel
def partition_keys(keys: Texts, partitions: int, found: Int32s) -> None:
    """Compute the partition of each key by murmur2, as in `writing.partitioner`; 0 for null."""
    for row in range(found.size):
        found[row] = 0
        if keys.is_null[row]:
            continue
        at: Any = np.int64(keys.offsets[row])
        length = np.int64(keys.offsets[row + 1]) - at
        hashed = np.uint64(0x9747B28C) ^ np.uint64(length)
        for _ in range(length >> 2):
            word = _times(np.uint64(little_endian_uint32(keys.data, at)))
            hashed = _times(hashed) ^ _times(word ^ (word >> np.uint64(24)))
            at += 4
        if length & 3:
            for index in range(length & 3):
                hashed ^= np.uint64(byte_at(keys.data, at + index)) << np.uint64(8 * index)
            hashed = _times(hashed)
        hashed = _times(hashed ^ (hashed >> np.uint64(13)))
        hashed ^= hashed >> np.uint64(15)
        found[row] = np.int64(hashed & np.uint64(0x7FFFFFFF)) % partitions
