"""Records, messages and batch headers as Kafka's builders make them: their sizes, computed in advance, and their bytes.

A producer fills a batch by the sizes that `DefaultRecord`, `LegacyRecord`, `AbstractRecords` and `MemoryRecordsBuilder`
estimate, not by its final size.

The bytes match the specs of `kafka_record_batch` and `kafka_message`. They are written by hand because a batch of a
thousand records is made at once; tests read all bytes back through the specs.
"""

import struct
from collections.abc import Sequence
from typing import TypedDict, Unpack

import numpy as np

from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.reference.header import to_int32, to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD, RECORD_BATCH_OVERHEAD, RECORD_OVERHEAD_V0
from kafkafmt.reference.record import Header

"""Bits of a batch's attributes, above those of the codec (`DefaultRecordBatch`)."""

_BATCH_START = struct.Struct(">qiib")
_CRC = struct.Struct(">I")
_BATCH_REST = struct.Struct(">hiqqqhii")
_MESSAGE_START = struct.Struct(">qi")
_MESSAGE_V0 = struct.Struct(">bb")
_MESSAGE_V1 = struct.Struct(">bbq")
_LENGTH = struct.Struct(">i")

# `DefaultRecord.MAX_RECORD_OVERHEAD`: length, attributes, deltas of timestamp and offset, each of maximal length.
_MAX_RECORD_OVERHEAD = 21
_TIMESTAMP = 8
# COMPRESSION_RATE_ESTIMATION_FACTOR of Kafka's producer: batches end where its batches end, so it is a float as in
# Java.
_FACTOR = np.float32(1.05)


def zigzag(number: int) -> int:
    """Map a signed number to a number from 0 on, small for small absolute values, as varints store it."""
    return number << 1 if number >= 0 else (-number << 1) - 1


def varint_size(number: int) -> int:
    """Size of a signed number as a varint."""
    return ((zigzag(number) | 1).bit_length() + 6) // 7


def content_size(key: bytes | None, value: bytes | None, headers: Sequence[Header]) -> int:
    """Size of key, value and headers in a record of format 2, with their lengths (`DefaultRecord.sizeOf`)."""
    size = _field_size(key) + _field_size(value) + varint_size(len(headers))
    for name, content in headers:
        size += _field_size(name.encode("utf-8", "surrogatepass")) + _field_size(content)
    return size


def record_size(
    offset_delta: int, timestamp_delta: int, key: bytes | None, value: bytes | None, headers: Sequence[Header]
) -> int:
    """Size of a record of format 2, including its length field (`DefaultRecord.sizeInBytes`)."""
    body = (
        1
        + varint_size(to_int32(offset_delta))
        + varint_size(to_int64(timestamp_delta))
        + content_size(key, value, headers)
    )
    return body + varint_size(body)


def message_size(magic: int, key: bytes | None, value: bytes | None) -> int:
    """Size of a message of format 0 or 1, with its offset and size (`LegacyRecord.recordSize`)."""
    return LOG_OVERHEAD + message_overhead(magic) + len(key or b"") + len(value or b"")


def message_overhead(magic: int) -> int:
    """Size of a message of format 0 or 1 with neither key nor value, without offset and size."""
    return RECORD_OVERHEAD_V0 + (_TIMESTAMP if magic else 0)


def header_size(magic: int, *, is_compressed: bool) -> int:
    """Size of the header before the records (`AbstractRecords.recordBatchHeaderSizeInBytes`)."""
    if magic >= CURRENT_MAGIC:
        return RECORD_BATCH_OVERHEAD
    return LOG_OVERHEAD + message_overhead(magic) if is_compressed else 0


def upper_bound(
    magic: int, key: bytes | None, value: bytes | None, headers: Sequence[Header], *, is_compressed: bool
) -> int:
    """Size that a batch of this record alone cannot exceed (`AbstractRecords.estimateSizeInBytesUpperBound`)."""
    if magic >= CURRENT_MAGIC:
        return RECORD_BATCH_OVERHEAD + _MAX_RECORD_OVERHEAD + content_size(key, value, headers)
    return header_size(magic, is_compressed=is_compressed) + message_size(magic, key, value)


def estimate(header: int, uncompressed: int, ratio: float) -> int:
    """Estimated size of a compressed batch (`MemoryRecordsBuilder.estimatedBytesWritten`), in 32-bit floats as in Java.

    Args:
        header: size before the records, which is not scaled.
        uncompressed: size of the records.
        ratio: ratio of compressed to uncompressed size.
    """
    return header + int(np.float32(uncompressed) * np.float32(ratio) * _FACTOR)


def _field_size(content: bytes | None) -> int:
    return 1 if content is None else varint_size(len(content)) + len(content)


def append_record(
    target: bytearray,
    offset_delta: int,
    timestamp_delta: int,
    key: bytes | None,
    value: bytes | None,
    headers: Sequence[Header],
) -> int:
    """Append a record of format 2 (`DefaultRecord.writeTo`).

    Args:
        target: buffer to append to.
        offset_delta: offset minus the batch's base offset.
        timestamp_delta: timestamp minus the batch's base timestamp, ms; wraps in 64 bits.
        key: bytes, or None.
        value: bytes, or None.
        headers: (name, value) pairs.

    Returns:
        The size of the record, including its length field.
    """
    body = bytearray(1)
    _append_varint(body, to_int64(timestamp_delta))
    _append_varint(body, to_int32(offset_delta))
    _append_field(body, key)
    _append_field(body, value)
    _append_varint(body, len(headers))
    for name, content in headers:
        _append_field(body, name.encode("utf-8", "surrogatepass"))
        _append_field(body, content)
    before = len(target)
    _append_varint(target, len(body))
    target += body
    return len(target) - before


class ProducerFields(TypedDict):
    """Fields of a batch header that depend on its producer."""

    attributes: int
    producer_id: int
    producer_epoch: int
    base_sequence: int


def batch_header(
    *,
    base_offset: int,
    partition_leader_epoch: int,
    last_offset_delta: int,
    base_timestamp: int,
    max_timestamp: int,
    count: int,
    records: bytes | memoryview,
    **producer: Unpack[ProducerFields],
) -> bytes:
    """Make the header of a batch of format 2 (`DefaultRecordBatch.writeHeader`), for its records as they are stored."""
    rest = _BATCH_REST.pack(
        producer["attributes"],
        last_offset_delta,
        base_timestamp,
        max_timestamp,
        producer["producer_id"],
        producer["producer_epoch"],
        producer["base_sequence"],
        count,
    )
    size = RECORD_BATCH_OVERHEAD + len(records)
    start = _BATCH_START.pack(base_offset, size - LOG_OVERHEAD, partition_leader_epoch, CURRENT_MAGIC)
    return b"".join((start, _CRC.pack(crc32c(records, crc32c(rest))), rest))


def message(
    magic: int,
    offset: int,
    attributes: int,
    timestamp: int,
    key: bytes | None,
    value: bytes | None,
) -> bytes:
    """Make a message or wrapper of format 0 or 1 (`LegacyRecord.write`).

    Args:
        magic: 0 or 1.
        offset: offset as stored: within a wrapper of format 1 relative to the wrapper.
        attributes: codec and timestamp type.
        timestamp: ms; format 0 has none.
        key: bytes, or None.
        value: bytes, or None; for a wrapper the compressed messages.
    """
    fixed = _MESSAGE_V1.pack(magic, attributes, timestamp) if magic else _MESSAGE_V0.pack(magic, attributes)
    body = b"".join((fixed, _int32_field(key), _int32_field(value)))
    size = message_overhead(magic) + len(key or b"") + len(value or b"")
    return b"".join((_MESSAGE_START.pack(offset, size), _CRC.pack(crc32(body)), body))


def _append_varint(target: bytearray, number: int) -> None:
    left = zigzag(number)
    while left > 0x7F:
        target.append(left & 0x7F | 0x80)
        left >>= 7
    target.append(left)


def _append_field(target: bytearray, content: bytes | None) -> None:
    if content is None:
        target.append(1)
    else:
        _append_varint(target, len(content))
        target += content


def _int32_field(content: bytes | None) -> bytes:
    return _LENGTH.pack(-1) if content is None else _LENGTH.pack(len(content)) + content
