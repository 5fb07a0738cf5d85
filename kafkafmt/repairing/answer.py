"""The answer of `kafkafmt.repair`: a row for each partition, and one for each stretch that is not kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from kafkafmt.repairing.sound import Dropped
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    from kafkafmt.files.damage import Note

_SCHEMAS = {
    "partitions": pa.schema(
        [
            ("topic", pa.string()),
            ("partition", pa.int32()),
            ("sources", pa.list_(pa.string())),
            ("keptBatches", pa.int64()),
            ("keptRecords", pa.int64()),
            ("keptBytes", pa.int64()),
            ("droppedBytes", pa.int64()),
            ("droppedRanges", pa.int64()),
            ("nodeId", pa.int32()),
            ("logDir", pa.string()),
        ]
    ),
    "dropped": pa.schema(
        [
            ("topic", pa.string()),
            ("partition", pa.int32()),
            ("file", pa.string()),
            ("position", pa.int64()),
            ("length", pa.int64()),
            ("reason", pa.string()),
            ("firstOffset", pa.int64()),
            ("lastOffset", pa.int64()),
            ("records", pa.int64()),
        ]
    ),
}


@dataclass(frozen=True, slots=True)
class RepairedPartition:
    """The result for a partition.

    Attributes:
        topic: its topic.
        partition: its number.
        sources: directories of the kept batches.
        kept_batches: how many batches are kept.
        kept_records: how many records they hold.
        kept_bytes: size of its segments.
        dropped: stretches of the best copy that are not kept.
        log_start_offset: base offset of the first segment.
        log_end_offset: of the new log.
        has_gaps: whether offsets are missing between its batches, or before them.
        filled: how many of the dropped stretches other copies fill.
        node_id: node that it is of, or None.
        log_dir: log directory of the source whose copy it is in.
        lent: of a partition that is not from there, offsets that its log directory's checkpoints have, by their kinds.
        error: why it is not there; "" where it is.
    """

    topic: str | None
    partition: int | None
    sources: tuple[str, ...]
    kept_batches: int
    kept_records: int
    kept_bytes: int
    dropped: tuple[Dropped, ...]
    log_start_offset: int
    log_end_offset: int
    has_gaps: bool
    filled: int = 0
    node_id: int | None = None
    log_dir: str = ""
    lent: Mapping[str, int] = field(default_factory=dict)
    error: str = ""


@dataclass(repr=False)
class Repaired(TableAnswer):
    """The kept and the dropped parts; made by `repair`.

    Attributes:
        done: the partitions.
        notes: parts that are not copied, and files that were rebuilt.
        advice: steps that Kafka does not take by itself where records are lost here and another broker may have them;
            or "".
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
    def schemas(cls) -> Mapping[str, pa.Schema]:
        """Schema of each table by its name: "partitions" (the main one), "dropped"."""
        return _SCHEMAS

    @property
    def partitions(self) -> pa.Table:
        """A row for each partition."""
        return self.to_table("partitions")

    @property
    def dropped(self) -> pa.Table:
        """A row for each stretch of a log file that is not kept."""
        return self.to_table("dropped")

    def rows(self, name: str) -> Iterable[Sequence[Any]]:
        """Rows of a table, with values in the order of its columns."""
        for each in self.done:
            if name == "partitions":
                yield (
                    each.topic,
                    each.partition,
                    each.sources,
                    each.kept_batches,
                    each.kept_records,
                    each.kept_bytes,
                    sum(one.length for one in each.dropped),
                    len(each.dropped),
                    each.node_id,
                    each.log_dir,
                )
                continue
            for one in each.dropped:
                yield (
                    each.topic,
                    each.partition,
                    one.file,
                    one.position,
                    one.length,
                    one.reason,
                    one.first_offset,
                    one.last_offset,
                    one.records,
                )
