"""Messages and wrappers of formats v0 and v1 (Kafka before 0.11; `LegacyRecord`, `AbstractLegacyRecordBatch`).

A wrapper is a message with a codec, whose value is again a log segment, compressed. Its own offset is that of its last
inner message. Inner offsets are absolute in a v0 wrapper and relative in a v1 wrapper (KIP-31). An inner set that ends
in the middle of a message is silently cut there, as in Kafka. Inner messages have their own CRCs: brokers ignore them,
consumers check them record by record (`Record.ensureValid`), and so does this module.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkafmt_specs.kafka_message import KafkaMessage

from kafkafmt.codec.compression import LABELS, Compression, decompress, last_codec
from kafkafmt.errors import ChecksumError, CorruptError, KafkafmtError, LimitExceededError
from kafkafmt.reference.generated_errors import generated_errors
from kafkafmt.reference.header import CREATE_TIME, LOG_APPEND_TIME, NO_TIMESTAMP_TYPE, BatchHeader, to_int64
from kafkafmt.reference.layout import (
    LARGEST_INNER_SIZE,
    LOG_OVERHEAD,
    RECORD_OVERHEAD_V0,
    Frame,
    read_frame,
    read_size,
    stored_crc,
    verify_checksum,
)
from kafkafmt.reference.record import BYTES_HELD, Record
from kafkafmt.reference.streams import stream

if TYPE_CHECKING:
    from kafkafmt.limits import Limits

# Bytes of the timestamp, which only v1 has.
_TIMESTAMP = 8


def header_of(message: KafkaMessage, frame: Frame, file: str | None, position: int) -> BatchHeader:
    """Describe a parsed v0 or v1 entry; `count` and `base_offset` of a wrapper stay None."""
    codec = int(message.attributes.compression)
    single = codec == Compression.NONE
    return BatchHeader(
        file=file,
        position=position,
        size_in_bytes=frame.size_in_bytes,
        base_offset=frame.offset if single else None,
        magic=message.magic,
        last_offset=frame.offset,
        crc=message.crc,
        compression=LABELS.get(codec),
        timestamp_type=_timestamp_type(message),
        max_timestamp=_timestamp(message),
        count=1 if single else None,
    )


def is_plausible(message: KafkaMessage, header: BatchHeader) -> bool:
    """Whether the fields of a message or wrapper are consistent, as in every one that Kafka writes.

    The sizes of key and value decide, which must fill the entry exactly.
    """
    overhead = LOG_OVERHEAD + RECORD_OVERHEAD_V0 + (_TIMESTAMP if message.magic != 0 else 0)
    return (
        message.magic in (0, 1)
        and message.attributes.reserved == 0
        and int(message.attributes.compression) <= last_codec(message.magic)
        and header.last_offset is not None
        and header.last_offset >= 0
        and overhead + max(message.len_key, 0) + max(message.len_value, 0) == header.size_in_bytes
    )


def records_of(
    message: KafkaMessage, header: BatchHeader, limits: "Limits", *, verify_inner: bool = True
) -> Iterator[Record]:
    """Return the records of an entry whose CRC the caller has checked, or raise before the first one.

    Sets `count` and `base_offset` of a wrapper's header.

    Args:
        message: the parsed entry.
        header: header of the entry.
        limits: bounds of decoding.
        verify_inner: whether to check CRCs of the messages inside a wrapper.

    Raises:
        ChecksumError: an inner message has a wrong CRC.
        CorruptError: a message is broken; or a wrapper is empty, null, nested, or has a codec that its format lacks.
        LimitExceededError: there are more messages or decompressed bytes than `limits` allow.
    """
    if int(message.attributes.compression) == Compression.NONE:
        return iter((_record(message, header, header.last_offset or 0),))
    return _unwrap(_inner_set(message, limits), message, header, limits, verify_inner)


def inner_checksums_of(message: KafkaMessage, limits: "Limits") -> Iterator[tuple[int, ChecksumError | None]]:
    """Yield the CRC of each inner message of a wrapper, and the error if it does not match the message's bytes.

    Raises:
        CorruptError: as for `records_of`, and for a message that is not a wrapper.
        LimitExceededError: there are more decompressed bytes than `limits` allow.
    """
    if int(message.attributes.compression) == Compression.NONE:
        raise CorruptError("only a wrapper message has inner messages")
    inner = memoryview(_inner_set(message, limits))
    for _ in _inner_frames(inner):
        pass
    return (_checksum(inner[begin : begin + frame.size_in_bytes], frame.magic) for frame, begin in _inner_frames(inner))


def _checksum(inner_message: memoryview, magic: int) -> tuple[int, ChecksumError | None]:
    try:
        verify_checksum(inner_message, magic)
    except ChecksumError as error:
        return stored_crc(inner_message, magic), error
    return stored_crc(inner_message, magic), None


def _inner_set(message: KafkaMessage, limits: "Limits") -> bytes:
    """Decompress a wrapper's content."""
    codec = int(message.attributes.compression)
    if message.magic not in (0, 1):
        raise CorruptError("a wrapper of unknown format", expected="magic 0 or 1", found=message.magic)
    last = last_codec(message.magic)
    if codec > last:
        *others, other = (LABELS[known] for known in range(1, last + 1))
        expected = f"{', '.join(others)} or {other}"
        raise CorruptError("a codec that formats v0 and v1 do not have", expected=expected, found=codec)
    if message.len_value < 0:
        raise CorruptError("a wrapper with a null value")
    return decompress(Compression(codec), message.value, magic=message.magic, limits=limits)


def readable_records_of(message: KafkaMessage, header: BatchHeader, limits: "Limits") -> Iterator[Record]:
    """Return the records of an entry one by one, up to a broken inner message, and raise only then.

    Kafka's iterator reads a wrapper in this way.

    Raises:
        CorruptError, LimitExceededError: as for `records_of`, but after the records before the damage.
    """
    if int(message.attributes.compression) == Compression.NONE:
        return iter((_record(message, header, header.last_offset or 0),))
    inner = _inner_set(message, limits)
    return _decode(inner, message, header, _fill_in(inner, message, header, limits), verify_inner=False)


def _unwrap(
    inner: bytes, wrapper: KafkaMessage, header: BatchHeader, limits: "Limits", verify_inner: bool
) -> Iterator[Record]:
    shift = _fill_in(inner, wrapper, header, limits)
    decoded = _decode(inner, wrapper, header, shift, verify_inner=verify_inner)
    if len(inner) <= BYTES_HELD:
        return iter(list(decoded))
    for _ in decoded:
        pass
    return _decode(inner, wrapper, header, shift, verify_inner=False)


def _fill_in(inner: bytes, wrapper: KafkaMessage, header: BatchHeader, limits: "Limits") -> int:
    """Count the inner messages, complete the wrapper's header, and return the number to add to inner offsets."""
    first = last = None
    count = 0
    for last, _ in _inner_frames(inner):
        first = first or last
        count += 1
        if count > limits.max_records_per_batch:
            raise LimitExceededError(
                "more messages in one wrapper than max_records_per_batch", expected=limits.max_records_per_batch
            )
    if first is None or last is None:
        raise CorruptError("a wrapper without inner messages")
    shift = _offset_shift(wrapper, header.last_offset or 0, last.offset)
    header.base_offset = to_int64(first.offset + shift)
    header.count = count
    return shift


def _offset_shift(wrapper: KafkaMessage, wrapper_offset: int, last_inner_offset: int) -> int:
    """The number to add to inner offsets; librdkafka marks them as absolute by a wrapper offset of 0."""
    if wrapper.magic == 0 or wrapper_offset == 0:
        return 0
    if wrapper_offset < last_inner_offset:
        raise CorruptError(
            "the wrapper's offset is lower than its last inner offset",
            expected=f"at least {last_inner_offset}",
            found=wrapper_offset,
        )
    return wrapper_offset - last_inner_offset


def _decode(
    inner: bytes, wrapper: KafkaMessage, header: BatchHeader, shift: int, *, verify_inner: bool
) -> Iterator[Record]:
    view = memoryview(inner)
    place = "inner message 0"
    try:
        with generated_errors():
            for number, (frame, begin) in enumerate(_inner_frames(inner)):
                place = f"inner message {number}, offset {to_int64(frame.offset + shift)}"
                message = KafkaMessage(stream(view[begin + LOG_OVERHEAD : begin + frame.size_in_bytes]))
                if int(message.attributes.compression) != Compression.NONE:
                    raise CorruptError("an inner message is compressed")
                if verify_inner:
                    verify_checksum(view[begin : begin + frame.size_in_bytes], frame.magic)
                yield _record(message, header, to_int64(frame.offset + shift), wrapper)
    except KafkafmtError as error:
        error.message = f"{place}: {error.message}"
        if isinstance(error, ChecksumError):
            error.is_inside = True
        raise


def _inner_frames(inner: bytes | memoryview) -> Iterator[tuple[Frame, int]]:
    """Walk the whole messages of an inner set; yield their frames and positions."""
    position = 0
    while len(inner) - position >= LOG_OVERHEAD:
        # Kafka judges a size as soon as it is read, before checking that the message is complete.
        size = read_size(inner, position)
        if size < RECORD_OVERHEAD_V0:
            raise CorruptError(
                "the size of an inner message is too small", expected=f"at least {RECORD_OVERHEAD_V0}", found=size
            )
        if size > LARGEST_INNER_SIZE:
            raise CorruptError(
                "the size of an inner message is too large", expected=f"at most {LARGEST_INNER_SIZE}", found=size
            )
        if size > len(inner) - position - LOG_OVERHEAD:
            return
        yield read_frame(inner, position), position
        position += LOG_OVERHEAD + size


def _record(message: KafkaMessage, header: BatchHeader, offset: int, wrapper: KafkaMessage | None = None) -> Record:
    timestamp, timestamp_type = _timestamp(message), _timestamp_type(message)
    if wrapper is not None and message.magic == 1:
        timestamp_type = _timestamp_type(wrapper)
        if timestamp_type == LOG_APPEND_TIME:
            timestamp = _timestamp(wrapper)
    return Record(
        header,
        offset,
        timestamp,
        timestamp_type,
        -1,
        message.key if message.len_key >= 0 else None,
        message.value if message.len_value >= 0 else None,
        [],
    )


def _timestamp(message: KafkaMessage) -> int:
    timestamp: int = message.timestamp if message.magic != 0 else -1
    return timestamp


def _timestamp_type(message: KafkaMessage) -> str:
    if message.magic == 0:
        return NO_TIMESTAMP_TYPE
    return LOG_APPEND_TIME if message.attributes.timestamp_type else CREATE_TIME
