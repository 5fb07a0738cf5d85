"""BatchHeader: the fields of an entry that are known before its records are read."""

from dataclasses import dataclass, field

from kafkafmt.errors import KafkafmtError

INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)
INT32_RANGE = range(INT32_MIN, INT32_MAX + 1)
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)

NO_TIMESTAMP_TYPE = "NoTimestampType"
CREATE_TIME = "CreateTime"
LOG_APPEND_TIME = "LogAppendTime"

TIMESTAMP_TYPE_IDS = {NO_TIMESTAMP_TYPE: -1, CREATE_TIME: 0, LOG_APPEND_TIME: 1}
"""Kafka's numbers for the names of `TimestampType`, as in the column `timestampType`."""


@dataclass(slots=True)
class BatchHeader:
    """One entry of a segment: a v2 record batch, or a v0 or v1 message or wrapper.

    Fields are named as in Kafka's `RecordBatch`. Times are in ms since the epoch, sizes and positions in bytes. A field
    that the entry's format does not have is -1 (None for `base_timestamp`); a field that a broken entry does not show
    is None.

    Attributes:
        file: name of the file in the `file` column, or None for bytes without a name.
        position: position of the entry in the file.
        size_in_bytes: size of the whole entry.
        base_offset: base offset of a v2 batch; offset of a message; first inner offset of a wrapper, which is known
            only after decompression (None before).
        magic: message format (0, 1, 2; a signed byte).
        last_offset: highest offset of the entry; compaction may have removed the record with that offset.
        crc: CRC as stored; CRC-32 in v0 and v1, CRC-32C in v2.
        is_valid: whether the entry has a known format and a valid CRC; None if that was not checked.
        compression: name of the codec as in `LABELS` ("none", "gzip" ...), or None for an id that Kafka does not know.
        timestamp_type: "NoTimestampType" (v0), "CreateTime" or "LogAppendTime".
        max_timestamp: largest timestamp of the entry as stored, -1 for none. In v1, that of the message or wrapper.
        base_timestamp: only in v2: the base of the record timestamps; with a delete horizon, that horizon (KIP-534).
        partition_leader_epoch: epoch of the leader that wrote the batch; no CRC covers it.
        producer_id: id of an idempotent or transactional producer, else -1.
        producer_epoch: epoch of that producer, else -1.
        base_sequence: sequence number of the first record that the producer put there, else -1.
        last_sequence: `base_sequence` plus the last offset delta, wrapping from 2147483647 to 0.
        is_transactional: whether the batch is part of a transaction.
        is_control_batch: whether its records are markers for Kafka itself.
        delete_horizon_ms: time after which compaction may drop the batch's tombstones or marker, or None.
        count: number of records; None for a wrapper that was not decompressed.
        error: why `is_valid` is False, or another reason why the entry's records cannot be read; None if there is none.
    """

    file: str | None
    position: int
    size_in_bytes: int
    base_offset: int | None
    magic: int
    last_offset: int | None = None
    crc: int | None = None
    is_valid: bool | None = None
    compression: str | None = None
    timestamp_type: str | None = None
    max_timestamp: int | None = None
    base_timestamp: int | None = None
    partition_leader_epoch: int = -1
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    last_sequence: int = -1
    is_transactional: bool = False
    is_control_batch: bool = False
    delete_horizon_ms: int | None = None
    count: int | None = None
    error: KafkafmtError | None = field(default=None, compare=False)


def to_int32(number: int) -> int:
    """Drop bits above 32, as in Java's int arithmetic."""
    return (number + 2**31) % 2**32 - 2**31


def to_int64(number: int) -> int:
    """Drop bits above 64, as in Java's long arithmetic."""
    return (number + 2**63) % 2**64 - 2**63


def increment_sequence(sequence: int, increment: int) -> int:
    """Add to a sequence number, which wraps from 2147483647 to 0 (Kafka's `DefaultRecordBatch.incrementSequence`)."""
    if sequence > to_int32(INT32_MAX - increment):
        return to_int32(increment - (INT32_MAX - sequence) - 1)
    return to_int32(sequence + increment)
