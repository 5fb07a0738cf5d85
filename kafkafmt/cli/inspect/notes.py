"""What follows from a field's value: absolute offsets, times, the CRC that the bytes really have, what a null is.

The specs say what a field means in general (see `documentation`), these notes what this one says.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from kafkafmt.codec.java_text import format_uuid
from kafkafmt.reference.header import LOG_APPEND_TIME, BatchHeader, increment_sequence, to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD, RECORD_OVERHEAD_V0

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_YEAR, _LAST_YEAR = -62135596800000, 253402300799999
_NULL = "null: no bytes follow for it"


def time(timestamp: int) -> str:
    """Write a time in ms as ISO 8601 in UTC; "" for -1 and for years outside 1 to 9999."""
    if timestamp == -1 or not _FIRST_YEAR <= timestamp <= _LAST_YEAR:
        return ""
    moment = _EPOCH + timedelta(milliseconds=timestamp)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Checksum:
    """The CRC of an entry or a file.

    Attributes:
        computed: over the bytes that are there.
        begin: position of the first byte it covers.
        end: position behind the last one.
    """

    computed: int
    begin: int
    end: int

    def compare(self, stored: int) -> str:
        """Say whether a stored CRC is right."""
        covered = f"bytes {self.begin} to {self.end - 1}"
        return f"matches {covered}" if stored == self.computed else f"WRONG: {covered} give {self.computed:#010x}"


@dataclass(frozen=True, slots=True)
class EntryNotes:
    """Notes on the fields of an entry of a log, and of the messages and records in it.

    Attributes:
        position: of the entry.
        checksum: of its bytes; None where they are not all there.
        header: what the reference engine says of it, or None where it is too broken.
        wrapper: what that says of the wrapper, if the entry is an inner message.
        shift: what to add to the offset of an inner message; None if that is not known.
    """

    position: int
    checksum: Checksum | None = None
    header: BatchHeader | None = None
    wrapper: BatchHeader | None = None
    shift: int | None = None

    def __call__(self, owner: Any, name: str, value: Any) -> str:
        """Say what follows from a field of a structure; "" for nothing."""
        note = _ENTRY_NOTES.get(f"{type(owner).__qualname__}.{name}")
        return note(self, owner, value) if note else plain(owner, name, value)


def plain(owner: Any, name: str, value: Any) -> str:
    """Say what follows from a field that needs no surroundings to be understood."""
    note = _NOTES.get(f"{type(owner).__qualname__}.{name}")
    return note(value) if note else ""


def _base_offset(notes: EntryNotes, _: Any, value: int) -> str:
    if notes.wrapper is not None:
        return "" if notes.shift is None else f"offset {to_int64(value + notes.shift)}"
    header = notes.header
    is_wrapper = header is not None and header.magic < CURRENT_MAGIC and header.compression not in ("none", None)
    return "of the last message in this wrapper" if is_wrapper else ""


def _len_body(notes: EntryNotes, _: Any, value: int) -> str:
    if value < RECORD_OVERHEAD_V0:
        return ""
    size = LOG_OVERHEAD + value
    return f"with the {LOG_OVERHEAD} bytes so far {size}: the entry ends before {notes.position + size}"


def _crc(notes: EntryNotes, _: Any, value: int) -> str:
    return notes.checksum.compare(value) if notes.checksum else ""


def _last_offset_delta(notes: EntryNotes, _: Any, __: int) -> str:
    return f"last offset {notes.header.last_offset}" if notes.header else ""


def _base_timestamp(_: EntryNotes, batch: Any, value: int) -> str:
    moment = time(value)
    return f"delete horizon {moment}" if batch.attributes.has_delete_horizon else moment


def _base_sequence(notes: EntryNotes, _: Any, value: int) -> str:
    return f"last sequence {notes.header.last_sequence}" if notes.header and value != -1 else ""


def _num_records(_: EntryNotes, batch: Any, value: int) -> str:
    offsets = batch.last_offset_delta + 1
    return f"of {offsets} as produced" if 0 <= value < offsets else ""


def _timestamp_delta(notes: EntryNotes, _: Any, value: int) -> str:
    header = notes.header
    if header is None:
        return ""
    if header.timestamp_type == LOG_APPEND_TIME:
        return "not used: the batch has LogAppendTime"
    timestamp = to_int64((header.base_timestamp or 0) + value)
    return f"timestamp {timestamp}, {time(timestamp)}".removesuffix(", ")


def _offset_delta(notes: EntryNotes, _: Any, value: int) -> str:
    header = notes.header
    if header is None:
        return ""
    sequence = ""
    if header.base_sequence >= 0:
        sequence = f", sequence {increment_sequence(header.base_sequence, value)}"
    return f"offset {to_int64((header.base_offset or 0) + value)}{sequence}"


def _message_timestamp(notes: EntryNotes, _: Any, value: int) -> str:
    if notes.wrapper is not None and notes.wrapper.timestamp_type == LOG_APPEND_TIME:
        return f"{time(value)} not used: the wrapper has LogAppendTime".lstrip()
    return time(value)


def _null_or_nothing(value: int) -> str:
    return _NULL if value < 0 else ""


def _attributes(bits: Any) -> str:
    """Spell out which bits are set, in Kafka's words."""
    compression = _named(bits, "compression", "compression")
    names = [
        "not compressed" if compression == "none" else compression,
        _named(bits, "timestamp_type", "timestamp type"),
    ]
    flags = ("is_transactional", "is_control", "has_delete_horizon")
    return ", ".join(names + [flag.partition("_")[2].replace("_", " ") for flag in flags if getattr(bits, flag, False)])


def _named(bits: Any, name: str, what: str) -> str:
    value = getattr(bits, name, None)
    return getattr(value, "name", f"{what} {value}")


_Note = Callable[[EntryNotes, Any, Any], str]

_ENTRY_NOTES: dict[str, _Note] = {
    "KafkaLogSegment.Entry.base_offset": _base_offset,
    "KafkaLogSegment.Entry.len_body": _len_body,
    "KafkaRecordBatch.crc": _crc,
    "KafkaRecordBatch.last_offset_delta": _last_offset_delta,
    "KafkaRecordBatch.base_timestamp": _base_timestamp,
    "KafkaRecordBatch.base_sequence": _base_sequence,
    "KafkaRecordBatch.num_records": _num_records,
    "KafkaRecord.Body.timestamp_delta": _timestamp_delta,
    "KafkaRecord.Body.offset_delta": _offset_delta,
    "KafkaMessage.crc": _crc,
    "KafkaMessage.timestamp": _message_timestamp,
}

_NOTES: dict[str, Callable[[Any], str]] = {
    "KafkaRecordBatch.attributes": _attributes,
    "KafkaRecordBatch.max_timestamp": time,
    "KafkaRecord.Body.len_key": _null_or_nothing,
    "KafkaRecord.Body.len_value": _null_or_nothing,
    "KafkaHeader.len_value": _null_or_nothing,
    "KafkaMessage.attributes": _attributes,
    "KafkaMessage.len_key": _null_or_nothing,
    "KafkaMessage.len_value": _null_or_nothing,
    "KafkaSnapshotHeaderRecord.last_contained_log_timestamp": time,
    "KafkaLeaderChangeMessage.Voter.voter_directory_id": format_uuid,
    "KafkaVotersRecord.Voter.voter_directory_id": format_uuid,
}


@dataclass(frozen=True, slots=True)
class IndexNotes:
    """Notes on an entry of an index.

    Attributes:
        base_offset: of the segment, or None where the file's name does not tell it.
    """

    base_offset: int | None

    def __call__(self, owner: Any, name: str, value: Any) -> str:
        """Say what follows from a field of an index entry; "" for nothing."""
        if name == "relative_offset" and self.base_offset is not None:
            return f"offset {to_int64(self.base_offset + value)}"
        return time(value) if name == "timestamp" else ""


@dataclass(frozen=True, slots=True)
class SnapshotNotes:
    """Notes on a producer snapshot.

    Attributes:
        checksum: of the file, or None while that is not known.
    """

    checksum: Checksum | None = None

    def __call__(self, owner: Any, name: str, value: Any) -> str:
        """Say what follows from a field of the file or of a producer in it; "" for nothing."""
        if name == "crc" and self.checksum is not None:
            return self.checksum.compare(value)
        if name == "timestamp":
            return time(value)
        if name == "offset_delta" and owner.last_offset >= 0:
            return f"first offset {to_int64(owner.last_offset - value)}"
        return ""
