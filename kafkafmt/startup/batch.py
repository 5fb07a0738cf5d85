"""Batch: the header of an entry as a starting broker reads it, unchecked."""

import struct
from typing import NamedTuple, Protocol

from kafkafmt.reference.header import to_int64
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC, LOG_OVERHEAD, TRANSACTIONAL

_NO_TIMESTAMP = -1


_HEADER = struct.Struct(">qiibIhiqqqhii")


_LEGACY = struct.Struct(">qiIbbq")


class Batch(NamedTuple):
    """The header fields of an entry, unchecked.

    Attributes:
        position: start of the entry in the file, in bytes.
        size_in_bytes: size of the whole entry.
        base_offset: base offset; of a message or wrapper (v0, v1) its offset, which is that of its last record.
        last_offset: offset of the last record.
        magic: format of the entry.
        leader_epoch: partition leader epoch; -1 in v0 and v1.
        max_timestamp: highest timestamp in ms; of a message its timestamp.
        producer_id: producer id; -1 for none.
        producer_epoch: producer epoch; -1 for none.
        is_transactional: whether it belongs to a transaction.
        is_control: whether it holds a control record.
        records: number of records by the header; 1 in v0 and v1, whose headers lack it.
    """

    position: int
    size_in_bytes: int
    base_offset: int
    last_offset: int
    magic: int
    leader_epoch: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    is_transactional: bool
    is_control: bool
    records: int

    @property
    def end(self) -> int:
        """Position after the entry."""
        return self.position + self.size_in_bytes


class BatchSource(Protocol):
    """The segment of a batch: its name for errors, its place in the file, and the bytes of a batch."""

    @property
    def name(self) -> str:
        """Path of the log file."""

    @property
    def origin(self) -> int:
        """Position in the file, in bytes, from which positions of batches count."""

    def data(self, batch: Batch) -> memoryview:
        """Read the bytes of a batch."""


def described(head: memoryview, position: int) -> Batch:
    """Read the header of an entry that begins at this position of its file; `head` may be cut off."""
    magic = head[16] - 256 if head[16] > 127 else head[16]  # a signed byte
    if magic < CURRENT_MAGIC:
        padded = bytes(head[: _LEGACY.size]).ljust(_LEGACY.size, b"\0")
        offset, size, _, _, _, timestamp = _LEGACY.unpack(padded)
        timestamp = timestamp if magic else _NO_TIMESTAMP
        plain = {"is_transactional": False, "is_control": False}
        return Batch(position, LOG_OVERHEAD + size, offset, offset, magic, -1, timestamp, -1, -1, **plain, records=1)
    padded = bytes(head).ljust(_HEADER.size, b"\0")
    offset, size, epoch, _, _, attributes, delta, _, timestamp, producer, producer_epoch, _, count = _HEADER.unpack(
        padded
    )
    return Batch(
        position,
        LOG_OVERHEAD + size,
        offset,
        to_int64(offset + delta),
        magic,
        epoch,
        timestamp,
        producer,
        producer_epoch,
        bool(attributes & TRANSACTIONAL),
        bool(attributes & CONTROL),
        max(0, count),
    )
