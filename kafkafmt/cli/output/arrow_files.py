"""Arrow IPC and Parquet: columns with their types, for DuckDB, Polars, pandas and Spark."""

from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from kafkafmt.cli.output.destination import Destination

_ROWS = 128 * 1024
_BYTES = 64 * 1024 * 1024


class _RowGroupWriter(Protocol):
    def write_table(self, table: pa.Table) -> None: ...
    def close(self) -> None: ...


class ColumnsWriter:
    """Gathers rows into groups of a sensible size, 128 Ki rows or 64 MiB, and writes these."""

    def __init__(self, writer: _RowGroupWriter, schema: pa.Schema) -> None:
        self._writer = writer
        self._schema = schema
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0
        self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Take rows."""
        self._batches.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= _ROWS or self._bytes >= _BYTES:
            self._write_group()

    def finish(self) -> None:
        """Write the rest, and what makes the file complete."""
        if self._batches:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        # One chunk a column: in Arrow it becomes one record batch, in Parquet one row group.
        self._writer.write_table(pa.Table.from_batches(self._batches, schema=self._schema).combine_chunks())
        self._batches.clear()
        self._rows = self._bytes = 0


def open_writer(kind: str, destination: Destination, schema: pa.Schema) -> ColumnsWriter:
    """Begin a file: Parquet; or Arrow's IPC file format, and its streaming format into a pipe."""
    sink = pa.PythonFile(destination, mode="w")
    if kind == "parquet":
        # The least and the greatest value help nobody, and to find them takes four times the bytes of a large one.
        telling = [field.name for field in schema if field.name != "value" or not pa.types.is_binary(field.type)]
        return ColumnsWriter(pq.ParquetWriter(sink, schema, compression="zstd", write_statistics=telling), schema)
    new = pa.ipc.new_file if destination.is_file else pa.ipc.new_stream
    return ColumnsWriter(new(sink, schema), schema)
