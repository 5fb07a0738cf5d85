"""Binary forms: a file in Arrow's IPC format or Parquet, or a directory of Parquet files.

The directory is divided by columns as Hive and `pyarrow.dataset` do, and appears once it is complete:

    topic=orders/day=2026-11-21/part-0.parquet
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from kafkafmt.cli.messages import say
from kafkafmt.cli.output.destination import Destination, refuse_unfit
from kafkafmt.errors import SourceError
from kafkafmt.loading.dividing import HiveDivision
from kafkafmt.loading.parquet_files import GROUP_BYTES, GROUP_ROWS, PartitionedOutput, one_group, parquet_writer

if TYPE_CHECKING:
    from kafkafmt.loading.parquet_files import Values


class _RowGroupWriter(Protocol):
    def write_table(self, table: pa.Table) -> None: ...
    def close(self) -> None: ...


class ColumnsWriter:
    """Collects rows in groups of a useful size, 128 Ki rows or 16 MiB, and writes these."""

    def __init__(self, writer: _RowGroupWriter, schema: pa.Schema, destination: Destination) -> None:
        self._writer = writer
        self._destination = destination
        self._schema = schema
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0
        self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Take rows."""
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._write_group()

    def flush(self) -> None:
        """Write the collected rows as a separate group."""
        if self._batches:
            self._write_group()
        self._destination.flush()

    def finish(self) -> None:
        """Write the remaining rows, and complete the file."""
        if self._batches:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        self._writer.write_table(one_group(self._batches, self._schema))
        self._batches.clear()
        self._rows = self._bytes = 0


def open_writer(kind: str, destination: Destination, schema: pa.Schema, *, streams: bool = False) -> ColumnsWriter:
    """Begin a file: Parquet, or Arrow's IPC file format; its streaming format into a pipe, or if `streams`."""
    sink = pa.PythonFile(destination, mode="w")
    if kind == "parquet":
        return ColumnsWriter(parquet_writer(sink, schema), schema, destination)
    new = pa.ipc.new_file if destination.is_file and not streams else pa.ipc.new_stream
    return ColumnsWriter(new(sink, schema), schema, destination)


@contextmanager
def open_partitioned(
    target: str, schema: pa.Schema, dividers: Sequence[str], sources: Sequence[str], max_file_bytes: int | None
) -> Iterator[PartitionedOutput]:
    """Open a directory that appears when the context ends without an exception; it must not exist.

    `kafkafmt.loading.appended` opens one that later runs append to.

    Args:
        target: the directory.
        schema: columns of the files.
        dividers: columns after which directories are named.
        sources: the paths that are read, in which nothing is written.
        max_file_bytes: as for `PartitionedOutput`.

    Raises:
        click.UsageError: the directory would be among Kafka's files.
        SourceError: the directory exists, or cannot be written.
    """
    # Not at the top: a single file does not need the log writers.
    from kafkafmt.loading.appended import is_appended
    from kafkafmt.writing.target import left_of, new_directory, share

    refuse_unfit(target.rstrip("/") or target, sources)
    if is_appended(target):
        text = "exists already, and --state has written it: give that --state FILE to append what is new"
        raise SourceError(text, file=target)
    notes = left_of(target)
    with new_directory(target, sources) as directory:
        division = HiveDivision(tuple(dividers))

        def create(values: "Values", number: int) -> tuple[str, pa.NativeFile]:
            place = directory / division.folder(values) / f"part-{number}.parquet"
            place.parent.mkdir(parents=True, exist_ok=True)
            return str(place), pa.OSFile(str(place), "wb")

        output = PartitionedOutput(schema, division, create, max_file_bytes)
        try:
            yield output
            output.finish()
            notes += share(directory, sources, below=True)
        except BaseException:
            output.abandon()
            raise
    for note in notes:
        say(f"note: {note}")
