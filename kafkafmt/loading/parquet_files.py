"""Parquet files of a divided output, in bounded memory however many directories there are.

Rows wait until their file has enough for a row group. If too many rows wait in all, the largest groups are written;
if too many files are open, the least recently used one is closed. A `Division` decides which rows belong together
(`kafkafmt.loading.dividing`).
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import pyarrow as pa

from kafkafmt.errors import LimitExceededError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

GROUP_ROWS: Final = 128 * 1024
"""Most rows of a row group."""

GROUP_BYTES: Final = 16 * 1024 * 1024
"""Most bytes of Arrow data in a row group, unless a single row has more."""

_WAITING_BYTES = 128 * 1024 * 1024
_OPEN_FILES = 64
_MOST_DIRECTORIES = 100_000

# Upper bounds in bytes: of a Parquet file's footer for each column of a row group, and of a value's overhead.
_FOOTER_BYTES = 400
_VALUE_BYTES = 8

Values: TypeAlias = tuple[Hashable, ...]
"""The values that the rows of one directory share."""


class Division(Protocol):
    """Decides which rows go to the same directory."""

    @property
    def label(self) -> str:
        """The option or property that divides rows, for errors."""

    def divided(self, batch: pa.RecordBatch) -> Iterator[tuple[Values, pa.RecordBatch]]:
        """The rows of a batch by directory, in their order."""


@dataclass(eq=False)
class WrittenFile:
    """A file of a divided output.

    Attributes:
        path: path relative to the directory, with slashes; or the name that the file's creator gave.
        values: values that all its rows share.
        rows: number of rows.
        size: size in bytes; 0 until the file is complete.
        metadata: Parquet metadata; None until the file is complete.
    """

    path: str
    values: Values = ()
    rows: int = 0
    size: int = 0
    metadata: "pq.FileMetaData | None" = None


Creator: TypeAlias = Callable[[Values, int], tuple[str, pa.NativeFile]]
"""Creates a file, given the values of its rows and its number among their files; returns its path and its sink."""


@dataclass(eq=False)
class _Part:
    """The waiting rows of one directory, and the file to which they go."""

    batches: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0
    files: int = 0
    groups: int = 0
    file: "WrittenFile | None" = None
    sink: pa.NativeFile | None = None
    writer: "pq.ParquetWriter | None" = None
    footers: "list[pq.FileMetaData]" = field(default_factory=list)


class PartitionedOutput:
    """Takes rows, and divides them into files.

    Args:
        schema: columns of the files.
        division: decides which rows go together.
        create: creates a file.
        max_file_bytes: most bytes of a file, unless a single row is larger; None for no bound.

    Attributes:
        files: the files begun, in this order.
    """

    def __init__(self, schema: pa.Schema, division: Division, create: Creator, max_file_bytes: int | None) -> None:
        self.files: list[WrittenFile] = []
        self._schema = schema
        self._division = division
        self._create = create
        self._max_file_bytes = max_file_bytes
        self._group_bytes = GROUP_BYTES if max_file_bytes is None else max(1, min(GROUP_BYTES, max_file_bytes // 4))
        self._parts: dict[Values, _Part] = {}
        self._open: dict[Values, None] = {}
        self._waiting = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Take rows; the batch also has the columns that the division needs.

        Raises:
            LimitExceededError: there would be more than 100,000 directories.
        """
        for values, rows in self._division.divided(batch):
            part = self._parts.get(values)
            if part is None:
                part = self._parts[values] = self._new_part()
            for some in self._small_enough(rows.select(self._schema.names)):
                if part.rows + some.num_rows > GROUP_ROWS or part.bytes + some.nbytes > self._group_bytes:
                    self._write_group(values)
                part.batches.append(some)
                part.rows += some.num_rows
                part.bytes += some.nbytes
                self._waiting += some.nbytes
        if self._waiting > _WAITING_BYTES:
            for values in sorted(self._parts, key=lambda each: self._parts[each].bytes, reverse=True):
                self._write_group(values)
                # Down to half, so that not every batch makes row groups from now on.
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
            # The error that led here is reported, such as a full disk. A writer that has failed has no footer.
            with suppress(OSError, pa.ArrowException, RuntimeError):
                self._close(values)

    def _new_part(self) -> _Part:
        if len(self._parts) == _MOST_DIRECTORIES:
            raise LimitExceededError(f"{self._division.label} would make more than {_MOST_DIRECTORIES:,} directories")
        return _Part()

    def _small_enough(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The rows of a batch in pieces that fit a row group, and therefore a file."""
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
        writer.write_table(one_group(part.batches, self._schema))
        part.groups += 1
        if part.file is not None:
            part.file.rows += part.rows
        self._waiting -= part.bytes
        part.batches, part.rows, part.bytes = [], 0, 0

    def _opened(self, values: Values) -> "pq.ParquetWriter":
        if len(self._open) >= _OPEN_FILES:
            self._close(next(iter(self._open)))
        part = self._parts[values]
        path, part.sink = self._create(values, part.files)
        part.file = WrittenFile(path, values)
        self.files.append(part.file)
        part.footers = []
        part.writer = parquet_writer(part.sink, self._schema, part.footers)
        part.files += 1
        part.groups = 0
        return part.writer

    def _close(self, values: Values) -> None:
        part = self._parts[values]
        if part.writer is not None and part.sink is not None and part.file is not None:
            part.writer.close()
            part.file.size = part.sink.tell()
            part.file.metadata = part.footers[0]
            part.sink.close()
            part.writer = part.sink = None
        self._open.pop(values, None)


def parquet_writer(
    sink: pa.NativeFile, schema: pa.Schema, footers: "list[pq.FileMetaData] | None" = None
) -> "pq.ParquetWriter":
    """A writer of Parquet, compressed with zstd.

    Args:
        sink: the file to write to.
        schema: columns of the file.
        footers: list that gets the file's metadata when the writer is closed.
    """
    import pyarrow.parquet as pq  # noqa: PLC0415 - Arrow's own form does without

    telling = [path for field in schema for path in _with_statistics(field.name, field.type)]
    return pq.ParquetWriter(sink, schema, compression="zstd", write_statistics=telling, metadata_collector=footers)


def _with_statistics(path: str, kind: pa.DataType) -> Iterator[str]:
    """Paths of the columns that have a minimum and maximum, by which readers skip files.

    Bounds of long values are of no use, and finding them takes four times the bytes of a large value.
    """
    if pa.types.is_struct(kind):
        for number in range(kind.num_fields):
            yield from _with_statistics(f"{path}.{kind.field(number).name}", kind.field(number).type)
    elif not kind.num_fields and (path != "value" or not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind))):
        yield path


def without_statistics(file: WrittenFile) -> set[str]:
    """Paths of the columns of a complete file that have no statistics."""
    metadata = file.metadata
    if metadata is None or not metadata.num_row_groups:
        return set()
    columns = [metadata.row_group(0).column(number) for number in range(metadata.num_columns)]
    return {each.path_in_schema for each in columns if not each.is_stats_set}


def without_bounds(file: WrittenFile) -> set[str]:
    """Paths of the columns whose bounds Python cannot represent: times and dates outside the years 1 to 9999."""
    metadata: Any = file.metadata
    found: set[str] = set()
    for group in range(metadata.num_row_groups if file.rows else 0):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            try:
                _ = column.statistics and (column.statistics.min, column.statistics.max)
            except OverflowError:
                found.add(column.path_in_schema)
            except pa.ArrowNotImplementedError:  # a type whose bounds Arrow does not read, which writers leave out
                continue
    return found


def one_group(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Rows with one chunk per column, which become one record batch in Arrow, one row group in Parquet."""
    return pa.Table.from_batches(batches, schema=schema).combine_chunks()
