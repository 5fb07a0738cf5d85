"""Output: the one way in which rows leave a command, whatever their form and destination.

    with open_output(Form("jsonl"), schema) as output:
        output.write(record_batch)

The forms are `table`, `jsonl`, `csv`, `arrow` and `parquet`; a file given with --out appears under its name only when
it is complete. Arrow is imported when the first output is opened, so that help and completion do not load it.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["table", "jsonl", "csv", "arrow", "parquet"]
BytesAs = Literal["utf8", "base64", "hex"]

BINARY = ("arrow", "parquet")
"""Binary forms."""

KINDS = ("table", "jsonl", "csv", "arrow", "parquet")
"""All forms."""


class Output(Protocol):
    """The receiver of rows."""

    def write(self, batch: "pa.RecordBatch") -> None:
        """Write rows with the schema that the output was opened with."""

    def flush(self) -> None:
        """Pass on all rows written so far."""


class Painter(Protocol):
    """Texts that a table shows instead of values, and their colours."""

    def cells(self, name: str, column: "pa.Array", *, is_coloured: bool) -> list[str] | None:
        """Cells of a column, safe for a terminal except for colour codes; None to show the values themselves."""

    def paint(self, line: str) -> str:
        """A line with its marks replaced by colours."""


@dataclass(frozen=True)
class TableShape:
    """How a table shows rows if the user names no columns; the other forms have all columns.

    Attributes:
        columns: columns that are shown; empty for all.
        optional: columns that are hidden until a value appears, and dropped first on narrow terminals.
        first: columns that answer the question, and are dropped last on narrow terminals.
        painter: painter of cells that differ from their values.
    """

    columns: Sequence[str] = ()
    optional: Sequence[str] = ()
    first: Sequence[str] = ()
    painter: Painter | None = None

    def naming_copies(self, column: str, partitions: Iterable[tuple[str | None, int | None]]) -> "TableShape":
        """The same shape, with a column next to `partition` that identifies copies if a partition has several.

        Args:
            column: name of the column.
            partitions: topic and number of each copy.
        """
        known = list(partitions)
        if len(set(known)) == len(known):
            return self
        columns, first = (
            [each for name in names for each in ([name, column] if name == "partition" else [name])]
            for names in (self.columns, self.first)
        )
        return replace(self, columns=columns, first=first)


@dataclass(frozen=True)
class Form:
    """The form of rows, and their destination.

    Attributes:
        kind: name of the form.
        out: a local file, written next to its final name and renamed at the end; None for stdout.
        bytes_as: how text forms write bytes; None: text if they are UTF-8, else marked as base64 or with escapes.
        header: whether `csv` and `table` begin with the names of the columns.
        is_endless: whether rows are read while more are written; files then have Arrow's streaming format, too.
    """

    kind: Kind = "table"
    out: str | None = None
    bytes_as: BytesAs | None = None
    header: bool = True
    is_endless: bool = False


ALL_COLUMNS = TableShape()
"""The shape of a table with all columns."""


@contextmanager
def open_output(
    form: Form, schema: "pa.Schema", shape: TableShape = ALL_COLUMNS, sources: Sequence[str] = ()
) -> Iterator[Output]:
    """Open an output; it is complete when the context ends without an exception.

    Args:
        form: form and destination of the rows.
        schema: schema of the rows.
        shape: shape of a table.
        sources: the paths that are read, none of which may be overwritten.

    Raises:
        click.UsageError: `out` is in a log directory or cannot be created; a binary form would go to a terminal.
        OSError: writing failed.
    """
    from kafkafmt.cli.output.destination import open_destination

    with open_destination(form.out, form.kind, sources) as destination:
        if form.kind in BINARY:
            from kafkafmt.cli.output.binary_forms import open_writer

            yield (writer := open_writer(form.kind, destination, schema, streams=form.is_endless))
            writer.finish()
            return
        if form.kind == "table":
            from kafkafmt.cli.output.table import TableWriter

            yield (table := TableWriter(destination, schema, form, shape))
            table.finish()
            return
        from kafkafmt.cli.output.lines import CsvWriter, JsonLinesWriter

        if form.kind == "csv":
            yield (csv := CsvWriter(destination, schema, form.bytes_as, header=form.header))
            csv.finish()
        else:
            yield JsonLinesWriter(destination, schema, form.bytes_as)
