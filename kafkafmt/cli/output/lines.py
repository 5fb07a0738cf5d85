"""JSON lines and CSV: one record a line, for programs."""

from collections.abc import Iterator

import pyarrow as pa

from kafkafmt.cli.output import cells
from kafkafmt.cli.output.destination import Destination

# Rows that are text at one time: their strings take several times the bytes of the columns.
_ROWS = 1024


class JsonLinesWriter:
    """One JSON object a line, UTF-8 without lone surrogates, its keys in the order of the columns."""

    def __init__(self, destination: Destination, schema: pa.Schema, bytes_as: str | None = None) -> None:
        self._destination = destination
        self._bytes_as = bytes_as
        names = [cells.to_json(pa.array([name]))[0].replace("%", "%%") for name in schema.names]
        self._line = "{" + ",".join(f"{name}:%s" for name in names) + "}\n"

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a line for each row."""
        for part in _parts(batch):
            columns = [cells.to_json(column, self._bytes_as) for column in part.columns]
            text = "".join([self._line % row for row in zip(*columns, strict=True)])
            self._destination.write(text.encode("utf-8"))
        if not self._destination.is_file:
            self._destination.flush()


class CsvWriter:
    """A line of cells for each row; the first line holds the names of the columns."""

    def __init__(
        self, destination: Destination, schema: pa.Schema, bytes_as: str | None = None, *, header: bool = True
    ) -> None:
        self._destination = destination
        self._bytes_as = bytes_as
        self._header = ",".join(map(cells.csv_cell, schema.names)) + "\n" if header else ""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a line for each row."""
        self.finish()
        terminal = self._destination.is_terminal
        for part in _parts(batch):
            columns = [cells.to_csv(column, self._bytes_as, terminal=terminal) for column in part.columns]
            text = "".join([",".join(row) + "\n" for row in zip(*columns, strict=True)])
            self._destination.write(text.encode("utf-8"))
        if not self._destination.is_file:
            self._destination.flush()

    def finish(self) -> None:
        """Write the header, if there was no row to write it before."""
        self._destination.write(self._header.encode("utf-8"))
        self._header = ""


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for begin in range(0, batch.num_rows, _ROWS):
        yield batch.slice(begin, _ROWS)
