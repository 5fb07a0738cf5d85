"""Record batches of format v2 (Kafka 0.11 and later): header and records (KIP-98, Kafka's `DefaultRecordBatch`)."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.codec.compression import LABELS, Compression, decompress, last_codec
from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError, UnsupportedError
from kafkafmt.phrases import sized
from kafkafmt.reference.generated_errors import generated_errors
from kafkafmt.reference.header import (
    CREATE_TIME,
    INT64_MAX,
    LOG_APPEND_TIME,
    BatchHeader,
    increment_sequence,
    to_int64,
)
from kafkafmt.reference.layout import CURRENT_MAGIC, RECORD_BATCH_OVERHEAD
from kafkafmt.reference.parsers import record_parser
from kafkafmt.reference.record import BYTES_HELD, Record, header_name
from kafkafmt.reference.streams import LargeRecordStream, record_stream

if TYPE_CHECKING:
    from kafkafmt_specs.kafka_record import KafkaRecord
    from kafkafmt_specs.kafka_record_batch import KafkaRecordBatch

    from kafkafmt.limits import Limits
    from kafkafmt.reference.layout import Frame

SMALLEST_RECORD = 7
"""Size of a record with null key, null value and no headers, including its length."""


# 64 bits in groups of 7.
_LONGEST_VARINT = 10


class SoundStart(NamedTuple):
    """Number of records at the start of a batch that are known to be sound, and their decompressed size in bytes."""

    records: int
    size: int


def header_of(batch: "KafkaRecordBatch", frame: "Frame", file: str | None, position: int) -> BatchHeader:
    """Describe a v2 entry by its parsed header."""
    attributes = batch.attributes
    codec = int(attributes.compression)
    base_sequence = batch.base_sequence
    return BatchHeader(
        file=file,
        position=position,
        size_in_bytes=frame.size_in_bytes,
        base_offset=frame.offset,
        magic=batch.magic,
        last_offset=to_int64(frame.offset + batch.last_offset_delta),
        crc=batch.crc,
        compression=LABELS.get(codec),
        timestamp_type=LOG_APPEND_TIME if attributes.timestamp_type else CREATE_TIME,
        max_timestamp=batch.max_timestamp,
        base_timestamp=batch.base_timestamp,
        partition_leader_epoch=batch.partition_leader_epoch,
        producer_id=batch.producer_id,
        producer_epoch=batch.producer_epoch,
        base_sequence=base_sequence,
        last_sequence=-1 if base_sequence == -1 else increment_sequence(base_sequence, batch.last_offset_delta),
        is_transactional=attributes.is_transactional,
        is_control_batch=attributes.is_control,
        delete_horizon_ms=batch.base_timestamp if attributes.has_delete_horizon else None,
        count=batch.num_records,
    )


def is_plausible(batch: "KafkaRecordBatch", header: BatchHeader) -> bool:
    """Whether the fields of a header agree with each other, as in every batch that Kafka writes.

    This check is for places where no CRC is computed. It detects a flipped bit in the count or the last offset delta of
    a batch that was never compacted, but not one in the middle of a timestamp.
    """
    payload = header.size_in_bytes - RECORD_BATCH_OVERHEAD
    delta = batch.last_offset_delta
    count = batch.num_records
    base_timestamp_counts = header.timestamp_type == CREATE_TIME and header.delete_horizon_ms is None
    return (
        batch.attributes.reserved == 0
        and header.compression is not None
        and header.base_offset is not None
        and 0 <= header.base_offset <= INT64_MAX - delta
        and delta >= 0
        and count <= delta + 1
        and (count > 0) == (payload > 0)
        and (header.compression != "none" or count <= payload // SMALLEST_RECORD)
        and (not base_timestamp_counts or batch.max_timestamp >= batch.base_timestamp)
    )


def check_count(count: int, payload_bytes: int | None, limits: "Limits") -> None:
    """Refuse an impossible record count, before memory is allocated for it.

    Args:
        count: record count in the header.
        payload_bytes: decompressed size of the records, or None while unknown.
        limits: bounds of decoding.

    Raises:
        CorruptError: the count is higher than the bytes allow.
        LimitExceededError: the count is above `max_records_per_batch`.
    """
    if count > limits.max_records_per_batch:
        raise LimitExceededError(
            "more records in one batch than max_records_per_batch", expected=limits.max_records_per_batch, found=count
        )
    if payload_bytes is not None and count > payload_bytes // SMALLEST_RECORD:
        raise CorruptError(
            "the record count does not fit the batch",
            expected=f"at most {payload_bytes // SMALLEST_RECORD}",
            found=count,
        )


def records_of(
    batch: "KafkaRecordBatch",
    data: bytes | memoryview,
    header: BatchHeader,
    limits: "Limits",
    sound: SoundStart | None = None,
    *,
    views: bool = False,
    wanted: Callable[[bytes | memoryview], bool] | None = None,
) -> Iterator[Record]:
    """Return the records of a batch whose CRC the caller has checked, or raise before the first one.

    Args:
        batch: the parsed header.
        data: the whole entry.
        header: the header as made by `header_of`, to which each record refers.
        limits: bounds of decoding.
        sound: sound records at the start, which need not be decoded to find the first broken one.
        views: whether keys and values of 1 MiB or more are memoryviews, which keep the whole batch in memory.
        wanted: called with the decompressed bytes of all records; if it returns False, no record is decoded or
            delivered.

    Raises:
        CorruptError: a record or the count is broken, or there are bytes after the last record.
        UnsupportedError: the compression id is not known to Kafka.
        LimitExceededError: there are more records or decompressed bytes than `limits` allow.
    """
    count = batch.num_records
    if count == 0:
        # Kafka does not read the bytes of an empty batch.
        return iter(())
    check_count(count, None, limits)
    payload = _payload(batch, memoryview(data)[RECORD_BATCH_OVERHEAD:], limits)
    if wanted is not None and not wanted(payload):
        return iter(())
    check_count(count, len(payload), limits)
    parser = record_parser(limits.max_headers_per_record)
    if sound is not None and sound.records > 0:
        for _ in _decode(memoryview(payload)[sound.size :], parser, header, count, sound.records, views=True):
            pass
    if len(payload) <= BYTES_HELD:
        return iter(list(_decode(payload, parser, header, count, views=views)))
    for _ in _decode(payload, parser, header, count, views=True):
        pass
    return _decode(payload, parser, header, count, views=views)


def readable_records_of(
    batch: "KafkaRecordBatch", data: bytes | memoryview, header: BatchHeader, limits: "Limits"
) -> Iterator[Record]:
    """Return the records of a batch one by one, up to the first error, and raise only then.

    Kafka's iterator reads an uncompressed batch in this way, without checking its CRC.

    Args:
        batch: the parsed header.
        data: the whole entry.
        header: the header as made by `header_of`, to which each record refers.
        limits: bounds of decoding.

    Raises:
        CorruptError, UnsupportedError, LimitExceededError: as for `records_of`, but after the records before the
            damage.
    """
    count = batch.num_records
    if count == 0:
        return iter(())
    check_count(count, None, limits)
    payload = _payload(batch, memoryview(data)[RECORD_BATCH_OVERHEAD:], limits)
    return _decode(payload, record_parser(limits.max_headers_per_record), header, count)


def times_of(
    batch: "KafkaRecordBatch", data: bytes | memoryview, header: BatchHeader, limits: "Limits"
) -> Iterator[tuple[int, int]]:
    """Yield offset and timestamp of each record; keys, values and headers are skipped.

    Raises:
        CorruptError, UnsupportedError, LimitExceededError: as for `records_of`, for faults that are visible this way.
    """
    count = batch.num_records
    check_count(count, None, limits)
    payload = memoryview(_payload(batch, memoryview(data)[RECORD_BATCH_OVERHEAD:], limits) if count else b"")
    check_count(count, len(payload), limits)
    base_offset = header.base_offset or 0
    base_timestamp = header.base_timestamp or 0
    append_time = header.max_timestamp if header.timestamp_type == LOG_APPEND_TIME else None
    begin = 0
    for number in range(count):
        size, body = _varint(payload, begin)
        delta, after = _varint(payload, body + 1)
        offset_delta, after = _varint(payload, after)
        begin = body + size
        if not after <= begin <= len(payload):
            raise CorruptError(f"record {number} of {count}: its length does not fit the batch", found=size)
        timestamp = to_int64(base_timestamp + delta) if append_time is None else append_time
        yield to_int64(base_offset + offset_delta), timestamp


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    """Read a zigzag varint; return it and where it ends.

    Raises:
        CorruptError: it does not end.
    """
    value = 0
    for shift, byte in enumerate(data[position : position + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), position + shift + 1
    raise CorruptError("a variable-length number does not end", position=position)


def _payload(batch: "KafkaRecordBatch", stored: memoryview, limits: "Limits") -> bytes | memoryview:
    codec = int(batch.attributes.compression)
    if codec == Compression.NONE:
        return stored
    last = last_codec(CURRENT_MAGIC)
    if codec > last:
        raise UnsupportedError("unknown compression of a record batch", expected=f"0 to {last}", found=codec)
    return decompress(Compression(codec), stored, magic=CURRENT_MAGIC, limits=limits)


def decompressed_size(batch: "KafkaRecordBatch", data: bytes | memoryview, limits: "Limits") -> int:
    """Decompressed size of a batch's records, in bytes.

    Args:
        batch: the parsed header.
        data: the whole entry.
        limits: bounds of decoding.

    Raises:
        KafkafmtError: the records do not decompress.
    """
    return len(_payload(batch, memoryview(data)[RECORD_BATCH_OVERHEAD:], limits))


def _decode(
    payload: bytes | memoryview,
    parser: "type[KafkaRecord]",
    header: BatchHeader,
    count: int,
    first: int = 0,
    *,
    views: bool = False,
) -> Iterator[Record]:
    source = record_stream(payload)
    is_large = isinstance(source, LargeRecordStream)
    base_offset = header.base_offset or 0
    base_timestamp = header.base_timestamp or 0
    base_sequence = header.base_sequence
    timestamp_type = header.timestamp_type or CREATE_TIME
    append_time = header.max_timestamp if timestamp_type == LOG_APPEND_TIME else None
    number = 0
    try:
        with generated_errors():
            for number in range(first, count):  # noqa: B007 (the error below tells which record it is)
                parsed = parser(source)
                body = parsed.body
                offset_delta = body.offset_delta.value
                record = Record(
                    header,
                    to_int64(base_offset + offset_delta),
                    to_int64(base_timestamp + body.timestamp_delta.value) if append_time is None else append_time,
                    timestamp_type,
                    increment_sequence(base_sequence, offset_delta) if base_sequence >= 0 else -1,
                    body.key if body.len_key.value >= 0 else None,
                    body.value if body.len_value.value >= 0 else None,
                    [
                        (header_name(bytes(h.key)), bytes(h.value) if h.len_value.value >= 0 else None)
                        for h in body.headers
                    ],
                )
                if is_large:
                    if not views:
                        record.key, record.value = _copied(record.key), _copied(record.value)
                    # The two refer to each other, which would keep the batch in memory until a garbage collection.
                    vars(parsed).clear()
                    vars(body).clear()
                yield record
            left = source.size() - source.pos()
    except KafkafmtError as error:
        error.message = f"record {number} of {count}: {error.message}"
        raise
    if left:
        raise CorruptError(
            "bytes are left over after the last record of the batch", expected="0 bytes", found=sized(left)
        )


def _copied(data: bytes | None) -> bytes | None:
    return None if data is None else bytes(data)
