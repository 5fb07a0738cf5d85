"""One offset for each partition of a log directory: the four `*-offset-checkpoint` files in its root.

`recovery-point-offset-checkpoint`: offset up to which a partition is flushed; `replication-offset-checkpoint`: its high
watermark; `log-start-offset-checkpoint`: its log start offset, listed only if that is not the base offset of the first
segment; `cleaner-offset-checkpoint`: offset up to which the log cleaner has come. Kafka's OffsetCheckpointFile, version
0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.files import text
from kafkafmt.files.bounded import reader
from kafkafmt.libraries import pa

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class PartitionOffset:
    """One line of an offset checkpoint.

    Attributes:
        topic: name of the topic; anything without white space.
        partition: number of the partition.
        offset: its offset.
    """

    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    offset: Annotated[int, "int64"]


_TABLE = TableColumns(*columns_of(PartitionOffset))


@dataclass(frozen=True, slots=True)
class OffsetCheckpoint:
    """The offsets of a log directory's partitions.

    Attributes:
        entries: the entries in file order.
        file: name of the file, or None.
    """

    entries: tuple[PartitionOffset, ...]
    file: str | None

    @property
    def offsets(self) -> Mapping[tuple[str, int], int]:
        """The offsets by (topic, partition); if a partition has several lines, the last counts, as in Kafka."""
        return {(entry.topic, entry.partition): entry.offset for entry in self.entries}

    def to_table(self) -> "pa.Table":
        """Make a table of the entries: `topic` string, `partition` int32, `offset` int64."""
        return _TABLE.to_table(self.entries)


def parse(data: bytes | memoryview, *, file: str | None = None) -> OffsetCheckpoint:
    """Parse an offset checkpoint.

    Args:
        data: the whole file; an empty file, which brokers do leave, has no entries.
        file: its name, for error texts.

    Raises:
        UnsupportedError: the version is not 0.
        CorruptError: a line is malformed, or the number of entries differs from the declared one.
    """
    lines = text.checkpoint_lines(bytes(data), 3, file=file)
    return OffsetCheckpoint(
        tuple(PartitionOffset(line.values[0], line.integer(1, 32), line.integer(2, 64)) for line in lines), file
    )


def encode(entries: "Iterable[PartitionOffset]") -> bytes:
    """Make the file, as Kafka's `CheckpointFile` writes it."""
    return text.checkpoint(f"{entry.topic} {entry.partition} {entry.offset}" for entry in entries)


read = reader("offsets", parse)
