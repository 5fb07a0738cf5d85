"""The writer: writes the rows of a DataFrame as a log directory; each task writes a part, the driver combines them."""

import logging
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceWriter, WriterCommitMessage
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    Row,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

import kafkafmt
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import partition_metadata
from kafkafmt.libraries import pc
from kafkafmt.phrases import counted
from kafkafmt.writing.log_dir import WrittenPartition, close_log_dir, new_id
from kafkafmt.writing.partitions import OffsetOrderError, PartitionWriters
from kafkafmt.writing.row_encoder import HEADERS
from kafkafmt.writing.rows import NAMES, records_of
from kafkafmt.writing.segment_writer import write_at
from kafkafmt.writing.target import (
    PRIVATE_DIRECTORY,
    check_target,
    left_of,
    local_path,
    make_parents,
    new_directory,
    remove_empty,
    share,
    work_directory,
)
from pyspark_kafkafmt.columns import TIMESTAMP_MS
from pyspark_kafkafmt.sink_options import SinkOptions
from pyspark_kafkafmt.worker import freeze, plainly

try:
    from pyspark.sql.datasource import DataSourceArrowWriter
except ImportError:  # Spark 4.0 hands out rows
    DataSourceArrowWriter = None  # type: ignore[assignment,misc]

_LOG: Final = logging.getLogger(__package__)
_ROWS: Final = 8192
_SORTED: Final = 'sort them: df.repartition("topic", "partition").sortWithinPartitions("topic", "partition", "offset")'


@dataclass
class WrittenPart(WriterCommitMessage):
    """The files that a task wrote.

    Attributes:
        path: directory with its partitions.
        partitions: the partitions in it.
        topic_ids: id of each topic.
    """

    path: str
    partitions: Sequence[WrittenPartition]
    topic_ids: Mapping[str, str]


class _Parts:
    """Writes parts next to the target, and the target from the parts.

    Args:
        options: options of the data source.
        schema: schema of the DataFrame.

    Raises:
        SourceError: the target exists, or is not a local path, or cannot be created.
    """

    def __init__(self, options: SinkOptions, schema: StructType) -> None:
        self._options = options
        taken = (*NAMES, "isControl", TIMESTAMP_MS)
        self._schema = StructType([field for field in schema.fields if field.name in taken])
        self._target = local_path(options.path)
        check_target(self._target, ())
        for note in left_of(self._target):
            _LOG.warning("kafkafmt: %s", note)
        self._made = make_parents(self._target)
        try:
            self._parts = work_directory(self._target)
        except BaseException:
            remove_empty(self._made)
            raise

    def write_part(self, batches: Iterator[pa.RecordBatch]) -> WrittenPart:
        """Write the rows of a task.

        Raises:
            ValueError: a row is invalid.
            KafkafmtError: the part cannot be written.
        """
        context = TaskContext.get()
        part = self._parts / ("0-0" if context is None else f"{context.partitionId()}-{context.taskAttemptId()}")
        written = None
        try:
            part.mkdir(PRIVATE_DIRECTORY)
            output = PartitionWriters(part, self._options.rows, _now())
            for batch in batches:
                timed = _with_all_times(batch, self._options.rows.message_format)
                output.add(records_of(timed, self._options.rows.message_format, keeps_producers=False))
            written = WrittenPart(str(part), output.close(), output.topic_ids)
        except OSError as error:
            raise SourceError(f"cannot be written: {error.strerror}", file=str(self._target)) from None
        except (ValueError, KafkafmtError) as error:
            raise self._described(error) from None
        finally:
            if written is None:
                shutil.rmtree(part, ignore_errors=True)
            freeze()
        return written

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Combine the parts to the log directory, and rename it to its final name.

        Raises:
            ValueError: parts of a partition have the same offset.
            KafkafmtError: the log directory cannot be written.
        """
        parts = [message for message in messages if isinstance(message, WrittenPart)]
        node: dict[str, Any] = {"cluster_id": new_id(), "node_id": 0, "directory_id": new_id(), **self._options.node}
        try:
            with new_directory(self._target) as work:
                done = self._put_together(parts, work)
                self._options.rows.check_topics({each.topic for each in done})
                close_log_dir(work, done, **node)
                # Spark does not show where the rows were read from, so no source is named.
                share(work, (), below=True)
        except (ValueError, KafkafmtError) as error:
            raise self._described(error) from None
        finally:
            self._remove_parts()

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:  # noqa: ARG002 - Spark's interface
        """Remove the files that the tasks wrote, and the directories made for them."""
        self._remove_parts()
        remove_empty(self._made)

    def _remove_parts(self) -> None:
        # Renamed before it is removed, so that tasks that Spark has not killed yet cannot write into it.
        gone = self._parts.with_suffix(".gone")
        with suppress(OSError):
            self._parts.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def _put_together(self, parts: Sequence[WrittenPart], work: Path) -> list[WrittenPartition]:
        """Move partitions that a single task wrote, and write the others again."""
        topic_ids: dict[str, str] = {}
        held: dict[tuple[str, int], list[tuple[Path, WrittenPartition]]] = {}
        for part in parts:
            topic_ids = {**part.topic_ids, **topic_ids}
            for written in part.partitions:
                directory = Path(part.path, f"{written.topic}-{written.partition}")
                if not directory.is_dir():
                    raise SourceError(
                        "a part that a task wrote is missing: all machines must share this storage",
                        file=str(directory),
                    )
                held.setdefault((written.topic, written.partition), []).append((directory, written))
        done = []
        rows = replace(self._options.rows, topic=None, partitions=None, topic_ids=topic_ids)
        output = PartitionWriters(work, rows, _now())
        for (topic, number), found in held.items():
            if len(found) == 1:
                directory, written = found[0]
                os.rename(directory, work / directory.name)
                id_file = work / directory.name / "partition.metadata"
                write_at(id_file, partition_metadata.encode(topic_ids[topic]), 0)
                done.append(written)
                continue
            for batch in _merged([directory for directory, _ in found], has_offsets="offset" in self._schema.names):
                columns = {"topic": pa.nulls(len(batch), pa.string()).fill_null(topic)}
                columns["partition"] = pa.nulls(len(batch), pa.int32()).fill_null(number)
                for name in batch.schema.names:
                    columns[name] = batch.column(name)
                output.add(records_of(pa.record_batch(columns), rows.message_format, keeps_producers=False))
        empty = PartitionWriters(work, replace(self._options.rows, topic_ids=topic_ids), _now())
        empty.make_named(held)
        return sorted([*done, *output.close(), *empty.close()], key=lambda each: (each.topic, each.partition))

    def _described(self, error: ValueError | KafkafmtError) -> ValueError | KafkafmtError:
        """The error for a user of Spark: without names that no longer exist, and with a remedy."""
        if isinstance(error, OffsetOrderError):
            return OffsetOrderError(f"{error}; {_SORTED}")
        if isinstance(error, SourceError) and error.file is not None:
            error.file = error.file.replace(str(self._parts), str(self._target))
        return plainly(error)


class RowWriter(_Parts, DataSourceWriter):
    """Writes rows, as Spark 4.0 passes them."""

    def write(self, iterator: Iterator[Row]) -> WriterCommitMessage:
        """Write the rows of a task."""
        return self.write_part(self._batches(iterator))

    def _batches(self, rows: Iterator[Row]) -> Iterator[pa.RecordBatch]:
        schema = pa.schema([(field.name, _arrow_type(field)) for field in self._schema.fields])
        while some := list(islice(rows, _ROWS)):
            yield pa.RecordBatch.from_pylist([_cells(row.asDict(recursive=True)) for row in some], schema=schema)


if DataSourceArrowWriter is not None:

    class BatchWriter(_Parts, DataSourceArrowWriter):
        """Writes Arrow batches, as Spark 4.1 and later pass them."""

        def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
            """Write the rows of a task."""
            return self.write_part(iterator)


def new_writer(options: SinkOptions, schema: StructType) -> DataSourceWriter:
    """Make the writer for this Spark: for Arrow batches, if it passes them.

    Raises:
        SourceError: the target exists, or is not a local path.
    """
    return RowWriter(options, schema) if DataSourceArrowWriter is None else BatchWriter(options, schema)


def _with_all_times(batch: pa.RecordBatch, message_format: int) -> pa.RecordBatch:
    """The batch with `timestampMs`, as the source gives it, where `timestamp` is null or there is none.

    Raises:
        ValueError: a time is null all the same, and the format needs it.
    """
    number, exact = (batch.schema.get_field_index(name) for name in ("timestamp", TIMESTAMP_MS))
    if exact >= 0 and pa.types.is_integer(batch.schema.types[exact]):
        times = batch.column(exact)
        if number < 0:
            return batch.append_column("timestamp", times)
        if batch.column(number).null_count and pa.types.is_timestamp(batch.schema.types[number]):
            known = batch.column(number).cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
            batch = batch.set_column(number, "timestamp", pc.coalesce(known, times))
    if number >= 0 and batch.column(number).null_count and message_format:
        raise ValueError(
            f"column 'timestamp' has {counted(batch.column(number).null_count, 'null')}: message format "
            f"{message_format} needs it. The source kafkafmt gives null outside the years 1 to 9999: read with "
            f'.option("includeMetadata", "true"), and keep the column {TIMESTAMP_MS}, which has Kafka\'s own number'
        )
    return batch


_ARROW_TYPES: Final[dict[type[DataType], pa.DataType]] = {
    BinaryType: pa.binary(),
    StringType: pa.string(),
    ByteType: pa.int8(),
    ShortType: pa.int16(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    BooleanType: pa.bool_(),
    TimestampType: pa.timestamp("us", "UTC"),
    ArrayType: HEADERS,
    MapType: pa.map_(pa.string(), pa.binary()),
}


def _arrow_type(field: StructField) -> pa.DataType:
    found = _ARROW_TYPES.get(type(field.dataType))
    if found is None:
        raise ValueError(f"column {field.name!r} cannot be of type {field.dataType.simpleString()}")
    return found


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    # Spark 4.0 passes timestamps as naive datetimes in the worker's time zone.
    return {name: _cell(cell) for name, cell in row.items()}


def _cell(cell: object) -> object:
    if isinstance(cell, datetime):
        return cell.astimezone(UTC)
    return list(cell.items()) if isinstance(cell, dict) else cell


def _merged(directories: Sequence[Path], *, has_offsets: bool) -> Iterator[pa.RecordBatch]:
    """Rows of a partition that several tasks wrote: ordered by offset, or task after task if offsets are generated."""
    columns = ["offset", "timestamp", "key", "value", "headers"]
    streams = [kafkafmt.scan(str(directory), columns=columns) for directory in directories]
    if not has_offsets:
        for stream in streams:
            for batch in stream.to_batches():
                yield batch.select(columns[1:])
        return
    yield from _by_offset([filter(len, stream.to_batches()) for stream in streams])


def _by_offset(streams: Iterable[Iterator[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
    """Merge streams in which offsets increase."""
    heads = [(batch, stream) for stream in streams if (batch := next(stream, None)) is not None]
    while heads:
        # Up to this offset all rows of all streams are in their current batches, so these can be merged.
        bound = min(int(batch["offset"][-1].as_py()) for batch, _ in heads)
        taken, left = [], []
        for batch, stream in heads:
            count = int(np.searchsorted(batch["offset"].to_numpy(), bound, side="right"))
            taken.append(batch.slice(0, count))
            rest = batch.slice(count) if count < len(batch) else next(stream, None)
            if rest is not None:
                left.append((rest, stream))
        yield from pa.Table.from_batches(taken).sort_by("offset").combine_chunks().to_batches()
        heads = left


def _now() -> int:
    return time.time_ns() // 1_000_000
