"""Replay: records of the metadata log, one after another, make an image.

Records between BeginTransactionRecord and EndTransactionRecord count once that has come (KIP-868); those that are
aborted never do, and those of a transaction that has not ended are not in force yet. What cannot be applied (a record
type or version of a later Kafka, a change of something that there is not) is passed over as Kafka's own replay does
behind its fault handler, and kept with its place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.errors import CorruptError, KafkafmtError, UnsupportedError
from kafkafmt.reference import control
from kafkafmt.reference.entry import without_traceback
from kafkafmt.reference.messages import metadata_records
from kafkafmt.topics.cluster_metadata import cluster_records
from kafkafmt.topics.cluster_metadata.cluster_records import CLUSTER_RECORDS
from kafkafmt.topics.cluster_metadata.image import Image
from kafkafmt.topics.cluster_metadata.setting_records import SETTING_RECORDS
from kafkafmt.topics.cluster_metadata.topic_records import TOPIC_RECORDS
from kafkafmt.topics.decoding import RECORD, StateMemory
from kafkafmt.topics.internal_log import InternalRecord

if TYPE_CHECKING:
    from kafkafmt.limits import Limits

MOST_KEPT: Final = 1000
"""Of what was passed over, this many are kept; all are counted."""

GREATEST_OFFSET: Final = 2**63 - 1
"""No log of Kafka's gets there, and no column could hold what lies above."""

_APPLY: Mapping[str, Callable[[Image, Mapping[str, Any]], None]] = {
    **TOPIC_RECORDS,
    **CLUSTER_RECORDS,
    **SETTING_RECORDS,
}
_BEGIN = "BEGIN_TRANSACTION_RECORD"
_END = "END_TRANSACTION_RECORD"
_ABORT = "ABORT_TRANSACTION_RECORD"


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A record that does not count.

    Attributes:
        offset: of the record.
        file: where it stands, as errors call the file.
        position: of its batch in that file, in bytes.
        record_type: Kafka's MetadataRecordType or the type of a control record; None where that cannot be read.
        error: why it does not count.
    """

    offset: int
    file: str
    position: int
    record_type: str | None
    error: KafkafmtError


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A transaction of the controller (KIP-868) that has not ended: none of it is in force.

    Attributes:
        offset: of its BeginTransactionRecord.
        name: what it is for, or None.
        records: how many it has so far.
    """

    offset: int
    name: str | None
    records: int


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A record of a transaction that has not ended."""

    entry: InternalRecord
    record_type: str
    data: Mapping[str, Any]
    memory: int


class Replay:
    """Takes records in their order.

    Args:
        limits: `max_state_bytes` bounds the image, and what waits for the end of a transaction.
        stored_bytes: size of the files that the records are from.
        end_offset: where it begins.
        epoch: likewise.
        timestamp: likewise.

    Attributes:
        image: what they add up to so far.
        end_offset: one above the last record taken.
        epoch: leader epoch of its batch; -1 before the first.
        timestamp: of it, ms; -1 before the first.
        records: how many were taken.
        passed_over: the first `MOST_KEPT` of what does not count.
        passed_over_count: how many do not.
    """

    def __init__(
        self,
        limits: "Limits",
        stored_bytes: int,
        end_offset: int = 0,
        epoch: int = -1,
        timestamp: int = -1,
    ) -> None:
        self.image = Image()
        self._memory = StateMemory("the metadata log", limits, stored_bytes, self.memory)
        self.end_offset = end_offset
        self.epoch = epoch
        self.timestamp = timestamp
        self.records = 0
        self.passed_over: list[PassedOver] = []
        self.passed_over_count = 0
        self._begun: tuple[int, str | None] | None = None
        self._waiting: list[_Waiting] = []

    @property
    def open_transaction(self) -> OpenTransaction | None:
        """The transaction that has not ended, or None."""
        return None if self._begun is None else OpenTransaction(*self._begun, len(self._waiting))

    def memory(self) -> int:
        """Estimate how many bytes the image and what waits take."""
        return self.image.memory() + sum(each.memory for each in self._waiting)

    def take(self, entry: InternalRecord) -> None:
        """Take the next record of the log; what cannot be applied is in `passed_over`.

        Raises:
            LimitExceededError: the state takes too much memory.
        """
        self.end_offset = min(entry.offset + 1, GREATEST_OFFSET)
        self.epoch = entry.leader_epoch
        self.timestamp = entry.timestamp
        self._take(entry)

    def take_of_snapshot(self, entry: InternalRecord) -> None:
        """Take the next record of a snapshot: its offsets are its own."""
        if entry.control_type == "SNAPSHOT_HEADER":
            header = self._control_value(entry)
            if header is not None:
                self.timestamp = header["lastContainedLogTimestamp"]
        self._take(entry)

    def _take(self, entry: InternalRecord) -> None:
        self.records += 1
        if entry.control_type is not None:
            self._control(entry)
            return
        record_type = None
        memory = 0
        try:
            record = metadata_records.decode(_required(entry.value))
            memory = record.message.memory + RECORD
            record_type, data = record.type, record.message.data
            if record_type == _BEGIN:
                self._begin(entry, data)
            elif record_type == _END:
                self._end()
            elif record_type == _ABORT:
                self._abort()
            elif self._begun is not None:
                memory += len(entry.value or b"")
                self._waiting.append(_Waiting(entry, record_type, data, memory))
            else:
                self._apply(record_type, data)
        except KafkafmtError as error:
            self._pass_over(entry, record_type, error)
        self._memory.add(memory, entry.file, entry.position)

    def _begin(self, entry: InternalRecord, data: Mapping[str, Any]) -> None:
        if self._begun is not None:
            raise CorruptError("a transaction begins inside another", found=f"one from offset {self._begun[0]}")
        self._begun = (entry.offset, data.get("name"))

    def _end(self) -> None:
        waiting = self._stop("ends")
        for each in waiting:
            try:
                self._apply(each.record_type, each.data)
            except KafkafmtError as error:
                self._pass_over(each.entry, each.record_type, error)

    def _abort(self) -> None:
        self._stop("is aborted")

    def _stop(self, what: str) -> list[_Waiting]:
        if self._begun is None:
            raise CorruptError(f"a transaction {what} that has not begun")
        waiting, self._waiting, self._begun = self._waiting, [], None
        return waiting

    def _apply(self, record_type: str, data: Mapping[str, Any]) -> None:
        apply = _APPLY.get(record_type)
        if apply is None:
            raise UnsupportedError("a metadata record of unknown effect", found=record_type)
        apply(self.image, data)

    def _control(self, entry: InternalRecord) -> None:
        value = self._control_value(entry)
        if value is None:
            return
        if entry.control_type == "LEADER_CHANGE":
            cluster_records.leader_change(self.image, value, entry.leader_epoch)
        elif entry.control_type == "KRAFT_VERSION":
            cluster_records.kraft_version(self.image, value)
        elif entry.control_type == "KRAFT_VOTERS":
            cluster_records.kraft_voters(self.image, value)

    def _control_value(self, entry: InternalRecord) -> control.ControlValue | None:
        try:
            if entry.control_type == control.UNKNOWN_CONTROL_TYPE:
                raise UnsupportedError("a control record of an unknown type")
            return control.value_of(entry.control_type or "", entry.value)
        except KafkafmtError as error:
            self._pass_over(entry, entry.control_type, error)
            return None

    def _pass_over(self, entry: InternalRecord, record_type: str | None, error: KafkafmtError) -> None:
        self.passed_over_count += 1
        if len(self.passed_over) < MOST_KEPT:
            error = without_traceback(error.at(entry.file, entry.position))
            self.passed_over.append(PassedOver(entry.offset, entry.file, entry.position, record_type, error))


def _required(value: bytes | None) -> bytes:
    if value is None:
        raise CorruptError("a metadata record without a value")
    return value
