"""What a record looks like as columns: names, types, order, and how records become Arrow arrays.

The names are those of DumpLogSegments and of Spark's `kafka` source. Where a format lacks a field the column holds -1.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from kafkafmt.reference.header import TIMESTAMP_TYPE_IDS, BatchHeader
from kafkafmt.reference.record import Record

# What a header takes in memory besides its bytes; it can have none.
_HEADER_OVERHEAD = 64

_HEADER = pa.struct([pa.field("key", pa.string(), nullable=False), pa.field("value", pa.binary())])


def _required(name: str, arrow_type: pa.DataType) -> pa.Field:
    return pa.field(name, arrow_type, nullable=False)


SCHEMA = pa.schema(
    [
        pa.field("key", pa.binary()),
        pa.field("value", pa.binary()),
        pa.field("topic", pa.string()),
        pa.field("partition", pa.int32()),
        _required("offset", pa.int64()),
        _required("timestamp", pa.timestamp("ms", tz="UTC")),
        _required("timestampType", pa.int32()),
        pa.field("headers", pa.list_(pa.field("element", _HEADER, nullable=False))),
        _required("partitionLeaderEpoch", pa.int32()),
        _required("producerId", pa.int64()),
        _required("producerEpoch", pa.int16()),
        _required("sequence", pa.int32()),
        _required("isTransactional", pa.bool_()),
        _required("isControl", pa.bool_()),
        pa.field("controlType", pa.string()),
        _required("magic", pa.int8()),
        _required("compression", pa.string()),
        _required("baseOffset", pa.int64()),
        _required("position", pa.int64()),
        _required("file", pa.string()),
    ]
)
"""All columns in their order; `timestamp` and all other times are ms since the epoch, unchanged (-1 stays -1)."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a run of records was read: what topic, partition and file say of each of them."""

    topic: str | None
    partition: int | None
    file: str


_OF_RECORD: dict[str, Callable[[Record], Any]] = {
    "key": lambda record: record.key,
    "value": lambda record: record.value,
    "offset": lambda record: record.offset,
    "timestamp": lambda record: record.timestamp,
    "timestampType": lambda record: TIMESTAMP_TYPE_IDS[record.timestamp_type],
    "headers": lambda record: record.headers or None,
    "sequence": lambda record: record.sequence,
    "controlType": lambda record: record.control_type,
}

_OF_BATCH: dict[str, Callable[[BatchHeader], Any]] = {
    "partitionLeaderEpoch": lambda batch: batch.partition_leader_epoch,
    "producerId": lambda batch: batch.producer_id,
    "producerEpoch": lambda batch: batch.producer_epoch,
    "isTransactional": lambda batch: batch.is_transactional,
    "isControl": lambda batch: batch.is_control_batch,
    "magic": lambda batch: batch.magic,
    "compression": lambda batch: batch.compression,
    "baseOffset": lambda batch: batch.base_offset,
    "position": lambda batch: batch.position,
}

_OF_ORIGIN: dict[str, Callable[[Origin], Any]] = {
    "topic": lambda origin: as_text(origin.topic),
    "partition": lambda origin: origin.partition,
    "file": lambda origin: as_text(origin.file),
}


def select(columns: Sequence[str] | None) -> pa.Schema:
    """Schema of the columns asked for, in that order; of all if None.

    Raises:
        ValueError: an unknown or repeated name, or none at all.
        TypeError: `columns` is a str.
    """
    if columns is None:
        return SCHEMA
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names, not the str {columns!r}")
    names = list(columns)
    unknown = [name for name in names if name not in SCHEMA.names]
    if unknown:
        raise ValueError(f"unknown columns {unknown}; known are {SCHEMA.names}")
    if not names or len(set(names)) != len(names):
        raise ValueError(f"columns must be one or more different names, not {names}")
    return pa.schema([SCHEMA.field(name) for name in names])


@dataclass
class RowBuffer:
    """Records on their way into one Arrow record batch.

    Attributes:
        schema: the columns to build; what is not in it is never computed.
        rows: number of records held.
        payload_bytes: bytes of keys, values and headers held.
    """

    schema: pa.Schema
    rows: int = 0
    payload_bytes: int = 0
    _records: list[Record] = field(default_factory=list)
    _runs: list[tuple[Origin, BatchHeader, int]] = field(default_factory=list)

    def take(self, origin: Origin, records: Iterator[Record], most_rows: int, most_bytes: int) -> bool:
        """Take records that come from one batch, until they end or the buffer is full.

        Returns:
            Whether the buffer is full; then `records` may hold more.
        """
        before = len(self._records)
        for record in records:
            self._records.append(record)
            self.payload_bytes += len(record.key or b"") + len(record.value or b"")
            for key, value in record.headers:
                self.payload_bytes += len(key) + len(value or b"") + _HEADER_OVERHEAD
            if len(self._records) >= most_rows or self.payload_bytes >= most_bytes:
                break
        self.rows = len(self._records)
        if self.rows > before:
            self._runs.append((origin, self._records[-1].batch, self.rows - before))
        return self.rows >= most_rows or self.payload_bytes >= most_bytes

    def flush(self) -> pa.RecordBatch:
        """Build the record batch of all that is held, and forget it."""
        arrays = [pa.array(self._column(each.name), type=each.type) for each in self.schema]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self.schema)
        self._records.clear()
        self._runs.clear()
        self.rows = self.payload_bytes = 0
        return batch

    def _column(self, name: str) -> list[Any]:
        of_record = _OF_RECORD.get(name)
        if of_record is not None:
            return [of_record(record) for record in self._records]
        column: list[Any] = []
        of_batch = _OF_BATCH.get(name)
        for origin, batch, count in self._runs:
            value = of_batch(batch) if of_batch is not None else _OF_ORIGIN[name](origin)
            column.extend([value] * count)
        return column


def as_text(name: str | None) -> str | None:
    """A name as Arrow can hold it: bytes of it that are no text become U+FFFD."""
    return name if name is None else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
