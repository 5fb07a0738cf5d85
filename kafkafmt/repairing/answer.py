"""The answer of `kafkafmt.repair`: a row for each partition, and one for each range that is not kept."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.libraries import pa
from kafkafmt.repairing.sound import Dropped
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    from kafkafmt.files.damage import Note


@dataclass(frozen=True, slots=True)
class RepairedPartition:
    """The result for a partition.

    Attributes:
        topic: name of the topic, or None.
        partition: number of the partition, or None.
        sources: directories of the kept batches.
        kept_batches: number of kept batches.
        kept_records: number of their records.
        kept_bytes: size of its new log files.
        dropped: ranges of the best copy that are not kept.
        log_start_offset: base offset of the first segment.
        log_end_offset: log end of the new log.
        end_on_disk: log end of the node's own copy before it was filled; that of the new log if it has none.
        has_gaps: whether offsets are missing between its batches, or before them.
        filled: how many of the dropped stretches other copies fill.
        node_id: node id of its log directory, or None.
        log_dir: log directory of the source, in whose copy it is.
        lent: offsets in its log directory's checkpoints, by kind, if the partition is not from that directory.
        error: why it was not written; "" if it was.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    sources: Annotated[tuple[str, ...], "list<string>"]
    kept_batches: Annotated[int, "int64"]
    kept_records: Annotated[int, "int64"]
    kept_bytes: Annotated[int, "int64"]
    dropped: tuple[Dropped, ...]
    log_start_offset: int
    log_end_offset: int
    end_on_disk: int
    has_gaps: bool
    filled: int = 0
    node_id: Annotated[int | None, "int32"] = None
    log_dir: Annotated[str, "string"] = ""
    lent: Mapping[str, int] = field(default_factory=dict)
    error: str = ""

    @property
    def dropped_bytes(self) -> Annotated[int, "int64"]:
        """Bytes of log files that are not kept."""
        return sum(each.length for each in self.dropped)

    @property
    def dropped_ranges(self) -> Annotated[int, "int64"]:
        """Ranges of log files that are not kept."""
        return len(self.dropped)


class _DroppedRange(NamedTuple):
    partition: RepairedPartition
    dropped: Dropped


@dataclass(repr=False)
class Repaired(TableAnswer):
    """The kept and the dropped parts of a repair; made by `repair`.

    Attributes:
        done: the repaired partitions.
        notes: parts that are not copied, and files that were rebuilt.
        advice: manual steps if records are lost here that another broker may have; or "".
    """

    done: list[RepairedPartition] = field(default_factory=list)
    notes: "tuple[Note, ...]" = ()
    advice: str = ""

    damage: ClassVar[tuple[()]] = ()
    """Empty: damage is in the table "dropped"."""

    findings: ClassVar[tuple[()]] = ()
    """Empty: damage is in the table "dropped"."""

    skipped_replicas: ClassVar[tuple[()]] = ()
    """Empty: every copy is read."""

    _TABLES: ClassVar = {
        "partitions": TableColumns(
            *columns_of(RepairedPartition, to="dropped"),
            *columns_of(RepairedPartition, only=("dropped_bytes", "dropped_ranges")),
            *columns_of(RepairedPartition, after="dropped", to="error"),
        ),
        "dropped": TableColumns(
            *columns_of(RepairedPartition, "partition", to="partition"), *columns_of(Dropped, "dropped")
        ),
    }

    @property
    def partitions(self) -> "pa.Table":
        """A table with a row for each partition."""
        return self.to_table("partitions")

    @property
    def dropped(self) -> "pa.Table":
        """A table with a row for each range of a log file that is not kept."""
        return self.to_table("dropped")

    def _objects(self, name: str) -> Iterable[object]:
        if name == "partitions":
            return self.done
        return (_DroppedRange(each, one) for each in self.done for one in each.dropped)
