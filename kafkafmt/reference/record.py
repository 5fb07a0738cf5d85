"""Record: one record as Kafka's own code would deliver it, and what a control record says."""

from typing import TYPE_CHECKING

from kafkafmt_specs.kafka_control_record_key import KafkaControlRecordKey
from kafkafmt_specs.kafka_end_transaction_marker import KafkaEndTransactionMarker

from kafkafmt.errors import CorruptError
from kafkafmt.reference.parsers import generated_errors, stream

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader

Header = tuple[str, bytes | None]
"""A record header: its key (malformed UTF-8 replaced as Java does) and its value."""

CONTROL_TYPES = (
    "ABORT",
    "COMMIT",
    "LEADER_CHANGE",
    "SNAPSHOT_HEADER",
    "SNAPSHOT_FOOTER",
    "KRAFT_VERSION",
    "KRAFT_VOTERS",
)
"""Names of Kafka's `ControlRecordType` by id (KIP-98, KIP-595, KIP-630, KIP-853)."""

UNKNOWN_CONTROL_TYPE = "UNKNOWN"

RECORDS_HELD = 65_536
"""A batch of more records is decoded twice rather than held: once to see that it is whole, once to deliver."""


class Record:
    """One record of a batch.

    Attributes:
        batch: header of the entry it came from.
        offset: absolute offset.
        timestamp: ms since the epoch, -1 for none; with LogAppendTime that of the batch.
        timestamp_type: "NoTimestampType", "CreateTime" or "LogAppendTime".
        sequence: sequence number of an idempotent producer, else -1.
        key: bytes, or None.
        value: bytes, or None (a tombstone in a compacted topic).
        headers: list of (key, value) pairs in stored order; empty in v0 and v1, which have none.
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
        """Name of the file it stands in."""
        return self.batch.file

    @property
    def position(self) -> int:
        """Where in the file its batch or wrapper begins, in bytes."""
        return self.batch.position

    @property
    def control_type_id(self) -> int | None:
        """Number of the control record's type; None for a record of data, or for a key too short to hold one."""
        if not self.batch.is_control_batch or self.key is None:
            return None
        try:
            with generated_errors():
                control_key = KafkaControlRecordKey(stream(self.key))
        except CorruptError:
            return None
        type_id: int = int(control_key.type)
        return type_id

    @property
    def control_type(self) -> str | None:
        """Name of the control record's type, "UNKNOWN" for one that Kafka 4.3 does not know; None for data."""
        if not self.batch.is_control_batch:
            return None
        type_id = self.control_type_id
        if type_id is None or not 0 <= type_id < len(CONTROL_TYPES):
            return UNKNOWN_CONTROL_TYPE
        return CONTROL_TYPES[type_id]

    @property
    def coordinator_epoch(self) -> int | None:
        """Epoch of the transaction coordinator that wrote an ABORT or COMMIT marker; None for any other record.

        Raises:
            CorruptError: the marker's value is shorter than its six bytes.
        """
        if self.control_type not in ("ABORT", "COMMIT"):
            return None
        try:
            with generated_errors():
                marker = KafkaEndTransactionMarker(stream(self.value or b""))
        except CorruptError as error:
            raise error.at(self.file, self.position) from None
        epoch: int = marker.coordinator_epoch
        return epoch

    def __repr__(self) -> str:
        """Offset, timestamp, key and value."""
        return f"Record(offset={self.offset}, timestamp={self.timestamp}, key={self.key!r}, value={self.value!r})"
