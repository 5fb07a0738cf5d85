"""The answer of `kafkafmt.repair`: a row for each partition, and one for each range that is not kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

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
        topic: its topic.
        partition: its number.
        sources: directories of the kept batches.
        kept_batches: number of kept batches.
        kept_records: number of their records.
        kept_bytes: size of its segments.
        dropped: ranges of the best copy that are not kept.
        log_start_offset: base offset of the first segment.
        log_end_offset: of the new log.
        has_gaps: whether offsets are missing between its batches, or before them.
        filled: how many of the dropped stretches other copies fill.
        node_id: node that it is of, or None.
        log_dir: log directory of the source whose copy it is in.
        lent: of a partition that is not from there, offsets that its log directory's checkpoints have, by their kinds.
        error: why it is not there; "" where it is.
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
    has_gaps: bool
    filled: int = 0
    node_id: Annotated[int | None, "int32"] = None
    log_dir: Annotated[str, "string"] = ""
    lent: Mapping[str, int] = field(default_factory=dict)
    error: str = ""


_PARTITIONS = TableColumns(
    *columns_of(RepairedPartition, to="dropped"),
    ("droppedBytes", "int64", lambda each: sum(one.length for one in each.dropped)),
    ("droppedRanges", "int64", lambda each: len(each.dropped)),
    *columns_of(RepairedPartition, after="dropped"),
)
_DROPPED = TableColumns(*columns_of(Dropped))


@dataclass(repr=False)
class Repaired(TableAnswer):
    """The kept and the dropped parts; made by `repair`.

    Attributes:
        done: the partitions.
        notes: parts that are not copied, and files that were rebuilt.
        advice: manual steps if records are lost here and another broker may have them; or "".
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

    @classmethod
    def schemas(cls) -> "Mapping[str, pa.Schema]":
        """Schema of each table by its name: "partitions" (the main one), "dropped"."""
        names = [_PARTITIONS.schema.field(number) for number in range(2)]
        return {"partitions": _PARTITIONS.schema, "dropped": pa.schema([*names, *_DROPPED.schema])}

    @property
    def partitions(self) -> "pa.Table":
        """A row for each partition."""
        return self.to_table("partitions")

    @property
    def dropped(self) -> "pa.Table":
        """A row for each range of a log file that is not kept."""
        return self.to_table("dropped")

    def rows(self, name: str) -> Iterable[Sequence[Any]]:
        """Rows of a table, with values in the order of its columns."""
        if name == "partitions":
            return map(_PARTITIONS.row, self.done)
        return ((each.topic, each.partition, *_DROPPED.row(one)) for each in self.done for one in each.dropped)
