"""The files beside the partitions of a written log directory."""

import secrets
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.codec.java_text import format_uuid
from kafkafmt.files import clean_shutdown, meta_properties, offset_checkpoint
from kafkafmt.files.damage import Note
from kafkafmt.files.offset_checkpoint import PartitionOffset
from kafkafmt.libraries import pa
from kafkafmt.logdir.checkpoints import HIGH_WATERMARK_CHECKPOINT, RECOVERY_POINT_CHECKPOINT, REPAIR_CHECKPOINT
from kafkafmt.writing.segment_writer import write_at


@dataclass(frozen=True)
class Written:
    """The result of a write.

    Attributes:
        path: the log directory.
        cluster_id: the cluster id in meta.properties.
        node_id: the node id in meta.properties.
        directory_id: the directory id in meta.properties.
        topic_ids: id of each topic.
        partitions: a row for each partition: topic, partition, records, sizeInBytes, logStartOffset, logEndOffset.
        notes: differences from the source.
    """

    path: str
    cluster_id: str
    node_id: int
    directory_id: str
    topic_ids: Mapping[str, str]
    partitions: "pa.Table"
    notes: tuple[Note, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables."""
        return ("partitions",)

    def to_table(self, name: str | None = None) -> "pa.Table":
        """The table of partitions.

        Raises:
            ValueError: the table does not exist.
        """
        if name not in (None, "partitions"):
            raise ValueError(f"name must be one of {self.tables}, not {name!r}")
        return self.partitions


@dataclass(frozen=True, slots=True)
class WrittenPartition:
    """One partition that was written.

    Attributes:
        topic: its topic.
        partition: its number.
        records: how many it has.
        size: of its batches, bytes.
        start_offset: where its log begins.
        end_offset: where it ends.
    """

    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    records: Annotated[int, "int64"]
    size: Annotated[int, Named("sizeInBytes", "int64")]
    start_offset: Annotated[int, Named("logStartOffset", "int64")]
    end_offset: Annotated[int, Named("logEndOffset", "int64")]


WRITTEN_PARTITIONS = TableColumns(*columns_of(WrittenPartition))
"""The table of the written partitions."""


def close_log_dir(
    path: Path,
    partitions: Sequence[WrittenPartition],
    *,
    cluster_id: str,
    node_id: int,
    directory_id: str,
    has_gaps: bool = False,
) -> "pa.Table":
    """Write checkpoints, meta.properties and the mark of a clean shutdown; returns a row for each partition.

    Args:
        path: the directory.
        partitions: its partitions.
        cluster_id: for meta.properties.
        node_id: for meta.properties.
        directory_id: for meta.properties.
        has_gaps: whether missing offsets were left out on purpose.
    """
    ends = [PartitionOffset(each.topic, each.partition, each.end_offset) for each in partitions]
    contents = {
        **dict.fromkeys((RECOVERY_POINT_CHECKPOINT, HIGH_WATERMARK_CHECKPOINT), offset_checkpoint.encode(ends)),
        **({REPAIR_CHECKPOINT: offset_checkpoint.encode(ends)} if has_gaps else {}),
        "meta.properties": meta_properties.encode(
            cluster_id=cluster_id, node_id=node_id, directory_id=directory_id, now_ms=time.time_ns() // 1_000_000
        ),
        ".kafka_cleanshutdown": clean_shutdown.encode(),
    }
    for name, content in contents.items():
        write_at(path / name, content, 0)
    return WRITTEN_PARTITIONS.to_table(partitions)


def new_id() -> str:
    """Make a random id as Kafka's `Uuid.randomUuid` does: it never begins with a dash."""
    while True:
        made = format_uuid(uuid.UUID(bytes=secrets.token_bytes(16), version=4).bytes)
        if not made.startswith("-"):
            return made
