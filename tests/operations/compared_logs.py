"""Log directories to compare, with records given by a test."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafkafmt.files import offset_checkpoint
from kafkafmt.files.offset_checkpoint import PartitionOffset
from kafkafmt.operations import ComparedCopies
from kafkafmt.writing import BatchBuilder, LogWriter

Headers = tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True)
class Made:
    """A record to write."""

    offset: int
    value: bytes | None = b"v"
    timestamp: int = 1_700_000_000_000
    key: bytes | None = None
    headers: Headers = ()
    epoch: int = 0

    @property
    def content(self) -> tuple[object, ...]:
        return self.timestamp, self.key, self.value, self.headers


def write(
    log_dir: Path,
    records: Sequence[Made],
    *,
    per_batch: int = 1,
    compression: str = "none",
    start: int = 0,
    high_watermark: int | None = None,
    cleaned_to: int | None = None,
    message_format: int = 2,
    segment_bytes: int = 1 << 20,
) -> Path:
    """Make a log directory with the partition orders-0."""
    log_dir.mkdir(parents=True)
    log = LogWriter(log_dir / "orders-0", start_offset=start, segment_bytes=segment_bytes)
    left = list(records)
    while left:
        epoch = left[0].epoch
        part = [record for record in left[:per_batch] if record.epoch == epoch]
        part = part[: next((n for n, record in enumerate(part) if record is not left[n]), len(part))]
        left = left[len(part) :]
        batch = BatchBuilder(
            base_offset=part[0].offset,
            partition_leader_epoch=epoch if message_format == 2 else -1,
            compression=compression,
            message_format=message_format,
        )
        for record in part:
            batch.append(record.timestamp, record.key, record.value, record.headers, offset=record.offset)
        log.append(batch.build())
    log.close()
    for name, offset in (
        ("replication-offset-checkpoint", high_watermark),
        ("cleaner-offset-checkpoint", cleaned_to),
    ):
        if offset is not None:
            (log_dir / name).write_bytes(offset_checkpoint.encode([PartitionOffset("orders", 0, offset)]))
    return log_dir


def only_row(answer: ComparedCopies, table: str = "partitions") -> dict[str, Any]:
    (row,) = answer.to_table(table).to_pylist()
    return dict(row)


def shared(records: int) -> list[Made]:
    return [
        Made(offset, b"value %d" % offset, 1_700_000_000_000 + offset, b"k%d" % (offset % 3), (("h", None),))
        for offset in range(records)
    ]
