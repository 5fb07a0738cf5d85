"""Lines for programs: JSON lines and CSV. They do not need the layout of tables, which takes some time to load."""

from collections.abc import Iterable

import pyarrow as pa

from kafkafmt.arrays import array
from kafkafmt.cli.output import cells
from kafkafmt.cli.output.destination import Destination

# Rows converted to text at a time: their strings take several times the bytes of the columns.
_ROWS = 1024


class JsonLinesWriter:
    """One JSON object on each line, in UTF-8 without lone surrogates, with keys in the order of the columns."""

    def __init__(self, destination: Destination, schema: pa.Schema, bytes_as: str | None = None) -> None:
        self._destination = destination
        self._bytes_as = bytes_as
        self._names = cells.to_json(array(schema.names, pa.string()))
        self._line = "{" + ",".join(name.replace("%", "%%") + ":%s" for name in self._names) + "}\n"

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a line for each row."""
        for part, is_large in cells.parts(batch, _ROWS):
            if is_large:
                self._write_large(part)
                continue
            columns = [cells.to_json(column, self._bytes_as) for column in part.columns]
            text = "".join([self._line % row for row in zip(*columns, strict=True)])
            self._destination.write(text.encode("utf-8"))
        if not self._destination.is_file:
            self._destination.flush()

    def flush(self) -> None:
        """Pass on all lines."""
        self._destination.flush()

    def _write_large(self, row: pa.RecordBatch) -> None:
        before = "{"
        for name, column in zip(self._names, row.columns, strict=True):
            _write_pieces(self._destination, f"{before}{name}:", cells.json_pieces(column, self._bytes_as))
            before = ","
        self._destination.write(b"}\n")


class CsvWriter:
    """A line of cells for each row; the first line has the names of the columns."""

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
        for part, is_large in cells.parts(batch, _ROWS):
            if is_large:
                self._write_large(part)
                continue
            columns = [cells.to_csv(column, self._bytes_as, terminal=terminal) for column in part.columns]
            text = "".join([",".join(row) + "\n" for row in zip(*columns, strict=True)])
            self._destination.write(text.encode("utf-8"))
        if not self._destination.is_file:
            self._destination.flush()

    def flush(self) -> None:
        """Pass on all lines, the header first."""
        self.finish()
        self._destination.flush()

    def finish(self) -> None:
        """Write the header, if no row has been written."""
        self._destination.write(self._header.encode("utf-8"))
        self._header = ""

    def _write_large(self, row: pa.RecordBatch) -> None:
        before = ""
        for column in row.columns:
            pieces = cells.csv_pieces(column, self._bytes_as, terminal=self._destination.is_terminal)
            _write_pieces(self._destination, before, pieces)
            before = ","
        self._destination.write(b"\n")


def _write_pieces(destination: Destination, before: str, pieces: Iterable[str]) -> None:
    destination.write(before.encode("utf-8"))
    for piece in pieces:
        destination.write(piece.encode("utf-8"))
