"""Commands: exit codes that scripts can rely on, help in groups of options, and the form in which rows are written.

Nothing heavy is imported before a command runs, so that --help answers at once.
"""

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from kafkafmt.cli.messages import say
from kafkafmt.cli.output import ALL_COLUMNS, BINARY, KINDS, BytesAs, Form, Kind, Output, TableShape, open_output
from kafkafmt.cli.progress import progress_of_rows
from kafkafmt.cli.values import names_of

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.cli.progress import WatchedPass

CLEAN = 0
"""Everything was read, and nothing is wrong."""

FINDINGS = 1
"""The data has a fault: damage, a wrong CRC, a failed check; the readable rest was delivered."""

USAGE = 2
"""An invalid command line."""

UNREADABLE = 3
"""A path cannot be read or written (missing, forbidden, vanished), or nothing that was asked for exists."""

INTERRUPTED = 130
"""Stopped by the user (Ctrl-C); the code is that of shells."""

HOW = "How to read"
"""Heading of the reading options in --help."""

OUTPUT = "Output"
"""Heading of the output options in --help."""

_OF_SUFFIX = {f".{kind}": kind for kind in KINDS if kind != "table"}
_PACKERS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4"}

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., Any])


class Option(click.Option):
    """An option that --help lists under the heading `group`, with its default unless that is None or a bool."""

    def __init__(self, *args: Any, group: str, **arguments: Any) -> None:  # noqa: ANN401 - as click takes them
        is_shown = not isinstance(arguments.get("default"), bool | None)
        super().__init__(*args, **{"show_default": is_shown, **arguments})
        self.group = group


option = functools.partial(click.option, cls=Option)
"""`click.option` with the additional argument `group`."""

output_option = functools.partial(option, group=OUTPUT)
"""`option` in the group of output options."""


class Command(click.Command):
    """A command whose --help has a section for each group of options, in the order of their first options.

    Those that say how to read come after those that say what, and those of output last.

    Options that set the same argument exclude each other, as `--list` and `--members`: click would take the last one.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the command line, unless two options contradict each other."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=[*args])
            first: dict[str | None, click.Parameter] = {}
            for each in given:
                other = first.setdefault(each.name, each)
                if other is not each and not each.multiple:
                    raise click.UsageError(f"{other.opts[0]} and {each.opts[0]} exclude each other.", ctx)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections; options without a group come last, under "Options"."""
        groups: dict[str, list[tuple[str, str]]] = {}
        others = []
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx)
            if isinstance(parameter, Option) and line is not None:
                groups.setdefault(parameter.group, []).append(line)
            elif isinstance(parameter, click.Option) and line is not None:
                others.append(line)
        order = sorted(groups, key=lambda group: (group == OUTPUT, group == HOW))
        for group, lines in [*((group, groups[group]) for group in order), ("Options", others)]:
            with formatter.section(group):
                formatter.write_dl(lines)


def give(*options: Callable[[Any], Any]) -> Callable[[CommandFunction], CommandFunction]:
    """Add several options to a command; --help lists them in this order."""
    return lambda function: functools.reduce(lambda decorated, add: add(decorated), reversed(options), function)


@dataclass(frozen=True)
class RowOptions(Form):
    """The columns, form and destination of a command's rows; see `output_options`.

    Attributes:
        columns: names of columns that the user gave, or None.
    """

    columns: tuple[str, ...] | None = None

    @property
    def has_stored_names(self) -> bool:
        """Whether names of headers are written like other bytes; binary forms have them as text, as `SCHEMA` has."""
        return self.kind not in BINARY

    @property
    def is_table(self) -> bool:
        """Whether the rows are a table for people."""
        return self.kind == "table"

    @property
    def is_screen(self) -> bool:
        """Whether the rows are a table on stdout, the default form."""
        return self.kind == "table" and self.out is None

    def select(self, known: Sequence[str], shape: TableShape = ALL_COLUMNS) -> list[str]:
        """Names of the columns to write.

        Raises:
            click.BadParameter: the user named a column that does not exist, or one twice.
        """
        if self.columns is None:
            return list(shape.columns or known) if self.is_table else list(known)
        unknown = [name for name in self.columns if name not in known]
        if unknown:
            raise click.BadParameter(
                f"no column {', '.join(map(repr, unknown))}. There are: {', '.join(known)}.", param_hint="'--columns'"
            )
        if len(set(self.columns)) != len(self.columns):
            raise click.BadParameter("a column is given twice.", param_hint="'--columns'")
        return list(self.columns)

    def check(self, known: Sequence[str]) -> None:
        """Check the columns that the user named, before anything is read.

        Raises:
            click.BadParameter: as in `select`.
        """
        self.select(known)

    def open(
        self,
        schema: "pa.Schema",
        shape: TableShape,
        sources: Sequence[str],
        *,
        header: bool = True,
        is_endless: bool = False,
    ) -> AbstractContextManager[Output]:
        """Open the output.

        Args:
            schema: schema of the rows, with the columns to write.
            shape: shape of a table.
            sources: the paths that are read, none of which may be overwritten.
            header: whether a table has a line of names; csv always has one.
            is_endless: whether rows are read while more are written.

        Raises:
            click.UsageError, OSError: as in `kafkafmt.cli.output.open_output`.
        """
        form = replace(self, header=self.header and (header or not self.is_table), is_endless=is_endless)
        return open_output(form, schema, shape if self.columns is None else replace(shape, optional=()), sources)

    def write(
        self,
        batches: "Iterable[pa.RecordBatch]",
        schema: "pa.Schema",
        shape: TableShape,
        sources: Sequence[str],
        *,
        names_if_empty: bool = False,
        watched: "WatchedPass | None" = None,
    ) -> int:
        """Write rows; returns their number.

        Args:
            batches: the rows, with all columns.
            schema: schema of all columns.
            shape: shape of a table.
            sources: the paths that are read, none of which may be overwritten.
            names_if_empty: whether a table without rows has a line of names.
            watched: the source of the rows, to show its progress while a file is written.

        Raises:
            click.UsageError: invalid columns, or an invalid file to write.
            OSError: writing failed.
        """
        names = self.select(schema.names, shape)
        rest = iter(batches)
        count = 0
        schema = schema.empty_table().select(names).schema
        with progress_of_rows("rows", shown=self.out is not None and watched is not None) as meter:
            if watched is not None:
                meter.watch(watched)
            batch = next(rest, None)
            with self.open(schema, shape, sources, header=names_if_empty or batch is not None) as output:
                while batch is not None:
                    count += batch.num_rows
                    output.write(batch.select(names))
                    meter.rows(batch.num_rows)
                    batch = next(rest, None)
        return count


def columns_option(function: CommandFunction) -> CommandFunction:
    """Add `--columns` to a command, for use with `output_options`."""
    return output_option(
        "--columns",
        metavar="A,B,..",
        callback=names_of,
        help="These columns, in this order. Default: all; in a table the most useful ones.",
    )(function)


def output_options(function: CommandFunction) -> CommandFunction:
    """Add `--output`, `--out`, `--bytes` and `--no-header` to a command: argument `rows`, a `RowOptions`.

    Without --output the suffix of --out decides (`rows.parquet`); without either the form is a table.
    """
    options = (
        _kind_option("Default: by the suffix of --out, else table. arrow and parquet need --out or a pipe."),
        output_option(
            "--out",
            type=click.Path(readable=False),
            metavar="FILE",
            is_eager=True,
            help="Write to FILE instead of stdout; without --output it must end in .jsonl, .csv, .arrow or .parquet. "
            "The file appears when it is complete.",
        ),
        output_option(
            "--bytes",
            "bytes_as",
            type=click.Choice(["utf8", "base64", "hex"]),
            help="Write keys, values and names of headers in this form. Default: text if they are UTF-8, else "
            '{"base64": ".."}, in a table \\x escapes.',
        ),
        _HEADER_OPTION,
    )

    @functools.wraps(function)
    def with_rows(
        *args: Any,  # noqa: ANN401 - whatever the command takes
        kind: Kind,
        out: str | None,
        bytes_as: BytesAs | None,
        header: bool,
        columns: tuple[str, ...] | None = None,
        **arguments: Any,  # noqa: ANN401 - whatever the command takes
    ) -> Any:  # noqa: ANN401 - whatever the command takes
        if bytes_as is not None and kind in BINARY:
            raise click.UsageError(f"--bytes is for text; {kind} holds bytes as they are.")
        if not arguments.get("partition_by"):  # which writes a directory
            _check_destination(out, kind, arguments)
        return function(*args, rows=RowOptions(kind, out, bytes_as, header, columns=columns), **arguments)

    return give(*options)(cast("CommandFunction", with_rows))


def _check_destination(out: str | None, kind: Kind, arguments: dict[str, Any]) -> None:
    """Check the destination of rows before a command reads or writes anything.

    Raises:
        click.UsageError: the file cannot be written, or a binary form would go to a terminal.
    """
    if out is not None or kind in BINARY:
        from kafkafmt.cli.output.destination import check_destination  # not needed for a table on stdout

        check_destination(out, kind, arguments.get("paths") or ())


def target_options(*, required: bool) -> Callable[[CommandFunction], CommandFunction]:
    """Add `--out DIR` (argument `target`), and options for rows on stdout (argument `rows`) to a command.

    Args:
        required: whether `--out` is required.
    """

    def decorate(function: CommandFunction) -> CommandFunction:
        @functools.wraps(function)
        def with_rows(
            *args: Any,  # noqa: ANN401 - whatever the command takes
            kind: Kind,
            header: bool,
            columns: tuple[str, ...] | None = None,
            **arguments: Any,  # noqa: ANN401 - whatever the command takes
        ) -> Any:  # noqa: ANN401 - whatever the command takes
            _check_destination(None, kind, arguments)
            return function(*args, rows=RowOptions(kind, header=header, columns=columns), **arguments)

        target = output_option(
            "--out",
            "target",
            required=required,
            type=click.Path(readable=False),
            callback=_check_target,
            metavar="DIR",
            help="The directory to write. It must not exist; it appears when it is complete.",
        )
        options = (target, _kind_option("Default: table. arrow and parquet need a pipe."), _HEADER_OPTION)
        return give(*options)(cast("CommandFunction", with_rows))

    return decorate


def _check_target(_: click.Context, __: click.Parameter, target: str | None) -> str | None:
    """Check the directory to write.

    Raises:
        click.BadParameter: it is named like a file of rows.
    """
    suffix = "" if target is None else os.path.splitext(target)[1].lower()
    if suffix in _OF_SUFFIX:
        raise click.BadParameter(
            f"{_shown(target)} looks like the name of a file, but --out is a directory here. "
            f"Rows go to stdout: --output {_OF_SUFFIX[suffix]} > FILE.",
            param_hint="'--out'",
        )
    return target


def _shown(path: str | None) -> str:
    from kafkafmt.cli.printable import escape
    from kafkafmt.io.uri import shown  # not at the top, as it loads the readers of files

    return escape(shown(path or ""))


def _kind_option(default: str) -> Callable[[CommandFunction], CommandFunction]:
    return output_option(
        "--output", "-o", "kind", type=click.Choice(KINDS), callback=_choose, help=f"Form of the rows. {default}"
    )


_HEADER_OPTION = output_option(
    "--no-header", "header", flag_value=False, default=True, help="Leave out the header line of csv and table."
)


def _choose(context: click.Context, _: click.Parameter, kind: str | None) -> str:
    """The form of rows: that of --output, else that of --out's suffix, else a table.

    Raises:
        click.BadParameter: the suffix decides, but no form has it.
    """
    if context.params.get("partition_by"):
        if kind not in (None, "parquet"):
            raise click.BadParameter("--partition-by writes parquet.", param_hint="'--output'")
        return "parquet"
    out = context.params.get("out")
    if out is None:
        return kind or "table"
    if os.path.isdir(out):
        raise click.BadParameter(f"File {_shown(out)!r} is a directory.", param_hint="'--out'")
    suffix = os.path.splitext(out)[1].lower()
    of_suffix = _OF_SUFFIX.get(suffix)
    if kind is None and of_suffix is None:
        if not suffix and os.path.exists(out) and not os.path.isfile(out):  # /dev/stdout, or a pipe
            return "table"
        compressed = f"; to compress, pipe it: --output csv | {_PACKERS[suffix]}" if suffix in _PACKERS else ""
        raise click.BadParameter(
            f"{_shown(out)} does not end in .jsonl, .csv, .arrow or .parquet: rename it, or choose the form with "
            f"--output{compressed}.",
            param_hint="'--out'",
        )
    if kind is not None and of_suffix not in (None, kind) and not context.resilient_parsing:
        say(f"note: {_shown(out)} will hold {kind}, as --output says, not {of_suffix}")
    return kind or of_suffix or "table"
