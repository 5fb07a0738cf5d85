"""Output: the one way in which rows leave a command, whatever their form and wherever they go.

    with open_output("jsonl", None, schema) as output:
        output.write(record_batch)

The forms are `table`, `jsonl`, `csv`, `arrow` and `parquet`; a file given with --out appears under its name only when
all of it is written. Arrow is imported when the first output is opened: help and completion do without it.
"""

import functools
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import click

from kafkafmt.cli.command import option
from kafkafmt.cli.messages import say

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["table", "jsonl", "csv", "arrow", "parquet"]
BytesAs = Literal["utf8", "base64", "hex"]
CommandFunction = TypeVar("CommandFunction", bound=Callable[..., Any])

BINARY = ("arrow", "parquet")
"""Forms that are no text."""

_KINDS = ("table", "jsonl", "csv", "arrow", "parquet")
_OF_SUFFIX = {f".{kind}": kind for kind in ("jsonl", "csv", "arrow", "parquet")}
_PACKERS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4"}
_GROUP = "Output"


class Output(Protocol):
    """Where rows go."""

    def write(self, batch: "pa.RecordBatch") -> None:
        """Write rows; they have the schema that the output was opened with."""


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
) -> Iterator[Output]:
    """Open an output; what was written is complete when the context ends without an exception.

    Args:
        kind: form of the rows.
        out: a local file, written under another name beside it and renamed at the end; None for stdout.
        schema: schema of the rows.
        bytes_as: how text forms write bytes; None: text where they are UTF-8, and else so that one can tell.
        header: whether `csv` and `table` begin with the columns' names.
        sources: what is read: none of it is overwritten.
        optional: columns that a table shows only from the first value on that is not null, and only if there is room.
        first: columns that answer the question, the most important first: the last for which a table has no room.

    Raises:
        click.UsageError: `out` lies in a log directory or cannot be created; a binary form would go to a terminal.
        OSError: writing failed.
    """
    from kafkafmt.cli.output.destination import open_destination

    with open_destination(out, kind, sources) as destination:
        if kind == "table":
            from kafkafmt.cli.output.table import TableWriter

            yield (table := TableWriter(destination, schema, bytes_as, header=header, optional=optional, first=first))
            table.finish()
        elif kind in BINARY:
            from kafkafmt.cli.output.writers import open_writer

            yield (writer := open_writer(kind, destination, schema))
            writer.finish()
        else:
            from kafkafmt.cli.output.writers import CsvWriter, JsonLinesWriter

            if kind == "csv":
                yield (csv := CsvWriter(destination, schema, bytes_as, header=header))
                csv.finish()
            else:
                yield JsonLinesWriter(destination, schema, bytes_as)


def output_options(function: CommandFunction) -> CommandFunction:
    """Give a command `--output`, `--out`, `--bytes` and `--no-header`: arguments `kind`, `out`, `bytes_as`, `header`.

    Without --output the suffix of --out decides (`rows.parquet`), and without both it is a table.
    """
    options = (
        option(
            "--output",
            "-o",
            "kind",
            type=click.Choice(_KINDS),
            callback=_choose,
            group=_GROUP,
            help="Form of the rows. Default: by the suffix of --out, else table. "
            "arrow and parquet need --out or a pipe.",
        ),
        option(
            "--out",
            type=click.Path(dir_okay=False, readable=False),
            metavar="FILE",
            is_eager=True,
            group=_GROUP,
            help="Write to FILE instead of stdout; without --output it must end in .jsonl, .csv, .arrow or .parquet. "
            "The file appears when it is complete.",
        ),
        option(
            "--bytes",
            "bytes_as",
            type=click.Choice(["utf8", "base64", "hex"]),
            group=_GROUP,
            help="Write keys and values as such strings always. Default: as text where they are UTF-8, "
            'else as {"base64": ".."}, in a table as \\x escapes.',
        ),
        option(
            "--no-header",
            "header",
            flag_value=False,
            default=True,
            group=_GROUP,
            help="Begin csv and table without the names of the columns.",
        ),
    )

    @functools.wraps(function)
    def checked(*args: Any, **arguments: Any) -> Any:  # noqa: ANN401 - whatever the command takes
        if arguments["bytes_as"] is not None and arguments["kind"] in BINARY:
            raise click.UsageError(f"--bytes is for text; {arguments['kind']} holds bytes as they are.")
        return function(*args, **arguments)

    for decorate in reversed(options):
        checked = decorate(checked)
    return checked  # type: ignore[return-value]


def _choose(context: click.Context, _: click.Parameter, kind: str | None) -> str:
    """The form: as --output says, else as the suffix of --out does, else a table.

    Raises:
        click.BadParameter: only the suffix could say, and it is not that of a form.
    """
    out = context.params.get("out")
    if out is None or (kind is None and _is_device(out)):
        return kind or "table"
    suffix = os.path.splitext(out)[1].lower()
    of_suffix = _OF_SUFFIX.get(suffix)
    if kind is None and of_suffix is None:
        compressed = f"; to compress, pipe it: --output csv | {_PACKERS[suffix]}" if suffix in _PACKERS else ""
        raise click.BadParameter(
            f"{out} does not end in .jsonl, .csv, .arrow or .parquet: name it so, or say its form with --output"
            f"{compressed}.",
            param_hint="'--out'",
        )
    if kind is not None and of_suffix not in (None, kind) and not context.resilient_parsing:
        say(f"note: {out} will hold {kind}, as --output says, not {of_suffix}")
    return kind or of_suffix or "table"


def _is_device(out: str) -> bool:
    """Whether it is there and not a file: /dev/stdout and pipes have no suffix."""
    return os.path.exists(out) and not os.path.isfile(out) and not os.path.splitext(out)[1]
