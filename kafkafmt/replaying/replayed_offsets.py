"""ReplayedOffsets: the target's offset of each record of the source."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import numpy as np
import pyarrow as pa

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import SourceError
from kafkafmt.replaying.lanes import Int64s, Lane
from kafkafmt.writing.target import kafkas_place


class ReplayedOffset(NamedTuple):
    """A record of the map, which has them in the order of the source's offsets.

    Attributes:
        topic: name of the topic.
        partition: number of the partition.
        offset: offset of the record.
        target_topic: name of the topic in the target.
        target_partition: number of the partition in the target.
        target_offset: offset of the record in the target.
    """

    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    offset: Annotated[int, "int64"]
    target_topic: Annotated[str, "string"]
    target_partition: Annotated[int, "int32"]
    target_offset: Annotated[int, "int64"]


_SCHEMA: Final = TableColumns(*columns_of(ReplayedOffset)).schema
OFFSET_MAP: Final = pa.schema([each.with_nullable(nullable=False) for each in _SCHEMA])
"""Columns of the map; none has nulls."""

_ROWS: Final = 1 << 18


@dataclass(slots=True)
class ReplayedOffsets:
    """Runs of records whose offsets rise by one both in the source and in the target.

    Attributes:
        runs: for each lane, runs of first offset in the source, first offset in the target, and number of records.
    """

    runs: dict[Lane, list[tuple[int, int, int]]] = field(default_factory=dict)

    def add(self, lane: Lane, offsets: Int64s, targets: Int64s) -> None:
        """Append records to those of a lane.

        Args:
            lane: the lane.
            offsets: rising offsets in the source.
            targets: rising offsets in the target.
        """
        if not len(offsets):
            return
        runs = self.runs.setdefault(lane, [])
        is_new = (np.diff(offsets) != 1) | (np.diff(targets) != 1)
        begins = np.concatenate([[0], np.flatnonzero(is_new) + 1, [len(offsets)]])
        for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
            source, target, count = int(offsets[begin]), int(targets[begin]), end - begin
            if runs and runs[-1][0] + runs[-1][2] == source and runs[-1][1] + runs[-1][2] == target:
                runs[-1] = (*runs[-1][:2], runs[-1][2] + count)
            else:
                runs.append((source, target, count))

    def extend(self, other: "ReplayedOffsets") -> None:
        """Append the records of another map, which follow those of this one."""
        for lane, runs in other.runs.items():
            self.runs.setdefault(lane, []).extend(runs)

    @property
    def records(self) -> int:
        """Number of records."""
        return sum(count for runs in self.runs.values() for _, _, count in runs)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, with the columns `OFFSET_MAP`."""
        for lane in sorted(self.runs, key=lambda lane: (lane.topic, lane.partition)):
            for source, target, count in self.runs[lane]:
                for begin in range(0, count, _ROWS):
                    size = min(_ROWS, count - begin)
                    yield pa.record_batch(
                        [
                            pa.repeat(lane.topic, size),
                            pa.repeat(pa.scalar(lane.partition, pa.int32()), size),
                            pa.array(np.arange(source + begin, source + begin + size)),
                            pa.repeat(lane.target[0], size),
                            pa.repeat(pa.scalar(lane.target[1], pa.int32()), size),
                            pa.array(np.arange(target + begin, target + begin + size)),
                        ],
                        schema=OFFSET_MAP,
                    )

    def to_table(self) -> pa.Table:
        """The rows as a table."""
        return pa.Table.from_batches(self.batches(), OFFSET_MAP)

    @staticmethod
    def check_place(path: str | PathLike[str]) -> None:
        """Check that the file can be written, before anything is sent.

        Raises:
            SourceError: the file cannot be written, or lies where a broker would find it.
        """
        target = os.path.realpath(path)
        found = kafkas_place(target)
        if found is not None:
            raise SourceError(f"lies in {found[0]}, which has {found[1]}; choose another directory", file=str(path))
        if not os.access(os.path.dirname(target), os.W_OK | os.X_OK) or os.path.isdir(target):
            raise SourceError("cannot be written: its directory does not exist or is not writable", file=str(path))

    def write(self, path: str | PathLike[str]) -> None:
        """Write the rows as Parquet; the file appears when it is complete.

        Raises:
            SourceError: the file cannot be written.
        """
        import pyarrow.parquet as pq  # noqa: PLC0415 - a replay without a map does not need it

        target = Path(path)
        part = target.with_name(f".{target.name}.part")
        encodings = {"offset": "DELTA_BINARY_PACKED", "targetOffset": "DELTA_BINARY_PACKED"}
        try:
            with pq.ParquetWriter(
                part, OFFSET_MAP, use_dictionary=["topic", "targetTopic"], column_encoding=encodings
            ) as writer:
                for batch in self.batches():
                    writer.write_batch(batch)
            part.replace(target)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            text = f"cannot be written: {reason}. The records are sent: the same command again writes the map"
            raise SourceError(text, file=str(path)) from error
        finally:
            part.unlink(missing_ok=True)
