"""Rows of Arrow as records of format 2: where a producer would cut them into batches, and their bytes, by kernels.

What `writing.BatchBuilder` makes of the same rows one by one. One kernel measures and cuts, another writes into an
array that is exactly as large. None compresses: records are compressed between two kernels.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.columnar.access import UInt8s, byte_at, copy_exact, little_endian_uint32, put
from kafkafmt.columnar.compiling import kernel, part
from kafkafmt.columnar.crc import crc32c
from kafkafmt.columnar.headers import STORED, Headers
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD, RECORD_BATCH_OVERHEAD, crc_span

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

_FACTOR = np.float32(1.05)
_CRC_AT, _CRC_INPUT = crc_span(CURRENT_MAGIC)


class Texts(NamedTuple):
    """A binary or string array: text `i` is `data[offsets[i]:offsets[i + 1]]`, or null where `is_null[i]` is 1."""

    offsets: Int32s
    data: UInt8s
    is_null: UInt8s


class Rows(NamedTuple):
    """Records of one partition, in order.

    Attributes:
        offsets: shape (n,), rising.
        timestamps: shape (n,), ms since the epoch, -1 for none.
        keys: n texts.
        values: n texts.
        header_begins: shape (n + 1,): headers `header_begins[i]` up to `header_begins[i + 1]` are those of row `i`.
        header_keys: texts of all headers.
        header_values: likewise.
    """

    offsets: Int64s
    timestamps: Int64s
    keys: Texts
    values: Texts
    header_begins: Int32s
    header_keys: Texts
    header_values: Texts


def rows_of(
    offsets: Int64s, timestamps: Int64s, keys: pa.BinaryArray, values: pa.BinaryArray, headers: pa.ListArray
) -> Rows:
    """Take the buffers of Arrow's arrays, whose types are binary, binary and a list of structs of string and binary."""
    if headers.null_count == len(headers):
        none = Texts(*(_read_only(np.zeros(1, kind)) for kind in (np.int32, np.uint8, np.uint8)))
        begins = _read_only(np.zeros(len(offsets) + 1, np.int32))
        return Rows(_int64s(offsets), _int64s(timestamps), _texts(keys), _texts(values), begins, none, none)
    structs = headers.values
    begins = _numbers(headers.buffers()[1], np.int32)[headers.offset : headers.offset + len(headers) + 1]
    if headers.null_count:
        # A null list may still span elements.
        sizes = np.where(headers.is_null().to_numpy(zero_copy_only=False), 0, np.diff(begins))
        if int(sizes.sum()) != int(begins[-1] - begins[0]):
            headers = headers.fill_null([])
            return rows_of(offsets, timestamps, keys, values, headers)
    names, contents = (structs.field(number) for number in range(2))
    return Rows(
        _int64s(offsets),
        _int64s(timestamps),
        _texts(keys),
        _texts(values),
        begins,
        _texts(names),
        _texts(contents),
    )


def cut(
    rows: Rows, breaks: npt.NDArray[np.bool_], size_limit: int, header_size: int, ratio: float | None
) -> tuple[Int64s, Int64s]:
    """Measure records and find where batches begin, as `MemoryRecordsBuilder.hasRoomFor` lets a producer cut them.

    Args:
        rows: the records.
        breaks: shape (n,): where a batch must begin.
        size_limit: most bytes of a batch by estimate; one record is always taken.
        header_size: bytes of a batch in front of its records.
        ratio: estimate of the compression; None if there is none.

    Returns:
        The row that each batch begins with; and the size of each record, shape (n,).
    """
    count = len(rows.offsets)
    begins, sizes = np.empty(count, np.int64), np.empty(count, np.int64)
    scale = np.float32(1.0 if ratio is None else ratio)
    forced = _read_only(np.ascontiguousarray(breaks, np.uint8))
    found = _cut(rows, forced, size_limit, header_size, scale, ratio is not None, begins, sizes)
    return begins[:found], sizes


def encode(rows: Rows, begins: Int64s, sizes: Int64s, headers: Headers) -> UInt8s:
    """Write whole batches without compression.

    Args:
        rows: the records.
        begins: the row that each batch begins with; the records in front of the first one are left out.
        sizes: size of each record.
        headers: of type `STORED`, shape (batches,); sizes and CRCs are computed.
    """
    lengths = np.add.reduceat(sizes, begins)
    headers["size"] = lengths + (RECORD_BATCH_OVERHEAD - LOG_OVERHEAD)
    target, starts = _room(lengths + RECORD_BATCH_OVERHEAD)
    _encode(rows, begins, sizes, starts, _bytes(headers), target)
    return target


def encode_records(rows: Rows, begins: Int64s, sizes: Int64s) -> tuple[UInt8s, Int64s]:
    """Write the records of batches, without headers.

    Args:
        rows: the records.
        begins: the row that each batch begins with.
        sizes: size of each record.

    Returns:
        The bytes, and where those of each batch begin, with one more for the end: shape (batches + 1,).
    """
    target, starts = _room(np.add.reduceat(sizes, begins))
    _encode(rows, begins, sizes, starts, _bytes(np.empty(0, STORED)), target)
    return target, starts


def _room(lengths: Int64s) -> tuple[UInt8s, Int64s]:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return np.empty(int(starts[-1]), np.uint8), starts


def close(stored: Sequence[bytes], headers: Headers) -> UInt8s:
    """Put headers in front of the compressed records of batches.

    Args:
        stored: records of each batch, as they are stored.
        headers: as of `encode`.
    """
    lengths = np.fromiter(map(len, stored), np.int64, len(stored))
    headers["size"] = lengths + (RECORD_BATCH_OVERHEAD - LOG_OVERHEAD)
    gap = bytes(RECORD_BATCH_OVERHEAD)
    target = np.frombuffer(bytearray().join(part for each in stored for part in (gap, each)), np.uint8)
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths + RECORD_BATCH_OVERHEAD, out=starts[1:])
    _close(target, starts, _bytes(headers))
    return target


def _bytes(headers: Headers) -> UInt8s:
    return _read_only(headers.view(np.uint8))


def partitions_of_keys(keys: pa.BinaryArray, partitions: int) -> npt.NDArray[np.int32]:
    """Compute the partition of each key, as `writing.partitioner.partition_for_key` does; 0 for a null."""
    found = np.empty(len(keys), np.int32)
    _partition(_texts(keys), partitions, found)
    return found


def _int64s(array: Int64s) -> Int64s:
    return _read_only(np.ascontiguousarray(array, np.int64))


def _texts(array: pa.Array) -> Texts:
    _, offsets, data = array.buffers()
    nulls = array.is_null().cast(pa.uint8()).to_numpy() if array.null_count else np.zeros(len(array), np.uint8)
    return Texts(
        _numbers(offsets, np.int32)[array.offset : array.offset + len(array) + 1],
        _numbers(data, np.uint8),
        _read_only(nulls),
    )


def _numbers(buffer: pa.Buffer | None, kind: type) -> npt.NDArray:  # type: ignore[type-arg]
    if buffer is None or not buffer.size:
        return _read_only(np.zeros(1, kind))
    return _read_only(np.frombuffer(buffer, kind, buffer.size // np.dtype(kind).itemsize))


def _read_only(array: npt.NDArray) -> npt.NDArray:  # type: ignore[type-arg]
    view = array.view()
    view.flags.writeable = False
    return view


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
def _cut(
    rows: Rows,
    breaks: UInt8s,
    limit: Any,
    header_size: Any,
    ratio: Any,
    is_compressed: bool,
    begins: Int64s,
    sizes: Int64s,
) -> Any:
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
def _close(target: UInt8s, starts: Int64s, headers: UInt8s) -> None:
    for batch in range(starts.size - 1):
        _put_header(target, starts[batch], starts[batch + 1], headers, batch)


@kernel
def _encode(rows: Rows, begins: Int64s, sizes: Int64s, starts: Int64s, headers: UInt8s, target: UInt8s) -> None:
    gap = RECORD_BATCH_OVERHEAD if headers.size else 0
    for batch in range(begins.size):
        first = begins[batch]
        end = begins[batch + 1] if batch + 1 < begins.size else sizes.size
        base, base_timestamp = rows.offsets[first], rows.timestamps[first]
        at = starts[batch] + gap
        for row in range(first, end):
            offset_delta, timestamp_delta = rows.offsets[row] - base, rows.timestamps[row] - base_timestamp
            # The size of the record less that of its own length.
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
        # While the batch is in the processor's cache.
        if headers.size:
            _put_header(target, starts[batch], at, headers, batch)


@part
def _times(number: Any) -> Any:
    """Multiply by murmur2's factor, in 32 bits."""
    return (number * np.uint64(0x5BD1E995)) & np.uint64(0xFFFFFFFF)


@kernel
def _partition(keys: Texts, partitions: int, found: Int32s) -> None:
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
