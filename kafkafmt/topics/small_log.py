"""Reads the records of a small log of an internal topic entry by entry, with the reference engine.

They are the same as those of a scan (`kafkafmt.topics.record_rows.scan_of`), but Arrow need not be loaded.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from kafkafmt.arrays import as_text
from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.layout import (
    COMPRESSION,
    CURRENT_MAGIC,
    RECORD_BATCH_OVERHEAD,
    crc_span,
    read_frame,
    stored_crc,
)
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.task_selection import TaskSelector
from kafkafmt.topics.internal_record import InternalRecord

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.scanning.batching import Run


_NUMBER = re.compile(r"(\d+)", re.ASCII)


@dataclass(slots=True)
class LogReport:
    """The reports of one reading of a log.

    Attributes:
        damage: ranges that were not read, in order.
        notes: reports that are not damage, each once.
    """

    damage: "list[Damage]" = field(default_factory=list)
    notes: "dict[Note, None]" = field(default_factory=dict)

    def notes_by_place(self) -> "list[Note]":
        """The notes sorted by file and position, as the two ways to read a log find them in different orders."""
        return sorted(self.notes, key=_numbers_as_numbers)


def _numbers_as_numbers(text: str) -> list[str | int]:
    return [int(part) if number % 2 else part for number, part in enumerate(_NUMBER.split(text))]


def is_small(segments: "Iterable[Segment]", most: int) -> bool:
    """Whether a log is read faster entry by entry: it is small, and has only sound, uncompressed batches.

    A kilobyte of a compressed batch may be a million records or headers, and damage may hide such a batch.

    Args:
        segments: segments of the log.
        most: maximal size of the log in bytes.
    """
    logs = list(segments)
    if any(segment.location.read_at_once > 1 for segment in logs):
        return False  # inspecting it would cost as much as reading it
    return sum(segment.size for segment in logs) <= most and all(map(_is_plain, logs))


def _is_plain(segment: "Segment") -> bool:
    try:
        with segment.open() as file:
            data = memoryview(file.read_at(0, file.size))
    except KafkafmtError:
        return True  # reading the log will report the error
    position, covered = 0, crc_span(CURRENT_MAGIC)[1]
    while position + RECORD_BATCH_OVERHEAD <= len(data):
        frame = read_frame(data, position)
        entry = data[position : position + frame.size_in_bytes] if frame.size > 0 else data[:0]
        if len(entry) < RECORD_BATCH_OVERHEAD or frame.magic != CURRENT_MAGIC:
            return False
        # The CRC covers the bytes from the attributes on, whose second byte has the codec.
        if entry[covered + 1] & COMPRESSION or crc32c(entry[covered:]) != stored_crc(entry, CURRENT_MAGIC):
            return False
        position += frame.size_in_bytes
    return position == len(data)


def records_by_entry(
    found: "Sequence[Found]",
    start_offset: int | None,
    end_offset: int | None,
    on_damage: "OnDamage",
    limits: "Limits",
    report: LogReport,
    advance: Callable[[int], None] | None = None,
    *,
    partition: int = 0,
    sources: "Sources | None" = None,
) -> Generator[InternalRecord, None, None]:
    """Read the records of a partition, control records included, in order.

    Args:
        found: directories of the partition, or files in them, without other replicas.
        start_offset: first offset to read, or None.
        end_offset: end offset (exclusive), or None.
        on_damage: "raise" at the first damage, or "skip" it.
        limits: bounds of memory.
        report: collects damage and notes.
        advance: called with numbers of bytes as they are passed; None for no calls.
        partition: number of the partition.
        sources: receives errors of unreadable files; None to raise them.

    Raises:
        KafkafmtError: at damage (`on_damage="raise"`), or if a file cannot be read.
    """
    wanted = Selection(control_records=True, start_offset=start_offset, end_offset=end_offset)
    reading = Pass(
        wanted,
        on_damage,
        verify_checksums=True,
        limits=limits,
        report=report.damage.append,
        note=report.notes.setdefault,
        engine="reference",
        sources=sources,
        advance=advance,
    )
    selector = TaskSelector(wanted, "all", reading.broken, reading.note)
    logs, _ = selector.replicas(found)
    for run in reading.runs(chain.from_iterable(selector.tasks(logs))):
        yield from _records_of(run, partition)


def _records_of(run: "Run", partition: int) -> Iterator[InternalRecord]:
    file = as_text(run.origin.file) or ""
    for record in run.records:
        batch = record.batch
        yield InternalRecord(
            partition,
            record.offset,
            record.timestamp,
            _stored(record.key),
            _stored(record.value),
            batch.producer_id,
            batch.producer_epoch,
            batch.is_transactional,
            record.control_type,
            batch.partition_leader_epoch,
            file,
            batch.position,
        )


def _stored(value: bytes | memoryview | None) -> bytes | None:
    """A copy of a key or value, which outlives the memory of its window."""
    return None if value is None else bytes(value)
