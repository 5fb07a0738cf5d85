"""Output: the one way in which rows leave a command, whatever their form and wherever they go.

    with open_output("jsonl", None, schema) as output:
        output.write(record_batch)

The forms are `table`, `jsonl`, `csv`, `arrow` and `parquet`; a file given with --out appears under its name only when
all of it is written. Arrow is imported when the first output is opened: help and completion do without it.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["table", "jsonl", "csv", "arrow", "parquet"]
BytesAs = Literal["utf8", "base64", "hex"]

BINARY = ("arrow", "parquet")
"""Forms that are no text."""

KINDS = ("table", "jsonl", "csv", "arrow", "parquet")
"""All forms."""


class Output(Protocol):
    """Where rows go."""

    def write(self, batch: "pa.RecordBatch") -> None:
        """Write rows; they have the schema that the output was opened with."""

    def flush(self) -> None:
        """Hand over all rows that were written."""


class Painter(Protocol):
    """What a table shows in place of values, and how it is coloured."""

    def cells(self, name: str, column: "pa.Array", *, is_coloured: bool) -> list[str] | None:
        """Cells of a column, fit for a terminal but for marks of colour; None for those of its values."""

    def paint(self, line: str) -> str:
        """A line with colours in place of the marks."""


@contextmanager
def open_output(
    kind: Kind,
    out: str | None,
    schema: "pa.Schema",
    *,
    bytes_as: BytesAs | None = None,
    header: bool = True,
    sources: Sequence[str] = (),
    optional: Collection[str] = (),
    first: Sequence[str] = (),
    painter: Painter | None = None,
    is_endless: bool = False,
) -> Iterator[Output]:
    """Open an output; what was written is complete when the context ends without an exception.

    Args:
        kind: form of the rows.
        out: a local file, written under another name beside it and renamed at the end; None for stdout.
        schema: schema of the rows.
        bytes_as: how text forms write bytes; None: text where they are UTF-8, else marked as base64 or escapes.
        header: whether `csv` and `table` begin with the columns' names.
        sources: what is read: none of it is overwritten.
        optional: columns that a table shows only from the first value on that is not null, and only if there is room.
        first: columns that answer the question, the most important first: the last for which a table has no room.
        painter: what cells of a table look like that are shown otherwise than their values.
        is_endless: whether rows are read while more are written: Arrow's streaming format goes into files, too.

    Raises:
        click.UsageError: `out` lies in a log directory or cannot be created; a binary form would go to a terminal.
        OSError: writing failed.
    """
    from kafkafmt.cli.output.destination import open_destination

    with open_destination(out, kind, sources) as destination:
        if kind in BINARY:
            from kafkafmt.cli.output.binary_forms import open_writer

            yield (writer := open_writer(kind, destination, schema, streams=is_endless))
            writer.finish()
            return
        if kind == "table":
            from kafkafmt.cli.output.table import TableWriter

            table = TableWriter(
                destination, schema, bytes_as, header=header, optional=optional, first=first, painter=painter
            )
            yield table
            table.finish()
            return
        from kafkafmt.cli.output.lines import CsvWriter, JsonLinesWriter

        if kind == "csv":
            yield (csv := CsvWriter(destination, schema, bytes_as, header=header))
            csv.finish()
        else:
            yield JsonLinesWriter(destination, schema, bytes_as)
