"""Trace: the steps of a look-up, passed to `trace` of `Partition.find_offset`.

Their order: a segment is chosen, its indexes are searched, a scan begins at the position they give, headers are read
until one fits, and there the entry or record is found.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.files.index_steps import (
    IndexEntryChosen,
    IndexEntryCompared,
    IndexKind,
    IndexNotBelieved,
    IndexOpened,
    Step,
    Trace,
)
from kafkafmt.reference.layout import CURRENT_MAGIC

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader

__all__ = [
    "BytesScanned",
    "EntryFound",
    "HeaderRead",
    "IndexEntryChosen",
    "IndexEntryCompared",
    "IndexKind",
    "IndexNotBelieved",
    "IndexOpened",
    "NothingFound",
    "RecordFound",
    "ScanBegun",
    "SegmentChosen",
    "Step",
    "Trace",
    "header_read",
    "scan_reason",
]


@dataclass(frozen=True, slots=True)
class SegmentChosen(Step):
    """A segment is about to be searched.

    Attributes:
        file: name of the log file, as the `file` column gives it.
        base_offset: base offset of the segment, from its name.
        reason: why this segment, in words.
    """

    file: str
    base_offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class ScanBegun(Step):
    """Headers are read from this position on.

    Attributes:
        file: name of the log file.
        position: position in bytes.
        reason: why this position, in words.
    """

    file: str
    position: int
    reason: str


@dataclass(frozen=True, slots=True)
class HeaderRead(Step):
    """The header of a batch, message or wrapper was read and compared.

    Attributes:
        file: name of the log file.
        position: position of the entry, in bytes.
        size_in_bytes: size of the whole entry.
        base_offset: first offset; None for a v0 or v1 wrapper, where only the content shows it.
        last_offset: highest offset.
        max_timestamp: largest timestamp in ms; -1 for none.
        may_hold: whether the entry may contain the wanted record; otherwise the scan continues after it.
        leader_epoch: leader epoch; None if the format has none.
    """

    file: str
    position: int
    size_in_bytes: int
    base_offset: int | None
    last_offset: int | None
    max_timestamp: int | None
    may_hold: bool
    leader_epoch: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class BytesScanned(Step):
    """The scan of a log file ended, with or without a result.

    Attributes:
        file: name of the log file.
        begin: position where it began, in bytes.
        end: position after the last byte that it reached.
    """

    file: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class EntryFound(Step):
    """The entry that a fetch begins with was found.

    Attributes:
        file: name of the log file.
        position: position of the entry, in bytes.
        base_offset: base offset of the entry; of a v0 or v1 wrapper, its last.
        size_in_bytes: size of the whole entry; None if its length is damaged.
    """

    file: str
    position: int
    base_offset: int
    size_in_bytes: int | None


@dataclass(frozen=True, slots=True)
class RecordFound(Step):
    """The record was found.

    Attributes:
        file: name of the log file.
        position: position of its batch, in bytes.
        offset: offset of the record.
        timestamp: timestamp of the record, in ms.
        leader_epoch: leader epoch of the batch; -1 if the format has none.
    """

    file: str
    position: int
    offset: int
    timestamp: int
    leader_epoch: int


@dataclass(frozen=True, slots=True)
class NothingFound(Step):
    """The record does not exist.

    Attributes:
        reason: why, in words.
    """

    reason: str


def header_read(file: str, header: "BatchHeader", *, may_hold: bool) -> HeaderRead:
    """Make the step of reading a header."""
    return HeaderRead(
        file,
        header.position,
        header.size_in_bytes,
        header.base_offset,
        header.last_offset,
        header.max_timestamp,
        may_hold,
        header.partition_leader_epoch if header.magic >= CURRENT_MAGIC else None,
    )


def scan_reason(begin: int) -> str:
    """Why a scan begins at a position of a log file, in words."""
    return "the start of the file" if begin == 0 else "where the offset index points"
