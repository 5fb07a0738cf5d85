"""Explains which segments a scan reads, and which it leaves out and why: `Scan.explain`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from kafkafmt.notebook import html
from kafkafmt.scanning.task_selection import TaskSelector, order_of

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.scanning.tasks import ScanTask

_OTHER_PARTITION: Final = "topic or partition is not selected"
_OTHER_REPLICA: Final = "a better replica is read"
_BELOW: Final = "offsets are below the first one to read"
_BEYOND: Final = "offsets are beyond the last one to read"
_UNTRUE: Final = "the filter cannot be true, judging by partition and offsets"

SCHEMA: Final = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("file", pa.string()),
        ("baseOffset", pa.int64()),
        ("sizeInBytes", pa.int64()),
        ("isRead", pa.bool_()),
        ("reason", pa.string()),
        ("bytesToRead", pa.int64()),
        ("mostRecords", pa.int64()),
    ]
)
"""Columns: `reason` why a segment is left out; `mostRecords` by file names, null where these do not show it."""


@dataclass(frozen=True, repr=False)
class ExplainedScan:
    """The segments that a scan reads and leaves out. Made by `Scan.explain`.

    Attributes:
        rows: one row for each segment, with the columns of `SCHEMA`.
        records: number of records of a pass, counted like `Scan.count` by headers; None if that was not requested.
    """

    rows: Sequence[tuple[object, ...]]
    records: int | None = None

    @property
    def bytes_to_read(self) -> int:
        """Size of the segments to read, including bytes that a pass can skip by index or by header."""
        return sum(size for *_, size, _ in self.rows)  # type: ignore[misc]

    def to_table(self) -> pa.Table:
        """Make a table with one row per segment."""
        columns = zip(*self.rows, strict=True) if self.rows else [() for _ in SCHEMA]
        return pa.table(
            [pa.array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
        )

    def __str__(self) -> str:
        read = [row for row in self.rows if row[5]]
        counted = "" if self.records is None else f", {self.records:,} records"
        lines = [f"reads {len(read):,} of {len(self.rows):,} segments, {self.bytes_to_read:,} bytes{counted}"]
        reasons = [str(row[6]) for row in self.rows if not row[5]]
        lines += [f"left out: {reasons.count(reason):,} ({reason})" for reason in dict.fromkeys(reasons)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html(f"ExplainedScan: {self}", self.to_table(), of=len(self.rows))

    def __repr__(self) -> str:
        return f"<ExplainedScan: {str(self).partition(chr(10))[0]}>"


def explained(found: "Sequence[Found]", selector: TaskSelector) -> "Iterator[tuple[object, ...]]":
    """Rows of the segments of directories and files.

    Args:
        found: everything that was listed.
        selector: the selection.

    Raises:
        KafkafmtError: as raised by `TaskSelector.tasks`.
    """
    chosen, _ = selector.replicas(found)
    tasks: dict[str, ScanTask] = {}
    for group in selector.tasks(chosen):
        tasks.update((task.segment.path, task) for task in group)
    identities = {one.location.identity for one in chosen}
    for one in sorted(found, key=order_of):
        is_taken = selector.selection.takes(one.partition)
        for segment in one.segments:
            task = tasks.get(segment.path)
            reason = None
            if not is_taken:
                reason = _OTHER_PARTITION
            elif one.location.identity not in identities:
                reason = _OTHER_REPLICA
            elif task is None:
                reason = _why(selector, one, segment)
            size = 0 if task is None else task.size_in_bytes
            most = None if task is None else task.most_records_by_name
            yield (
                *(one.partition.topic, one.partition.partition, segment.file, segment.base_offset, segment.size),
                *(reason is None, reason, size, most),
            )


def _why(selector: TaskSelector, one: "Found", segment: "Segment") -> str:
    start, end = selector.bounds(one)
    if end is not None and segment.base_offset is not None and segment.base_offset >= end:
        return _BEYOND
    following = [each.base_offset for each in one.segments if (each.base_offset or 0) > (segment.base_offset or 0)]
    if start is not None and following and following[0] is not None and following[0] <= start:
        return _BELOW
    return _UNTRUE
