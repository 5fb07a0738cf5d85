"""InternalRecord: one record of an internal topic's log, in the form that replays take."""

from typing import NamedTuple

from kafkafmt.topics.decoding import RECORD


class InternalRecord(NamedTuple):
    """One record of an internal topic's log.

    Attributes:
        partition: number of the partition, or -1 if unknown.
        offset: offset of the record.
        timestamp: ms since the epoch; -1 for none.
        key: bytes of the key.
        value: bytes of the value; None for a tombstone.
        producer_id: producer id of its batch; -1 for none.
        producer_epoch: producer epoch of its batch; -1 for none.
        is_transactional: whether its batch is part of a transaction, as markers always are.
        control_type: type of a control record, "ABORT", "COMMIT", "LEADER_CHANGE", .., as in the `controlType` column;
            None for any other record. Key and value of a control record are Kafka's own.
        leader_epoch: leader epoch of its batch; -1 for none.
        file: log file, as in the `file` column.
        position: position of its batch in that file, in bytes.
    """

    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    producer_id: int
    producer_epoch: int
    is_transactional: bool
    control_type: str | None
    leader_epoch: int
    file: str
    position: int

    @property
    def memory(self) -> int:
        """Estimate of its size in bytes."""
        return RECORD + len(self.key or b"") + len(self.value or b"")
