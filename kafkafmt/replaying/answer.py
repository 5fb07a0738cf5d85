"""Replayed: the answer of `kafkafmt.replay`. docs/replay.md describes its table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.libraries import pa
from kafkafmt.phrases import counted
from kafkafmt.replaying.lanes import Lane, Progress
from kafkafmt.replaying.replayed_offsets import ReplayedOffsets

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage, Note


@dataclass(frozen=True, slots=True)
class ReplayedPartition:
    """The result of a replay for a partition.

    Attributes:
        topic: of the source.
        partition: of the source.
        target_topic: the topic of the target.
        target_partition: the partition of the target.
        records: number of records that this start has sent, or in a dry run would send.
        before: number of records that earlier starts of the run have sent.
        next_offset: offset in the source where the next start continues.
        target_start: offset in the target where the run began.
        target_end: offset in the target after the run's last record; null for a dry run.
    """

    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    target_topic: Annotated[str, "string"]
    target_partition: Annotated[int, "int32"]
    records: Annotated[int, "int64"]
    before: Annotated[int, Named("recordsBefore", "int64")]
    next_offset: Annotated[int, "int64"]
    target_start: Annotated[int | None, "int64"]
    target_end: Annotated[int | None, "int64"]


def row_of(lane: Lane, before: Progress, after: Progress) -> ReplayedPartition:
    """The row of a partition.

    Args:
        lane: the partition.
        before: the lane's position when this start began.
        after: the lane's position now.
    """
    return ReplayedPartition(
        lane.topic,
        lane.partition,
        *lane.target,
        after.records - before.records,
        before.records,
        after.offset,
        after.start,
        after.target,
    )


_TABLE: Final = TableColumns(*columns_of(ReplayedPartition))
REPLAYED: Final = _TABLE.schema
"""Columns of `Replayed.partitions`."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """The answer of `kafkafmt.replay`.

    Attributes:
        run: name of the run, by which another start continues it.
        is_dry: whether this was a dry run, which sends nothing.
        rows: the partitions.
        refusals: reasons why a dry run would send nothing.
        warnings: facts that the user must know.
        offset_map: offsets, in source and target, of the records that this start has sent.
        damage: ranges of log files that were skipped; their records are not in the target.
        notes: other faults of the source.
    """

    run: str
    is_dry: bool
    rows: tuple[ReplayedPartition, ...]
    refusals: tuple[str, ...]
    warnings: tuple[str, ...]
    offset_map: ReplayedOffsets
    damage: "tuple[Damage, ...]" = ()
    notes: "tuple[Note, ...]" = ()

    @property
    def records(self) -> int:
        """Number of records that this start has sent, or that a dry run would send."""
        return sum(each.records for each in self.rows)

    @property
    def partitions(self) -> "pa.Table":
        """A row for each partition, with the columns `REPLAYED`."""
        return _TABLE.to_table(self.rows)

    def __repr__(self) -> str:
        return f"<Replayed: run {self.run}, {counted(self.records, 'record')}, {counted(len(self.rows), 'partition')}>"
