"""Binary forms: a file of Arrow's IPC or of Parquet, or a directory of Parquet files.

The directory is divided by columns as Hive and `pyarrow.dataset` lay it out, and appears when all of it is written:

    topic=orders/day=2026-11-21/part-0.parquet

Memory and open files are bounded, however many directories there are: rows wait until their file has enough for a row
group; where too many wait in all, the largest group is written, and where too many files are open, that to which
nothing came for longest is closed.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from kafkafmt.cli.messages import say
from kafkafmt.cli.output.destination import Destination, refuse_unfit
from kafkafmt.errors import LimitExceededError, SourceError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

DERIVED: Final = ("day", "hour")
"""Keys of a directory that are not columns of records: the date, and the hour of the day, of `timestamp`."""

DIVIDERS: Final = (
    *("topic", "partition", *DERIVED, "timestampType", "partitionLeaderEpoch", "producerId", "isTransactional"),
    *("isControl", "controlType", "magic", "compression"),
)
"""Columns that directories can be named by."""

RECORDS: Final = "_kafkafmt"
"""The place of the runs' records in their directory; readers skip such names."""

_NULL = "__HIVE_DEFAULT_PARTITION__"
_DAY_MS = 24 * 60 * 60 * 1000
_HOUR_MS = 60 * 60 * 1000
_NO_TIMESTAMP = -1

_GROUP_ROWS = 128 * 1024
_GROUP_BYTES = 16 * 1024 * 1024
_WAITING_BYTES = 128 * 1024 * 1024
_OPEN_FILES = 64
_MOST_DIRECTORIES = 100_000

# The most bytes of a Parquet file's footer for each column of a row group, and for a value.
_FOOTER_BYTES = 400
_VALUE_BYTES = 8

_Codes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]

Values: TypeAlias = tuple[str, ...]
"""Names of the directories that a row belongs to."""


class _RowGroupWriter(Protocol):
    def write_table(self, table: pa.Table) -> None: ...
    def close(self) -> None: ...


class ColumnsWriter:
    """Gathers rows into groups of a sensible size, 128 Ki rows or 16 MiB, and writes these."""

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
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def flush(self) -> None:
        """Write the gathered rows as a group of their own."""
        if self._batches:
            self._write_group()
        self._destination.flush()

    def finish(self) -> None:
        """Write the rest, and complete the file."""
        if self._batches:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        self._writer.write_table(_one_group(self._batches, self._schema))
        self._batches.clear()
        self._rows = self._bytes = 0


def open_writer(kind: str, destination: Destination, schema: pa.Schema, *, streams: bool = False) -> ColumnsWriter:
    """Begin a file: Parquet; or Arrow's IPC file format, and its streaming format into a pipe, or if `streams`."""
    sink = pa.PythonFile(destination, mode="w")
    if kind == "parquet":
        return ColumnsWriter(_parquet_writer(sink, schema), schema, destination)
    new = pa.ipc.new_file if destination.is_file and not streams else pa.ipc.new_stream
    return ColumnsWriter(new(sink, schema), schema, destination)


def _parquet_writer(sink: pa.NativeFile, schema: pa.Schema) -> "pq.ParquetWriter":
    import pyarrow.parquet as pq  # not at the top: Arrow's own form does without

    # Minimum and maximum of values are of no use, and finding them takes four times the bytes of a large one.
    telling = [field.name for field in schema if field.name != "value" or not pa.types.is_binary(field.type)]
    return pq.ParquetWriter(sink, schema, compression="zstd", write_statistics=telling)


def _one_group(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Rows of one chunk a column: in Arrow they become one record batch, in Parquet one row group."""
    return pa.Table.from_batches(batches, schema=schema).combine_chunks()


@dataclass(eq=False)
class WrittenFile:
    """A file of a divided output.

    Attributes:
        path: relative to the directory, with slashes.
        rows: how many it has.
    """

    path: str
    rows: int = 0


@dataclass(eq=False)
class _Part:
    """The rows of one directory that wait, and the file that they go to."""

    folder: str
    batches: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0
    files: int = 0
    groups: int = 0
    file: "WrittenFile | None" = None
    sink: pa.NativeFile | None = None
    writer: "pq.ParquetWriter | None" = None


class PartitionedOutput:
    """Takes rows, and divides them.

    Args:
        directory: where it writes.
        schema: columns of the files.
        dividers: columns that directories are named by, of `DIVIDERS`.
        max_file_bytes: most bytes of a file; only one row that is larger makes it larger. None for no bound.
        run: number of the run that appends: names of its files differ from those of others, and until they are moved
            they are in `directory` itself, as `<number in files>.part`. None if the directory is new.

    Attributes:
        files: those that were begun, in this order.
    """

    def __init__(
        self,
        directory: Path,
        schema: pa.Schema,
        dividers: Sequence[str],
        max_file_bytes: int | None,
        run: int | None = None,
    ) -> None:
        self.files: list[WrittenFile] = []
        self._run = run
        self._directory = directory
        self._schema = schema
        self._dividers = dividers
        self._max_file_bytes = max_file_bytes
        self._group_bytes = _GROUP_BYTES if max_file_bytes is None else max(1, min(_GROUP_BYTES, max_file_bytes // 4))
        self._parts: dict[Values, _Part] = {}
        self._open: dict[Values, None] = {}
        self._waiting = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Take rows; the batch also has the columns that directories are named by, or `timestamp` for those.

        Raises:
            LimitExceededError: there would be more than 100,000 directories.
        """
        for values, rows in _divided(batch, self._dividers):
            part = self._parts.get(values)
            if part is None:
                part = self._parts[values] = self._new_part(values)
            for some in self._small_enough(rows.select(self._schema.names)):
                if part.rows + some.num_rows > _GROUP_ROWS or part.bytes + some.nbytes > self._group_bytes:
                    self._write_group(values)
                part.batches.append(some)
                part.rows += some.num_rows
                part.bytes += some.nbytes
                self._waiting += some.nbytes
        if self._waiting > _WAITING_BYTES:
            for values in sorted(self._parts, key=lambda each: self._parts[each].bytes, reverse=True):
                self._write_group(values)
                if self._waiting <= _WAITING_BYTES // 2:
                    break

    def flush(self) -> None:
        """Write the waiting rows."""
        for values in self._parts:
            self._write_group(values)

    def finish(self) -> None:
        """Write the waiting rows, and complete all files."""
        for values in self._parts:
            self._write_group(values)
            self._close(values)

    def abandon(self) -> None:
        """Close all files; waiting rows are dropped."""
        for values in list(self._open):
            with suppress(OSError, pa.ArrowException):  # the next error is the cause, such as a full disk
                self._close(values)

    def _new_part(self, values: Values) -> _Part:
        if len(self._parts) == _MOST_DIRECTORIES:
            raise LimitExceededError(
                f"--partition-by {','.join(self._dividers)} would make more than {_MOST_DIRECTORIES:,} directories"
            )
        names = [f"{name}={value}" for name, value in zip(self._dividers, values, strict=True)]
        return _Part("/".join(names))

    def _small_enough(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The rows of a batch in pieces that fit a row group, and so a file."""
        if batch.nbytes <= self._group_bytes or batch.num_rows == 1:
            yield batch
            return
        middle = batch.num_rows // 2
        yield from self._small_enough(batch.slice(0, middle))
        yield from self._small_enough(batch.slice(middle))

    def _write_group(self, values: Values) -> None:
        part = self._parts[values]
        if not part.batches:
            return
        if part.sink is not None and self._max_file_bytes is not None:
            group = part.bytes + part.rows * _VALUE_BYTES * len(self._schema)
            footer = _FOOTER_BYTES * len(self._schema) * (part.groups + 2)
            if part.sink.tell() + group + footer > self._max_file_bytes:
                self._close(values)
        writer = part.writer or self._opened(values)
        self._open[values] = self._open.pop(values, None)
        writer.write_table(_one_group(part.batches, self._schema))
        part.groups += 1
        if part.file is not None:
            part.file.rows += part.rows
        self._waiting -= part.bytes
        part.batches, part.rows, part.bytes = [], 0, 0

    def _opened(self, values: Values) -> "pq.ParquetWriter":
        if len(self._open) >= _OPEN_FILES:
            self._close(next(iter(self._open)))
        part = self._parts[values]
        of_run = "" if self._run in (None, 1) else f"{self._run}-"
        part.file = WrittenFile(f"{part.folder}/part-{of_run}{part.files}.parquet")
        place = self._directory / (part.file.path if self._run is None else f"{len(self.files)}.part")
        place.parent.mkdir(parents=True, exist_ok=True)
        self.files.append(part.file)
        part.sink = pa.OSFile(str(place), "wb")
        part.writer = _parquet_writer(part.sink, self._schema)
        part.files += 1
        part.groups = 0
        return part.writer

    def _close(self, values: Values) -> None:
        part = self._parts[values]
        if part.writer is not None and part.sink is not None:
            part.writer.close()
            part.sink.close()
            part.writer = part.sink = None
        self._open.pop(values, None)


@contextmanager
def open_partitioned(
    target: str, schema: pa.Schema, dividers: Sequence[str], sources: Sequence[str], max_file_bytes: int | None
) -> Iterator[PartitionedOutput]:
    """Open a directory that appears when the context ends without an exception; it must not exist.

    `kafkafmt.cli.output.appended` opens one that later runs append to.

    Args:
        target: the directory.
        schema: columns of the files.
        dividers: as for `PartitionedOutput`.
        sources: the paths read, in which nothing is written.
        max_file_bytes: as for `PartitionedOutput`.

    Raises:
        click.UsageError: it would be among Kafka's files.
        SourceError: it exists, or cannot be written.
    """
    # Not at the top: a single file does not need the log writers.
    from kafkafmt.writing.target import left_of, new_directory, share

    refuse_unfit(target.rstrip("/") or target, sources)
    if is_appended(target):
        text = "exists already, and --state has written it: give that --state FILE to append what is new"
        raise SourceError(text, file=target)
    notes = left_of(target)
    with new_directory(target, sources) as directory:
        output = PartitionedOutput(directory, schema, dividers, max_file_bytes)
        try:
            yield output
            output.finish()
            notes += share(directory, sources, below=True)
        except BaseException:
            output.abandon()
            raise
    for note in notes:
        say(f"note: {note}")


def is_appended(target: str) -> bool:
    """Whether a directory is one that runs append to, with a record of each of them."""
    return (Path(target) / RECORDS).is_dir()


def columns_of(dividers: Sequence[str]) -> list[str]:
    """The columns of records that directories are named by."""
    return list(dict.fromkeys("timestamp" if name in DERIVED else name for name in dividers))


def _divided(batch: pa.RecordBatch, dividers: Sequence[str]) -> Iterator[tuple[Values, pa.RecordBatch]]:
    """The rows of a batch by directory, in their order."""
    codes = np.zeros(batch.num_rows, np.int64)
    for name in dividers:
        column = _codes(batch, name)
        _, column = np.unique(column, return_inverse=True)
        codes = codes * (int(column.max(initial=0)) + 1) + column
    order = np.argsort(codes, kind="stable")
    ends = [*(np.flatnonzero(np.diff(codes[order])) + 1).tolist(), batch.num_rows]
    begin = 0
    for end in ends if batch.num_rows else ():
        values = tuple(_name_of(batch, name, int(order[begin])) for name in dividers)
        yield values, batch if len(ends) == 1 else batch.take(pa.array(order[begin:end]))
        begin = end


def _codes(batch: pa.RecordBatch, name: str) -> _Codes:
    """A number for each row; rows of one directory have the same."""
    if name in DERIVED:
        unit = _DAY_MS if name == "day" else _HOUR_MS
        moments = batch.column("timestamp").view(pa.int64()).to_numpy(zero_copy_only=False)
        parts = moments // unit if name == "day" else (moments // unit) % 24
        known: _Codes = np.where(moments == _NO_TIMESTAMP, np.iinfo(np.int64).min, parts)
        return known
    indices = batch.column(name).dictionary_encode().indices
    numbers: _Codes = indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def _name_of(batch: pa.RecordBatch, name: str, row: int) -> str:
    """Name of the directory of a row, after the equals sign, as Hive writes it."""
    if name in DERIVED:
        moment = batch.column("timestamp")[row].value
        if moment == _NO_TIMESTAMP:
            return _NULL
        return str(np.datetime64(moment // _DAY_MS, "D")) if name == "day" else str(moment // _HOUR_MS % 24)
    value = batch.column(name)[row].as_py()
    if value is None:
        return _NULL
    return str(value).lower() if isinstance(value, bool) else quote(str(value), safe="")
