"""Record: one record as Kafka's own code would deliver it, and the content of a control record."""

from typing import TYPE_CHECKING

from kafkafmt.codec.java_text import decode_utf8
from kafkafmt.errors import KafkafmtError
from kafkafmt.reference import control

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader

Header = tuple[str, bytes | None]
"""A record header: its key, in which malformed UTF-8 is replaced as in Java, and its value."""


class MalformedName(str):
    """The name of a header that is not UTF-8, decoded like Java does.

    Attributes:
        stored: bytes of the name.
    """

    __slots__ = ("stored",)
    stored: bytes


def header_name(stored: bytes) -> str:
    """The name of a header as text, from which `stored_name` gets the bytes back."""
    try:
        return stored.decode("utf-8")
    except UnicodeDecodeError:
        name = MalformedName(decode_utf8(stored))
        name.stored = stored
        return name


def stored_name(name: str) -> bytes:
    """The bytes of a header's name."""
    return name.stored if isinstance(name, MalformedName) else name.encode()


BYTES_HELD = 4 * 1024 * 1024
"""Payload size above which records are decoded twice, to check and to deliver them, instead of being kept in memory."""


class Record:
    """One record of a batch.

    Attributes:
        batch: header of the record's entry.
        offset: absolute offset.
        timestamp: timestamp in ms since the epoch, -1 for none; with LogAppendTime that of the batch.
        timestamp_type: "NoTimestampType", "CreateTime" or "LogAppendTime".
        sequence: sequence number of an idempotent producer, else -1.
        key: bytes, or None.
        value: bytes, or None (a tombstone in a compacted topic).
        headers: (key, value) pairs in stored order; empty in v0 and v1, which have none.
    """

    __slots__ = ("batch", "headers", "key", "offset", "sequence", "timestamp", "timestamp_type", "value")

    def __init__(
        self,
        batch: "BatchHeader",
        offset: int,
        timestamp: int,
        timestamp_type: str,
        sequence: int,
        key: bytes | None,
        value: bytes | None,
        headers: list[Header],
    ) -> None:
        self.batch = batch
        self.offset = offset
        self.timestamp = timestamp
        self.timestamp_type = timestamp_type
        self.sequence = sequence
        self.key = key
        self.value = value
        self.headers = headers

    @property
    def file(self) -> str | None:
        """Name of the record's file."""
        return self.batch.file

    @property
    def position(self) -> int:
        """Position in the file of the record's batch or wrapper, in bytes."""
        return self.batch.position

    @property
    def control_type_id(self) -> int | None:
        """Number of the control record's type; None for a data record, or for a key too short to hold one."""
        return control.type_id_of(self.key) if self.batch.is_control_batch else None

    @property
    def control_type(self) -> str | None:
        """Name of the control record's type, "UNKNOWN" for one that Kafka 4.3 does not know; None for a data record."""
        return control.type_name(self.control_type_id) if self.batch.is_control_batch else None

    @property
    def coordinator_epoch(self) -> int | None:
        """Epoch of the transaction coordinator that wrote an ABORT or COMMIT marker; None for any other record.

        Raises:
            CorruptError: the marker's value is shorter than six bytes.
        """
        if self.control_type not in control.TRANSACTION_MARKERS:
            return None
        try:
            return control.coordinator_epoch_of(self.value)
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from None

    @property
    def control_value(self) -> control.ControlValue | None:
        """Content of a control record of the metadata log, as Kafka's tools print it in JSON.

        None for data records, for ABORT and COMMIT markers (see `coordinator_epoch`), and for UNKNOWN types.

        Raises:
            CorruptError: the value is invalid for the record's type.
            UnsupportedError: the value has a later version than Kafka 4.3's.
            LimitExceededError: the value is far larger than any that Kafka writes.
        """
        control_type = self.control_type
        if control_type is None:
            return None
        try:
            return control.value_of(control_type, self.value)
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from None

    def __repr__(self) -> str:
        """Offset, timestamp, key and value."""
        return f"Record(offset={self.offset}, timestamp={self.timestamp}, key={self.key!r}, value={self.value!r})"
