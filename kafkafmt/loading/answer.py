"""The answer of `kafkafmt.load`: a row for each partition, and one for each commit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.scanning import Offsets


@dataclass(slots=True)
class LoadedPartition:
    """The result of a load for a partition.

    Attributes:
        topic: its topic.
        partition: its number.
        start_offset: where the load began.
        end_offset: where the next load begins.
        records: number of records that were read between these offsets and committed.
        lost_offsets: number of offsets below the log start that no load has read: they were deleted before.
    """

    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    start_offset: Annotated[int, "int64"]
    end_offset: Annotated[int, "int64"]
    records: Annotated[int, "int64"] = 0
    lost_offsets: Annotated[int, "int64"] = 0

    @property
    def moved(self) -> bool:
        """Whether the next load begins at another offset than this one did."""
        return self.end_offset != self.start_offset


@dataclass(frozen=True, slots=True)
class LoadCommit:
    """One commit of a load.

    Attributes:
        commit: its name: "version 3" of Delta, "snapshot 7218645209345" of Iceberg, "run 2" of a directory.
        rows: number of rows that it adds.
        files: number of files that it adds.
        size: size of these files, in bytes.
        offsets: where the next load begins, as JSON.
    """

    commit: Annotated[str, "string"]
    rows: Annotated[int, "int64"]
    files: Annotated[int, "int64"]
    size: Annotated[int, Named("sizeInBytes", "int64")]
    offsets: Annotated[str, "string"]


@dataclass(repr=False)
class Loaded(TableAnswer):
    """The result of a load; made by `kafkafmt.load`.

    Attributes:
        to: the table.
        offsets: where the next load begins.
        done: the partitions.
        commits: the commits.
        damage: ranges of log files that were skipped.
        notes: sentences for the user; those on lost offsets are findings.
    """

    to: str
    offsets: "Offsets"
    done: list[LoadedPartition] = field(default_factory=list)
    commits: list[LoadCommit] = field(default_factory=list)
    damage: "Sequence[Damage]" = ()
    notes: "Sequence[Note]" = ()

    _TABLES: ClassVar = {
        "partitions": TableColumns(*columns_of(LoadedPartition)),
        "commits": TableColumns(*columns_of(LoadCommit)),
    }

    @property
    def rows_loaded(self) -> int:
        """Number of rows in all commits."""
        return sum(each.rows for each in self.commits)

    def _objects(self, name: str) -> Iterable[object]:
        return self.done if name == "partitions" else self.commits
