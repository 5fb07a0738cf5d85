"""Options of several commands: paths, the choice of records, damage and replicas.

An option has the name of its argument of `kafkafmt.scan`, so that a command passes it on unchanged.
"""

import functools
import re
from collections.abc import Callable, Collection
from typing import Any, Final, cast, get_args

import click

from kafkafmt.cli.command import HOW, CommandFunction, give, option, output_option
from kafkafmt.cli.values import (
    TYPED,
    as_of_offset,
    config_of,
    end_offset_of,
    keep_keys,
    key_of,
    limits_of,
    regex_of,
    row_count,
    some_of,
    time_of,
)
from kafkafmt.errors import OnDamage

Names = Collection[str] | re.Pattern[str] | None
"""The values of `--topic` and `--topic-regex`."""

WHICH: Final = "Which records"

which_option = functools.partial(option, group=WHICH)
"""An option that chooses records."""

how_option = functools.partial(option, group=HOW)
"""An option of reading."""

SEVERAL_PATHS: Final[dict[str, Any]] = {"multiple": True, "type": click.Path(readable=False), "metavar": "PATH"}
"""Settings of an option that takes several paths; the reader reports unreadable ones."""

_when_option = functools.partial(option, group="When, and with which configs")


def paths_argument(function: CommandFunction) -> CommandFunction:
    """Add the argument PATH... to a command."""
    # The reader reports unreadable paths: click would call them wrong usage.
    path = click.Path(readable=False)
    paths = click.argument("paths", nargs=-1, required=True, type=path, metavar="PATH...")
    return give(paths, key_file_option())(function)


def key_file_option() -> Callable[[CommandFunction], CommandFunction]:
    """Add `--key-file` to a command, for `values.keys_of_command`; commands with `paths_argument` have it."""
    return how_option(
        "--key-file",
        multiple=True,
        expose_value=False,
        callback=keep_keys,
        metavar="ID=PATH",
        help="Private key (PEM) of an encrypted tier, by the name of its key pair. Repeatable.",
    )


def limit_option(noun: str) -> Callable[[CommandFunction], CommandFunction]:
    """Add `--limit` to a command."""
    return which_option(
        "--limit",
        type=click.IntRange(min=0),
        callback=row_count,
        metavar="N",
        help=f"At most N {noun}; stops reading after them.",
    )


def name_options(noun: str, *, of: str = "", group: str = WHICH) -> Callable[[CommandFunction], CommandFunction]:
    """Add `--NOUN` and `--NOUN-regex` to a command: names, or an expression for full names; None for all.

    Args:
        noun: what is named: "topic" or "group".
        of: the part of them that is chosen, for the help: "offsets of ", or empty.
        group: heading of the options.
    """

    def decorate(function: CommandFunction) -> CommandFunction:
        @functools.wraps(function)
        def with_names(*positional: Any, **arguments: Any) -> Any:  # noqa: ANN401 - what the command returns
            regex, names = arguments.pop(f"{noun}_regex"), arguments[f"{noun}s"]
            if regex is not None and names:
                raise click.UsageError(
                    f"--{noun} and --{noun}-regex exclude each other: put the names into the expression."
                )
            arguments[f"{noun}s"] = regex or names
            return function(*positional, **arguments)

        options = (
            option(
                f"--{noun}",
                f"{noun}s",
                multiple=True,
                callback=some_of,
                metavar="NAME",
                group=group,
                help=f"Only {of}this {noun}. Repeatable.",
            ),
            option(
                f"--{noun}-regex",
                callback=regex_of,
                metavar="REGEX",
                group=group,
                help=f"Only {of}{noun}s whose full name matches.",
            ),
        )
        return give(*options)(cast("CommandFunction", with_names))

    return decorate


def _number_option(
    name: str, argument: str, noun: str, metavar: str, group: str
) -> Callable[[CommandFunction], CommandFunction]:
    number = click.IntRange(min=0)
    text = f"Only this {noun}. Repeatable."
    return option(name, argument, multiple=True, callback=some_of, type=number, metavar=metavar, group=group, help=text)


def partition_option(group: str = WHICH) -> Callable[[CommandFunction], CommandFunction]:
    """Add `--partition` to a command: argument `partitions`, None for all."""
    return _number_option("--partition", "partitions", "partition", "N", group)


def partition_options(group: str = WHICH) -> Callable[[CommandFunction], CommandFunction]:
    """Add `--topic`, `--topic-regex` and `--partition` to a command: topics as for `name_options`, and partitions."""
    return give(name_options("topic", group=group), partition_option(group))


def producer_id_option(function: CommandFunction) -> CommandFunction:
    """Add `--producer-id` to a command: argument `producer_ids`, None for all."""
    return _number_option("--producer-id", "producer_ids", "producer", "ID", WHICH)(function)


END_OFFSET: Final = which_option(
    "--end-offset",
    callback=end_offset_of,
    metavar="OFFSET",
    help="Only records before this offset, or before the high watermark (high-watermark).",
)
ISOLATION_LEVEL: Final = which_option(
    "--isolation-level",
    type=click.Choice(["read_uncommitted", "read_committed"]),
    default="read_uncommitted",
    help="read_committed: leave out aborted transactions, and everything from the first open one on.",
)
TIME_RANGE: Final = give(
    which_option(
        "--start-time",
        "start_timestamp",
        callback=time_of,
        metavar="TIME",
        help="Only timestamps at or after TIME: ms since 1970, or ISO 8601 (UTC without a zone).",
    ),
    which_option("--end-time", "end_timestamp", callback=time_of, metavar="TIME", help="Only timestamps before TIME."),
)


def selection_options(*, control_records: bool | None) -> Callable[[CommandFunction], CommandFunction]:
    """Add the options that choose records to a command, named as in `kafkafmt.scan`.

    Args:
        control_records: whether control records are wanted by default; None to leave out --control and --no-control.
    """
    options = (
        partition_options(),
        which_option(
            "--start-offset", type=click.IntRange(min=0), metavar="OFFSET", help="Only records from this offset on."
        ),
        END_OFFSET,
        TIME_RANGE,
        log_options(control_records=control_records),
    )
    return lambda function: give(*options)(_with_ranges_checked(function))


def log_options(*, control_records: bool | None) -> Callable[[CommandFunction], CommandFunction]:
    """Add the options that define the log to a command: control records, transactions, the log start."""
    control = which_option(
        "--control/--no-control",
        "control_records",
        default=control_records,
        show_default=True,
        help="Include transaction markers and other control records.",
    )
    return give(
        *(() if control_records is None else (control,)),
        ISOLATION_LEVEL,
        which_option(
            "--below-log-start",
            is_flag=True,
            help="Include records below the log start offset: deleted, but still on disk.",
        ),
    )


def _with_ranges_checked(function: CommandFunction) -> CommandFunction:
    """Reject a start after its end."""

    @functools.wraps(function)
    def checked(*positional: Any, **arguments: Any) -> Any:  # noqa: ANN401 - what the command returns
        from kafkafmt.moments import milliseconds
        from kafkafmt.scanning.arguments import check_range

        first, last = (milliseconds(arguments[name], name) for name in ("start_timestamp", "end_timestamp"))
        try:
            list(check_range(arguments["start_offset"], arguments["end_offset"], ("--start-offset", "--end-offset")))
        except ValueError as error:
            raise click.UsageError(f"{error}.") from error
        if first is not None and last is not None and first > last:
            typed = click.get_current_context().meta
            start, end = typed[f"{TYPED}start_timestamp"], typed[f"{TYPED}end_timestamp"]
            raise click.UsageError(f"--start-time {start} is after --end-time {end}.")
        return function(*positional, **arguments)

    return cast("CommandFunction", checked)


def reading_options(on_damage: str = "skip") -> "Callable[[CommandFunction], CommandFunction]":
    """Add `--on-damage`, as `damage_option` does, `--replica` and `--max` to a command."""
    replica = how_option(
        "--replica",
        type=click.Choice(["best", "all"]),
        default="best",
        help="If a partition is found several times: read the best copy only, or all.",
    )
    return lambda function: damage_option(on_damage)(replica(limits_option(function)))


def damage_option(default: str = "skip") -> "Callable[[CommandFunction], CommandFunction]":
    """Add `--on-damage` to a command.

    Args:
        default: "skip" for commands that answer a question, which damaged disks raise; "raise" for those whose output
            must be whole; or a condition in words: the command then gets None if the option is not given.
    """
    choices = get_args(OnDamage)
    return how_option(
        "--on-damage",
        type=click.Choice(choices),
        default=default if default in choices else None,
        help="At damage: stop, or report it on stderr and continue after it."
        + ("" if default in choices else f" [default: {default}]"),
    )


def limits_option(function: CommandFunction) -> CommandFunction:
    """Add `--max` to a command: argument `limits`, a `kafkafmt.Limits`; None if it is not given."""
    return how_option(
        "--max",
        "limits",
        multiple=True,
        callback=limits_of,
        metavar="NAME=VALUE",
        help="Another bound on memory, such as state-bytes=256MiB. NAME: batch-bytes, decompressed-bytes, "
        "records-per-batch, headers-per-record, fields-per-value, state-bytes or zstd-window-log. Repeatable.",
    )(function)


def as_of_options(function: CommandFunction) -> CommandFunction:
    """Add `--at-offset` and `--at-time` to a command, with the values of at_offset and at_time in `kafkafmt.topics`.

    Both are None if not given, and only one of them may be given; at_offset is an int for every partition, or a dict
    from partition to offset.
    """

    @functools.wraps(function)
    def checked(*positional: Any, **arguments: Any) -> Any:  # noqa: ANN401 - what the command returns
        if arguments["at_offset"] is not None and arguments["at_time"] is not None:
            raise click.UsageError("--at-offset and --at-time exclude each other.")
        return function(*positional, **arguments)

    options = (
        which_option(
            "--at-offset",
            multiple=True,
            callback=as_of_offset,
            metavar="[PARTITION:]OFFSET",
            help="State as of OFFSET (exclusive), in PARTITION or in all partitions. Repeatable with PARTITION.",
        ),
        which_option(
            "--at-time",
            callback=time_of,
            metavar="TIME",
            help="State before the first record whose timestamp is after TIME.",
        ),
    )
    return give(*options)(cast("CommandFunction", checked))


def operation_options(function: CommandFunction) -> CommandFunction:
    """Add `--at`, `--metadata` and `--config` to a command: at, metadata, config, each None if not given."""
    options = (
        _when_option(
            "--at",
            callback=time_of,
            metavar="TIME",
            help="A broker's actions at TIME: ms since 1970, or ISO 8601 (UTC without a zone). Default: now.",
        ),
        _when_option(
            "--metadata",
            callback=some_of,
            **SEVERAL_PATHS,
            help="Directory with the metadata log, if it is not in a PATH, for the configs. Repeatable.",
        ),
        _when_option(
            "--config",
            multiple=True,
            callback=config_of,
            metavar="NAME=VALUE",
            help="Value of a config, such as retention.ms=3600000, in place of those in the metadata log. A broker's "
            "name for it (log.retention.hours) counts as a line of server.properties: the metadata log wins over it. "
            "Repeatable.",
        ),
    )
    return give(*options)(function)


def show_option(*tables: str, default: str) -> Callable[[CommandFunction], CommandFunction]:
    """Add `--show` to a command: the name of one of its tables, or None.

    Args:
        tables: names of the tables, as in `tables` of the answer.
        default: the table shown without the option.
    """
    return output_option(
        "--show",
        type=click.Choice(tables),
        metavar="TABLE",
        expose_value=len(tables) > 1,
        help=f"The table to show: {', '.join(tables)}. Default: {default}.",
    )


def key_option(function: CommandFunction) -> CommandFunction:
    """Add `--key` to a command."""
    return which_option(
        "--key",
        callback=key_of,
        metavar="KEY",
        help="Only records with this key: text, or bytes as hex:0A0B or base64:Cgs=.",
    )(function)


def report_option(text: str) -> Callable[[CommandFunction], CommandFunction]:
    """Add `--report` to a command: the file for an HTML page that is written instead of rows, or None.

    Args:
        text: help of the option, which describes the page.
    """
    return output_option("--report", type=click.Path(dir_okay=False, readable=False), metavar="FILE.html", help=text)
