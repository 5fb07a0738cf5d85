"""Output: the one way in which rows leave a command, whatever their form and wherever they go.

    with open_output(Form("jsonl"), schema) as output:
        output.write(record_batch)

The forms are `table`, `jsonl`, `csv`, `arrow` and `parquet`; a file given with --out appears under its name only when
all of it is written. Arrow is imported when the first output is opened: help and completion do without it.
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
    """Where rows go."""

    def write(self, batch: "pa.RecordBatch") -> None:
        """Write rows; they have the schema that the output was opened with."""

    def flush(self) -> None:
        """Hand over all rows that were written."""


class Painter(Protocol):
    """A table's text in place of values, and its colours."""

    def cells(self, name: str, column: "pa.Array", *, is_coloured: bool) -> list[str] | None:
        """Cells of a column, safe for a terminal except for colour codes; None for those of its values."""

    def paint(self, line: str) -> str:
        """A line with colours in place of the marks."""


@dataclass(frozen=True)
class TableShape:
    """How a table shows rows if the user names no columns; the other forms have all columns.

    Attributes:
        columns: shown; empty for all.
        optional: hidden until a value appears; first to be dropped on narrow terminals.
        first: columns that answer the question: dropped last on narrow terminals.
        painter: cells that differ from their values.
    """

    columns: Sequence[str] = ()
    optional: Sequence[str] = ()
    first: Sequence[str] = ()
    painter: Painter | None = None

    def naming_copies(self, column: str, partitions: Iterable[tuple[str | None, int | None]]) -> "TableShape":
        """The same; with a column beside `partition` that identifies copies, if a partition has several.

        Args:
            column: its name.
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
    """In which form rows leave, and where they go.

    Attributes:
        kind: of the form.
        out: a local file, written under another name beside it and renamed at the end; None for stdout.
        bytes_as: how text forms write bytes; None: text where they are UTF-8, else marked as base64 or escapes.
        header: whether `csv` and `table` begin with the names of the columns.
        is_endless: whether rows are read while more are written: Arrow's streaming format goes into files, too.
    """

    kind: Kind = "table"
    out: str | None = None
    bytes_as: BytesAs | None = None
    header: bool = True
    is_endless: bool = False


ALL_COLUMNS = TableShape()
"""A table shows all columns."""


@contextmanager
def open_output(
    form: Form, schema: "pa.Schema", shape: TableShape = ALL_COLUMNS, sources: Sequence[str] = ()
) -> Iterator[Output]:
    """Open an output; it is complete when the context ends without an exception.

    Args:
        form: of the rows, and where they go.
        schema: of the rows.
        shape: of a table.
        sources: the paths read: none of them is overwritten.

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
