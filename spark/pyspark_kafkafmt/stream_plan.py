"""Splits of a batch of a stream: the offsets of each partition between two triggers, divided as for a batch read."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt import columns as record_columns
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.transactions import AbortedTransactions
from kafkafmt.scanning.file_selection import OffsetRange
from kafkafmt.scanning.planning import Planning
from kafkafmt.scanning.read_committed import ReadCommitted
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.splits import SplitReader
from pyspark_kafkafmt.planning import limits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kafkafmt.files.damage import Damage
    from kafkafmt.scanning.planning import Plan
    from kafkafmt.scanning.tasks import ScanTask
    from kafkafmt.serving.served_log import ServedLog
    from pyspark_kafkafmt.option_errors import TopicPartition
    from pyspark_kafkafmt.options import SourceOptions

_MOST_SPLITS = 20_000


def plan(
    options: "SourceOptions",
    columns: "Sequence[str]",
    logs: "Mapping[TopicPartition, ServedLog]",
    ranges: "Mapping[TopicPartition, tuple[int, int]]",
) -> "Plan":
    """Divide ranges of offsets into splits.

    Args:
        options: options of a batch read.
        columns: kafkafmt's columns to read.
        logs: the partitions.
        ranges: first offset to read of each partition, and first offset not to read.

    Raises:
        KafkafmtError: a file cannot be read.
    """
    limits = limits_of(options)
    selection = Selection(
        start_offset={key: start for key, (start, _) in ranges.items()},
        end_offset={key: end for key, (_, end) in ranges.items()},
        isolation_level=options.isolation_level,
    )
    on_damage = "raise" if options.mode == "FAILFAST" else "skip"
    reading = SplitReader(
        record_columns.select(columns),
        selection.of_records(),
        on_damage,  # type: ignore[arg-type]
        verify_checksums=True,
        limits=limits,
        engine="columnar",
        threads=1,
    )
    planning = Planning(
        max_split_bytes=options.max_partition_bytes,
        max_splits=_MOST_SPLITS,
        min_splits=options.min_partitions,
        max_records_per_split=options.max_records_per_partition,
        progress=None,
    )
    committed = None
    if options.isolation_level == "read_committed":
        committed = KnownTransactions(
            ends_at_high_watermark=False,
            on_damage=on_damage,  # type: ignore[arg-type]
            verify_checksums=True,
            limits=limits,
            logs=logs,
        )
    found = [Found(_whole(logs[key])) for key in ranges]
    return planning.plan(found, selection, "all", committed, reading)


def _whole(log: "ServedLog") -> Partition:
    """A partition up to its last whole batch: the bytes after it are still being written, and are not damage."""
    partition = log.partition
    if not log.is_followed:
        return partition
    last = log.segments[-1].name
    listing = [each.sized(log.sound_size) if each.name == last else each for each in partition.listing]
    return Partition(partition.location, prefix=partition.prefix, listing=listing, checkpoints=partition.checkpoints)


@dataclass(eq=False)
class KnownTransactions(ReadCommitted):
    """Limits offsets using transactions that are already known, without a walk over a log.

    Attributes:
        logs: the partitions; offsets end at their last stable offsets or before.
    """

    logs: "Mapping[TopicPartition, ServedLog]" = field(default_factory=dict)

    def narrow(self, found: Found, offsets: OffsetRange) -> OffsetRange:
        """Leave out the aborted transactions among the offsets."""
        partition = found.partition
        log = self.logs[partition.topic or "", partition.partition or 0]
        aborted = log.transactions.aborted(offsets.start or 0, log.log_end if offsets.end is None else offsets.end)
        if not aborted:
            return OffsetRange(offsets.start, offsets.end)
        columns = np.array(aborted, np.int64).T.copy()
        return OffsetRange(offsets.start, offsets.end, AbortedTransactions.of(None, *columns))

    def of_task(self, task: "ScanTask") -> "ScanTask":
        """Return the same task: a batch has few transactions."""
        return task

    def settle(self, met: "list[Damage]", report: "Callable[[Damage], None]") -> None:
        """Do nothing, as there was no walk over a log."""
