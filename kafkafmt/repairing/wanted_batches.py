"""The batches of an extract: which records of a scan are wanted in each, and the batch that has only these."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC
from kafkafmt.writing.batch_builder import BatchBuilder

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record import Record
    from kafkafmt.repairing.redaction import Redaction

COLUMNS = ("topic", "partition", "offset", "isControl", "position", "file")
"""Columns of the scan, besides the key if records are chosen by it."""


class WantedBatch(NamedTuple):
    """The wanted records of one batch."""

    topic: str
    partition: int
    file: str
    position: int
    offsets: npt.NDArray[np.int64]


class LogFiles(ExitStack):
    """The log files that batches are read from; the last file used stays open."""

    def __init__(self, partitions: "Sequence[Partition]") -> None:
        super().__init__()
        segments = (segment for partition in partitions for segment in partition.segments)
        self._segments: dict[str, Segment] = {segment.file: segment for segment in segments}
        self._open: tuple[str, File] | None = None

    def entry(self, wanted: WantedBatch) -> Entry:
        """Read a batch.

        Raises:
            SourceError: the batch cannot be read, or is no longer there.
        """
        if self._open is None or self._open[0] != wanted.file:
            self.close()
            self._open = (wanted.file, self.enter_context(self._segments[wanted.file].open()))
        file = self._open[1]
        head = file.read_at(wanted.position, HEADER_SIZE_UP_TO_MAGIC)
        size = Entry(head, wanted.file, wanted.position).frame.size_in_bytes
        data = file.read_at(wanted.position, size)
        if len(data) < size:
            raise SourceError("became shorter while it was read", file=file.name, position=wanted.position)
        return Entry(data, wanted.file, wanted.position)


def wanted_batches(batches: "Iterator[pa.RecordBatch]", key: bytes | None) -> Iterator[WantedBatch]:
    """Group the rows of a scan by batch; with a key, take its records and all control records."""
    last: WantedBatch | None = None
    for rows in batches:
        chosen = rows
        if key is not None:
            has_key = pc.fill_null(pc.equal(rows.column("key"), pa.scalar(key, pa.binary())), fill_value=False)
            chosen = rows.filter(pc.or_(rows.column("isControl"), has_key))
        for found in _groups(chosen):
            if last is not None and last[:4] == found[:4]:
                last = last._replace(offsets=np.concatenate([last.offsets, found.offsets]))
            else:
                if last is not None:
                    yield last
                last = found
    if last is not None:
        yield last


def _groups(rows: pa.RecordBatch) -> Iterator[WantedBatch]:
    if not rows.num_rows:
        return
    columns = {name: rows.column(name) for name in COLUMNS}
    for name in ("topic", "file"):
        columns[name] = columns[name].dictionary_encode() if pa.types.is_string(columns[name].type) else columns[name]
    offsets, positions = columns["offset"].to_numpy(), columns["position"].to_numpy()
    parts = [columns["topic"].indices.to_numpy(), columns["file"].indices.to_numpy(), columns["partition"].to_numpy()]
    changes = np.zeros(len(offsets), np.bool_)
    changes[0] = True
    for each in (*parts, positions):
        changes[1:] |= each[1:] != each[:-1]
    starts = np.flatnonzero(changes).tolist()
    for start, end in zip(starts, [*starts[1:], len(offsets)], strict=True):
        topic, file = columns["topic"][start].as_py(), columns["file"][start].as_py()
        yield WantedBatch(topic, int(parts[2][start]), file, int(positions[start]), offsets[start:end])


def batch_of(
    entry: Entry, asked: WantedBatch, redaction: "Redaction", limits: "Limits"
) -> "tuple[bytes | memoryview, BatchHeader]":
    """Bytes of a batch with the wanted records: the original ones, or encoded again."""
    header, offsets = entry.header(), asked.offsets
    if header.is_control_batch or (not redaction and header.magic >= CURRENT_MAGIC and header.count == len(offsets)):
        return entry.data, header
    records = list(entry.records(limits, header))
    if not redaction and len(records) == len(offsets):
        return entry.data, header
    wanted = set(offsets.tolist())
    chosen = [record for record in records if record.offset in wanted]
    return _encoded(header, chosen, redaction, f"{asked.topic}-{asked.partition}"), header


def _encoded(header: "BatchHeader", records: "Sequence[Record]", redaction: "Redaction", place: str) -> bytes:
    """A batch with some of its records, as Kafka's cleaner leaves it (`MemoryRecords.filterTo`)."""
    is_batch = header.magic >= CURRENT_MAGIC
    builder = BatchBuilder(
        message_format=header.magic,
        compression=header.compression or "none",
        timestamp_type=header.timestamp_type or "CreateTime",
        log_append_time=-1 if header.max_timestamp is None else header.max_timestamp,
        base_offset=header.base_offset if is_batch and header.base_offset is not None else records[0].offset,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        is_transactional=header.is_transactional,
        is_control=header.is_control_batch,
        partition_leader_epoch=header.partition_leader_epoch,
        delete_horizon_ms=header.delete_horizon_ms,
    )
    for record in records:
        try:
            key, value = redaction.key(record.key, record.headers), redaction.value(record.value, record.headers)
        except KafkafmtError as error:
            error.message = f"{place}, offset {record.offset}: {error.message}"
            raise
        builder.append(record.timestamp, key, value, redaction.headers(record.headers), offset=record.offset)
    return builder.build(header.last_offset if is_batch else None)


def check_offsets(header: "BatchHeader", end: int) -> None:
    """Check that a log can contain a batch after the present ones.

    Raises:
        ValueError: a log cannot contain the batch there.
    """
    last = header.last_offset or 0
    first = header.base_offset if header.magic >= CURRENT_MAGIC and header.base_offset is not None else last
    if first < 0 or not first <= last < INT64_MAX:
        raise ValueError(f"no log has offsets {first} to {last}")
    if first < end:
        raise ValueError(f"the offsets go back to {first}: no log has both")
