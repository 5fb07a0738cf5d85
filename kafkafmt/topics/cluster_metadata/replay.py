"""Replay: applies the records of the metadata log to an image, one after another.

Records between BeginTransactionRecord and EndTransactionRecord take effect at the end of the transaction (KIP-868), or
never if it is aborted. A record that cannot be applied (of a type or version of a later Kafka, or a change of something
that does not exist) is ignored, as by Kafka's own replay with its fault handler, and kept with its place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.errors import CorruptError, DataError, UnsupportedError
from kafkafmt.findings import FINDING, STATE, Finding
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.reference import control
from kafkafmt.reference.entry import without_traceback
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.messages import framed_records
from kafkafmt.topics.cluster_metadata import nodes, settings, topics
from kafkafmt.topics.cluster_metadata.image import Image
from kafkafmt.topics.decoding import RECORD, StateMemory
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.topics.log_notes import UnknownRecords

if TYPE_CHECKING:
    from kafkafmt.limits import Limits

MOST_KEPT: Final = 1000
"""Limit of ignored records that are kept; all are counted."""

_BEGIN = "BEGIN_TRANSACTION_RECORD"
_END = "END_TRANSACTION_RECORD"
_ABORT = "ABORT_TRANSACTION_RECORD"

APPLY: Final[dict[str, Callable[[Image, Mapping[str, Any]], None]]] = {
    "TOPIC_RECORD": topics.topic,
    "PARTITION_RECORD": topics.partition,
    "PARTITION_CHANGE_RECORD": topics.partition_change,
    "REMOVE_TOPIC_RECORD": topics.remove_topic,
    "CLEAR_ELR_RECORD": topics.clear_elr,
    "REGISTER_BROKER_RECORD": nodes.register_broker,
    "UNREGISTER_BROKER_RECORD": nodes.unregister_broker,
    "FENCE_BROKER_RECORD": nodes.fence_broker,
    "UNFENCE_BROKER_RECORD": nodes.unfence_broker,
    "BROKER_REGISTRATION_CHANGE_RECORD": nodes.broker_registration_change,
    "REGISTER_CONTROLLER_RECORD": nodes.register_controller,
    "UNREGISTER_CONTROLLER_RECORD": nodes.unregister_controller,
    "CONFIG_RECORD": settings.config,
    "FEATURE_LEVEL_RECORD": settings.feature_level,
    "ZK_MIGRATION_STATE_RECORD": settings.zk_migration_state,
    "CLIENT_QUOTA_RECORD": settings.client_quota,
    "PRODUCER_IDS_RECORD": settings.producer_ids,
    "ACCESS_CONTROL_ENTRY_RECORD": settings.access_control_entry,
    "REMOVE_ACCESS_CONTROL_ENTRY_RECORD": settings.remove_access_control_entry,
    "USER_SCRAM_CREDENTIAL_RECORD": settings.user_scram_credential,
    "REMOVE_USER_SCRAM_CREDENTIAL_RECORD": settings.remove_user_scram_credential,
    "DELEGATION_TOKEN_RECORD": settings.delegation_token,
    "REMOVE_DELEGATION_TOKEN_RECORD": settings.remove_delegation_token,
    "NO_OP_RECORD": settings.no_op,
}
"""Function that applies each record type (Kafka's MetadataRecordType)."""


@dataclass(frozen=True, slots=True)
class IgnoredRecord:
    """An ignored record.

    Attributes:
        offset: offset of the record.
        file: file of the record, as errors name it.
        position: position of its batch in that file, in bytes.
        record_type: Kafka's MetadataRecordType or the type of a control record; None if it cannot be read.
        error: why it is ignored.
    """

    offset: int
    file: str
    position: int
    record_type: str | None
    error: DataError

    @property
    def finding(self) -> Finding:
        """The ignored record as a fault of the log."""
        return Finding(
            FINDING,
            STATE,
            self.file,
            f"{self.record_type or 'a record'} at offset {self.offset} is ignored: {self.error.message}",
            position=self.position,
            topic=CLUSTER_METADATA,
            partition=0,
            first_offset=self.offset,
            last_offset=self.offset,
        )


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """An open transaction of the controller (KIP-868), which has no effect yet.

    Attributes:
        offset: offset of its BeginTransactionRecord.
        name: its name, or None.
        records: number of its records so far.
    """

    offset: int
    name: str | None
    records: int


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A record of an open transaction."""

    record: InternalRecord
    record_type: str
    data: Mapping[str, Any]
    memory: int


class Replay:
    """Applies records in their order.

    Args:
        limits: bounds, of which `max_state_bytes` applies to the image and the records of an open transaction.
        stored_bytes: size of the files with the records.
        end_offset: initial end offset.
        epoch: initial leader epoch.

    Attributes:
        image: the state so far.
        end_offset: offset after the last record.
        epoch: leader epoch of that record's batch; -1 before the first record.
        timestamp: timestamp of that record in ms; -1 before the first record.
        records: number of records.
        unknown: records of types and versions that this release does not know, which are also ignored.
        ignored_records: the first `MOST_KEPT` other ignored records.
        ignored_count: number of other ignored records.
    """

    def __init__(self, limits: "Limits", stored_bytes: int, end_offset: int = 0, epoch: int = -1) -> None:
        self.image = Image()
        self._memory = StateMemory("the metadata log", limits, stored_bytes, self.memory)
        self.end_offset = end_offset
        self.epoch = epoch
        self.timestamp = -1
        self.records = 0
        self.unknown = UnknownRecords()
        self.ignored_records: list[IgnoredRecord] = []
        self.ignored_count = 0
        self._begun: tuple[int, str | None] | None = None
        self._waiting: list[_Waiting] = []

    @property
    def open_transaction(self) -> OpenTransaction | None:
        """The open transaction, or None."""
        return None if self._begun is None else OpenTransaction(*self._begun, len(self._waiting))

    def memory(self) -> int:
        """Estimate of the size of the image and of waiting records in bytes."""
        return self.image.memory() + sum(each.memory for each in self._waiting)

    def take(self, record: InternalRecord) -> None:
        """Apply the next record of the log; if that fails, add it to `ignored_records`.

        Raises:
            LimitExceededError: the state takes too much memory.
        """
        self.end_offset = min(record.offset + 1, INT64_MAX)
        self.epoch = record.leader_epoch
        self.timestamp = record.timestamp
        self._take(record)

    def take_of_snapshot(self, record: InternalRecord) -> None:
        """Apply the next record of a snapshot, which has its own offsets."""
        if record.control_type == "SNAPSHOT_HEADER":
            header = self._control_value(record)
            if header is not None:
                self.timestamp = header["lastContainedLogTimestamp"]
        self._take(record)

    def _take(self, record: InternalRecord) -> None:
        self.records += 1
        if record.control_type is not None:
            self._control(record)
            return
        record_type = None
        memory = 0
        try:
            decoded = framed_records.decode(CLUSTER_METADATA, _required(record.value))
            memory = decoded.message.memory + RECORD
            record_type, data = decoded.type, decoded.message.data
            if record_type == _BEGIN:
                self._begin(record, data)
            elif record_type == _END:
                self._end()
            elif record_type == _ABORT:
                self._abort()
            elif self._begun is not None:
                memory += len(record.value or b"")
                self._waiting.append(_Waiting(record, record_type, data, memory))
            else:
                self._apply(record, record_type, data)
        except DataError as error:
            unknown = framed_records.unknown(CLUSTER_METADATA, record.value or b"")
            if unknown is None:
                self._ignore(record, record_type, error)
            else:
                self.unknown.add(unknown, record.offset, record.file, record.position)
        self._memory.add(memory, record.file, record.position)

    def _begin(self, record: InternalRecord, data: Mapping[str, Any]) -> None:
        if self._begun is not None:
            raise CorruptError("a transaction begins inside another", found=f"one from offset {self._begun[0]}")
        self._begun = (record.offset, data.get("name"))

    def _end(self) -> None:
        waiting = self._stop("end")
        for each in waiting:
            try:
                self._apply(each.record, each.record_type, each.data)
            except DataError as error:
                self._ignore(each.record, each.record_type, error)

    def _abort(self) -> None:
        self._stop("abort")

    def _stop(self, what: str) -> list[_Waiting]:
        if self._begun is None:
            raise CorruptError(f"the {what} of a transaction that has not begun")
        waiting, self._waiting, self._begun = self._waiting, [], None
        return waiting

    def _apply(self, record: InternalRecord, record_type: str, data: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Apply the effect of a record to the image; `record` itself is for subclasses that watch changes."""
        apply = APPLY.get(record_type)
        if apply is None:
            raise UnsupportedError("a metadata record of unknown effect", found=record_type)
        apply(self.image, data)

    def _control(self, record: InternalRecord) -> None:
        value = self._control_value(record)
        if value is None:
            return
        if record.control_type == "LEADER_CHANGE":
            nodes.leader_change(self.image, value, record.leader_epoch)
        elif record.control_type == "KRAFT_VERSION":
            nodes.kraft_version(self.image, value)
        elif record.control_type == "KRAFT_VOTERS":
            nodes.kraft_voters(self.image, value)

    def _control_value(self, record: InternalRecord) -> control.ControlValue | None:
        try:
            if record.control_type == control.UNKNOWN_CONTROL_TYPE:
                raise UnsupportedError("a control record of an unknown type")
            return control.value_of(record.control_type or "", record.value)
        except DataError as error:
            self._ignore(record, record.control_type, error)
            return None

    def _ignore(self, record: InternalRecord, record_type: str | None, error: DataError) -> None:
        self.ignored_count += 1
        if len(self.ignored_records) < MOST_KEPT:
            error = without_traceback(error.at(record.file, record.position))
            self.ignored_records.append(IgnoredRecord(record.offset, record.file, record.position, record_type, error))


def _required(value: bytes | None) -> bytes:
    if value is None:
        raise CorruptError("a metadata record without a value")
    return value
