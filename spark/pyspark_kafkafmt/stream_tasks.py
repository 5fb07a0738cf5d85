"""Tasks of a stream: files that a broker may delete, compact or rename between the plan of a batch and its reading.

A task knows its offsets and the inodes of its files. If a file is no longer the planned one, the partition's
directory is listed again, and the same offsets are read from the files that contain them now.
"""

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.io.source import locate
from kafkafmt.logdir.growth import status_of
from kafkafmt.logdir.partition import Partition
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC
from kafkafmt.scanning.splits import Split
from kafkafmt.serving.api import ServeOptions
from kafkafmt.serving.kept_batches import KeptBatches
from kafkafmt.serving.served_log import ServedLog
from pyspark_kafkafmt import option_errors
from pyspark_kafkafmt.planning import warn
from pyspark_kafkafmt.reader import SplitPartition
from pyspark_kafkafmt.stream_plan import plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from kafkafmt.scanning.planning import Plan
    from kafkafmt.scanning.splits import Report, SplitReader, TakeNote
    from kafkafmt.scanning.tasks import ScanTask
    from pyspark_kafkafmt.option_errors import TopicPartition
    from pyspark_kafkafmt.options import SourceOptions

_ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True)
class TaskOffsets:
    """The offsets that a task reads, independent of the files that contain them.

    Attributes:
        key: topic and number of the partition.
        directory: path of the partition.
        inode: inode of the planned file.
        start: first offset; None if it is unknown, as in files older than format 2.
        end: first offset that is not read.
    """

    key: "TopicPartition"
    directory: str
    inode: int
    start: int | None
    end: int


class StreamPartition(SplitPartition):
    """The part of one task of a stream.

    Attributes:
        stretches: one for each task of the split, or none in remote storage, where objects do not change.
        options: options of a batch read.
    """

    def __init__(
        self, reading: "SplitReader", split: Split, stretches: "Sequence[TaskOffsets]", options: "SourceOptions"
    ) -> None:
        super().__init__(reading, split)
        self.stretches = stretches
        self.options = options

    def batches(self, report: "Report", note: "TakeNote") -> "Iterator[pa.RecordBatch]":
        """The records of the split.

        Args:
            report: as for `SplitReader.read`.
            note: as for `SplitReader.read`.

        Raises:
            KafkafmtError: as for `SplitReader.read`.
            DataLossError: records were deleted meanwhile, and `failOnDataLoss` is true.
        """
        if not self.stretches or self.split is None:
            yield from super().batches(report, note)
            return
        for task, stretch in zip(self.split.tasks, self.stretches, strict=True):
            yield from _read(self.reading, task, stretch, self.options, report, note)


def stream_partitions(
    planned: "Plan", logs: "Mapping[TopicPartition, ServedLog]", options: "SourceOptions"
) -> "list[SplitPartition]":
    """The splits of a plan, each with the information needed to read its offsets from other files.

    Args:
        planned: the plan.
        logs: the partitions.
        options: options of a batch read.

    Raises:
        SourceError: a file cannot be read.
    """
    if not all(log.is_followed for log in logs.values()):
        return [SplitPartition(planned.reading, split) for split in planned.splits]
    tasks = list(chain.from_iterable(split.tasks for split in planned.splits))
    starts = [_start_of(task) for task in tasks]
    stretches: list[TaskOffsets] = []
    for number, (task, start) in enumerate(zip(tasks, starts, strict=True)):
        goes_on = number + 1 < len(tasks) and tasks[number + 1].offsets is task.offsets
        after = starts[number + 1] if goes_on else task.offsets.end
        key = (task.topic or "", task.partition or 0)
        directory = str(task.segment.location.parent)
        inode = _inode(task)
        is_known = start is not None and after is not None
        stretches.append(TaskOffsets(key, directory, inode, start if is_known else None, after or 0))
    made = iter(stretches)
    return [
        StreamPartition(planned.reading, split, [next(made) for _ in split.tasks], options) for split in planned.splits
    ]


def _start_of(task: "ScanTask") -> int | None:
    """The first offset that a task reads."""
    first: int | None = task.base_offset
    if task.begin:
        with task.segment.open() as file:
            header = file.read_at(task.begin, HEADER_SIZE_UP_TO_MAGIC)
        first = int.from_bytes(header[:8], "big", signed=True) if header[-1] >= CURRENT_MAGIC else None
    return None if first is None else max(first, task.offsets.start or 0)


def _inode(task: "ScanTask") -> int:
    status = status_of(task.segment.location.absolute)
    return -1 if status is None else status[1]


def _read(
    reading: "SplitReader",
    task: "ScanTask",
    stretch: TaskOffsets,
    options: "SourceOptions",
    report: "Report",
    note: "TakeNote",
    attempt: int = 1,
) -> "Iterator[pa.RecordBatch]":
    """Read a task; from other files, if they contain its offsets now."""
    batches = reading.read(Split((task,)), report, note)
    first, fault = None, None
    if _inode(task) == stretch.inode:
        try:
            first = next(batches, None)  # opens the file
        except KafkafmtError as error:
            fault = error
        if _inode(task) == stretch.inode and not isinstance(fault, SourceError):
            if fault is not None:
                raise fault
            yield from () if first is None else chain((first,), batches)
            return
    if stretch.start is None or attempt == _ATTEMPTS:
        raise fault or SourceError("the file was replaced since the batch was planned", file=task.segment.path)
    log = ServedLog(Partition(locate(stretch.directory).anchored()), ServeOptions(), warn, KeptBatches(), ())
    begin, end = max(log.start, stretch.start), min(log.log_end, stretch.end)
    lost = []
    if begin > stretch.start:
        lost.append(option_errors.deleted_before_read(stretch.key, stretch.start, min(begin, stretch.end)))
    if end < stretch.end:
        lost.append(option_errors.ends_early(stretch.key, stretch.end, end))
    for each in lost:
        if options.fail_on_data_loss:
            raise each
        warn(each.warning)
    if begin >= end:
        return
    planned = plan(options, reading.schema.names, {stretch.key: log}, {stretch.key: (begin, end)})
    for one in stream_partitions(planned, {stretch.key: log}, options):
        if isinstance(one, StreamPartition) and one.split is not None:
            for part, where in zip(one.split.tasks, one.stretches, strict=True):
                yield from _read(one.reading, part, where, options, report, note, attempt + 1)
