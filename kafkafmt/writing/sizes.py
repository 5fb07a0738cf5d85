"""Sizes in bytes as Kafka's builders compute them before anything is written.

From `DefaultRecord`, `LegacyRecord`, `AbstractRecords` and `MemoryRecordsBuilder`. What a producer puts into one batch
depends on these numbers, not on what the batch takes in the end.
"""

from collections.abc import Sequence

import numpy as np

from kafkafmt.reference.header import to_int32, to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD, RECORD_BATCH_OVERHEAD, RECORD_OVERHEAD_V0
from kafkafmt.reference.record import Header

# `DefaultRecord.MAX_RECORD_OVERHEAD`: length, attributes, deltas of timestamp and offset, each as long as it can be.
_MAX_RECORD_OVERHEAD = 21
_TIMESTAMP = 8
_FACTOR = np.float32(1.05)


def zigzag(number: int) -> int:
    """Map a signed number to one from 0 on, small for small ones, as varints hold it."""
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
    """Size of a record of format 2, its length included (`DefaultRecord.sizeInBytes`)."""
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
    """Size of what is in front of the records (`AbstractRecords.recordBatchHeaderSizeInBytes`)."""
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
    """Estimate of a compressed batch (`MemoryRecordsBuilder.estimatedBytesWritten`), in 32-bit floats as in Java.

    Args:
        header: size in front of the records, which is not scaled.
        uncompressed: size of the records.
        ratio: of the compressed size to that.
    """
    return header + int(np.float32(uncompressed) * np.float32(ratio) * _FACTOR)


def _field_size(content: bytes | None) -> int:
    return 1 if content is None else varint_size(len(content)) + len(content)
