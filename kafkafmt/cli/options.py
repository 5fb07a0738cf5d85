"""Options that commands share: the paths, which records are wanted, and how damage and replicas are dealt with.

Each arrives under the name of its argument to `kafkafmt.scan`, so that a command passes them on as they are.
"""

import base64
import functools
import os
import re
import sys
from collections.abc import Callable, Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import click

from kafkafmt.cli.command import OUTPUT, CommandFunction, give, option
from kafkafmt.errors import OnDamage

if TYPE_CHECKING:
    from kafkafmt.limits import Limits

Names = Collection[str] | re.Pattern[str] | None
"""What `--topic` and `--topic-regex` come to."""

WHICH: Final = "Which records"
HOW: Final = "How to read"

_KEYS: Final = "kafkafmt.keys"
_TYPED: Final = "kafkafmt.typed."

# No more digits than a 64-bit number has: Python refuses to read thousands of them.
_INT = re.compile(r"[+-]?[0-9]{1,20}")
_COUNT = re.compile(r"[0-9]{1,20}")
_SIZE = re.compile(r"([0-9]{1,20})(KiB|MiB|GiB)?", re.IGNORECASE)
_UNITS: Final = {"": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}


def paths_argument(function: CommandFunction) -> CommandFunction:
    """Give a command the argument PATH..."""
    # The reader reports what cannot be read: click would call it wrong usage.
    path = click.Path(readable=False)
    paths = click.argument("paths", nargs=-1, required=True, type=path, metavar="PATH...")
    return give(paths, key_file_option())(function)


def key_file_option(group: str = HOW) -> Callable[[CommandFunction], CommandFunction]:
    """Give a command `--key-file`, for `keys_of_command`; commands with `paths_argument` have it.

    Args:
        group: heading of the option.
    """
    return option(
        "--key-file",
        multiple=True,
        expose_value=False,
        callback=_keep_keys,
        metavar="ID=PATH",
        group=group,
        help="Private key (PEM) of an encrypted tier, by the name of its key pair. Repeatable.",
    )


def keys_of_command() -> dict[str, str] | None:
    """Paths of the private keys that the command line names; None for none."""
    context = click.get_current_context(silent=True)
    return (context.meta.get(_KEYS) or None) if context is not None else None


def _keep_keys(context: click.Context, _: click.Parameter, named: tuple[str, ...]) -> None:
    """Keep the keys for `keys_of_command`: of a command only what opens its paths asks for them.

    Raises:
        click.BadParameter: not a name and a path.
        click.UsageError: those of the environment are malformed.
    """
    if not context.resilient_parsing:
        from kafkafmt.io.keys import keys_of_environment  # not at the top: it loads what reads files

        try:
            keys_of_environment()
        except ValueError as error:
            raise click.UsageError(f"{error}.") from error
    keys = {}
    for each in named:
        name, _equals, path = each.partition("=")
        if not name or not path:
            raise click.BadParameter(f"{each!r} is not ID=PATH, as in key1=/etc/keys/key1.pem.")
        keys[name] = path
    context.meta[_KEYS] = keys


def limit_option(noun: str) -> Callable[[CommandFunction], CommandFunction]:
    """Give a command `--limit`.

    Args:
        noun: what is counted.
    """
    return option(
        "--limit",
        type=click.IntRange(min=0),
        callback=row_count,
        metavar="N",
        group=WHICH,
        help=f"At most N {noun}; stops reading after them.",
    )


def row_count(_: click.Context, __: click.Parameter, number: int | None) -> int | None:
    """Bound a number of rows to what Python can count: there are never more."""
    return None if number is None else min(number, sys.maxsize)


def name_options(noun: str, *, of: str = "", group: str = WHICH) -> Callable[[CommandFunction], CommandFunction]:
    """Give a command `--NOUN` and `--NOUN-regex`: nouns, names or an expression that full names match, None for all.

    Args:
        noun: what is named, "topic" or "group".
        of: what of it is chosen, as help says it: "offsets of ", or nothing.
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
                callback=_some,
                metavar="NAME",
                group=group,
                help=f"Only {of}this {noun}. Repeatable.",
            ),
            option(
                f"--{noun}-regex",
                callback=_regex_of,
                metavar="REGEX",
                group=group,
                help=f"Only {of}{noun}s whose full name matches.",
            ),
        )
        return give(*options)(cast("CommandFunction", with_names))

    return decorate


def partition_options(group: str = WHICH) -> Callable[[CommandFunction], CommandFunction]:
    """Give a command `--topic`, `--topic-regex` and `--partition`: topics as `name_options` does, and partitions."""
    return give(
        name_options("topic", group=group),
        option(
            "--partition",
            "partitions",
            multiple=True,
            callback=_some,
            type=click.IntRange(min=0),
            metavar="N",
            group=group,
            help="Only this partition. Repeatable.",
        ),
    )


def producer_id_option(function: CommandFunction) -> CommandFunction:
    """Give a command `--producer-id`: producer_ids, None for all."""
    return option(
        "--producer-id",
        "producer_ids",
        multiple=True,
        callback=_some,
        type=click.IntRange(min=0),
        metavar="ID",
        group=WHICH,
        help="Only this producer. Repeatable.",
    )(function)


def selection_options(*, control_records: bool | None) -> Callable[[CommandFunction], CommandFunction]:
    """Give a command the options that choose records, as `kafkafmt.scan` names them.

    Args:
        control_records: whether control records are wanted without --control or --no-control; None for neither option.
    """
    options = (
        partition_options(),
        option(
            "--start-offset",
            type=click.IntRange(min=0),
            metavar="OFFSET",
            group=WHICH,
            help="Only records from this offset on.",
        ),
        option(
            "--end-offset",
            callback=_end_offset,
            metavar="OFFSET",
            group=WHICH,
            help="Only records before this offset, or before the high watermark (high-watermark).",
        ),
        option(
            "--start-time",
            "start_timestamp",
            callback=time_of,
            metavar="TIME",
            group=WHICH,
            help="Only timestamps at or after TIME: ms since 1970, or ISO 8601 (UTC without a zone).",
        ),
        option(
            "--end-time",
            "end_timestamp",
            callback=time_of,
            metavar="TIME",
            group=WHICH,
            help="Only timestamps before TIME.",
        ),
        log_options(control_records=control_records),
    )
    return lambda function: give(*options)(_with_ranges_checked(function))


def log_options(*, control_records: bool | None) -> Callable[[CommandFunction], CommandFunction]:
    """Give a command the options that say what counts as the log: control records, transactions, the log start.

    Args:
        control_records: as for `selection_options`.
    """
    return give(
        *(() if control_records is None else (_control_option(control_records=control_records),)),
        option(
            "--isolation-level",
            type=click.Choice(["read_uncommitted", "read_committed"]),
            default="read_uncommitted",
            show_default=True,
            group=WHICH,
            help="read_committed: leave out aborted transactions, and everything from the first open one on.",
        ),
        option(
            "--below-log-start",
            is_flag=True,
            group=WHICH,
            help="Include records below the log start offset: deleted, but still on disk.",
        ),
    )


def _control_option(*, control_records: bool) -> Callable[[CommandFunction], CommandFunction]:
    return option(
        "--control/--no-control",
        "control_records",
        default=control_records,
        show_default=True,
        group=WHICH,
        help="Include transaction markers and other control records.",
    )


def _with_ranges_checked(function: CommandFunction) -> CommandFunction:
    """Make a start after its end wrong usage."""

    @functools.wraps(function)
    def checked(*positional: Any, **arguments: Any) -> Any:  # noqa: ANN401 - what the command returns
        from kafkafmt.scanning.arguments import check_range, milliseconds

        first, last = (milliseconds(arguments[name], name) for name in ("start_timestamp", "end_timestamp"))
        try:
            list(check_range(arguments["start_offset"], arguments["end_offset"], ("--start-offset", "--end-offset")))
        except ValueError as error:
            raise click.UsageError(f"{error}.") from error
        if first is not None and last is not None and first > last:
            start, end = (
                click.get_current_context().meta[_TYPED + name] for name in ("start_timestamp", "end_timestamp")
            )
            raise click.UsageError(f"--start-time {start} is after --end-time {end}.")
        return function(*positional, **arguments)

    return cast("CommandFunction", checked)


def reading_options(function: CommandFunction) -> CommandFunction:
    """Give a command `--on-damage`, `--replica` and `--max`."""
    replica = option(
        "--replica",
        type=click.Choice(["best", "all"]),
        default="best",
        show_default=True,
        group=HOW,
        help="If a partition is found several times: read the best copy only, or all.",
    )
    return damage_option(replica(limits_option(function)))


def damage_option(function: CommandFunction) -> CommandFunction:
    """Give a command `--on-damage`."""
    return option(
        "--on-damage",
        type=click.Choice(get_args(OnDamage)),
        default="raise",
        show_default=True,
        group=HOW,
        help="At damage: stop, or report it on stderr and read on after it.",
    )(function)


def limits_option(function: CommandFunction) -> CommandFunction:
    """Give a command `--max`: limits, a `kafkafmt.Limits`, None if it is not given."""
    return option(
        "--max",
        "limits",
        multiple=True,
        callback=_limits,
        metavar="NAME=VALUE",
        group=HOW,
        help="Another bound on memory, such as state-bytes=256MiB. NAME: batch-bytes, decompressed-bytes, "
        "records-per-batch, headers-per-record, state-bytes or zstd-window-log. Repeatable.",
    )(function)


def as_of_options(function: CommandFunction) -> CommandFunction:
    """Give a command `--at-offset` and `--at-time`, as the arguments at_offset and at_time of `kafkafmt.topics` are.

    Both are None when not given, and only one of them may be; at_offset is an int for every partition, or a dict of
    partition to offset.
    """

    @functools.wraps(function)
    def checked(*positional: Any, **arguments: Any) -> Any:  # noqa: ANN401 - what the command returns
        if arguments["at_offset"] is not None and arguments["at_time"] is not None:
            raise click.UsageError("--at-offset and --at-time exclude each other.")
        return function(*positional, **arguments)

    options = (
        option(
            "--at-offset",
            multiple=True,
            callback=_as_of_offset,
            metavar="[PARTITION:]OFFSET",
            group=WHICH,
            help="State as of OFFSET (exclusive), in PARTITION or in all partitions. Repeatable with PARTITION.",
        ),
        option(
            "--at-time",
            callback=time_of,
            metavar="TIME",
            group=WHICH,
            help="State before the first record whose timestamp is after TIME.",
        ),
    )
    return give(*options)(cast("CommandFunction", checked))


def show_option(*tables: str, default: str) -> Callable[[CommandFunction], CommandFunction]:
    """Give a command `--show`: show, the name of one of its tables, or None.

    Args:
        tables: their names, as `tables` of the answer has them.
        default: what is shown without it.
    """
    return option(
        "--show",
        type=click.Choice(tables),
        metavar="TABLE",
        group=OUTPUT,
        expose_value=len(tables) > 1,
        help=f"The table to show: {', '.join(tables)}. Default: {default}.",
    )


def key_option(function: CommandFunction) -> CommandFunction:
    """Give a command `--key`."""
    return option(
        "--key",
        callback=key_of,
        metavar="KEY",
        group=WHICH,
        help="Only records with this key: text, or bytes as hex:0A0B or base64:Cgs=.",
    )(function)


def key_of(_: click.Context, __: click.Parameter, text: str | None) -> bytes | None:
    """Read a record's key: text, or bytes as `hex:..` or `base64:..`; `text:..` for a text that begins like those.

    Raises:
        click.BadParameter: not as announced.
    """
    if text is None:
        return None
    form, colon, rest = text.partition(":")
    try:
        if colon and form == "hex":
            return bytes.fromhex(rest)
        if colon and form == "base64":
            return base64.b64decode(rest, validate=True)
    except ValueError as error:
        raise click.BadParameter(
            f"{text!r} is not valid {form} after {form}:. If it is the text of a key, write text:{text}"
        ) from error
    return os.fsencode(rest if colon and form == "text" else text)


def _regex_of(_: click.Context, __: click.Parameter, text: str | None) -> re.Pattern[str] | None:
    """Read a regular expression.

    Raises:
        click.BadParameter: it is none.
    """
    try:
        return None if text is None else re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise click.BadParameter(f"{text!r} is not a regular expression: {error}.") from error


def time_of(context: click.Context, parameter: click.Parameter, text: str | None) -> int | datetime | None:
    """Read a time: ms since 1970, or ISO 8601; errors show it as it was typed.

    Raises:
        click.BadParameter: neither.
    """
    context.meta[f"{_TYPED}{parameter.name}"] = text
    if text is None or _INT.fullmatch(text):
        return None if text is None else int(text)
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is neither ms since 1970 nor a time like 2026-11-21T09:30:00Z.") from error


def _end_offset(_: click.Context, __: click.Parameter, text: str | None) -> int | str | None:
    if text in ("high-watermark", "high_watermark"):
        return "high_watermark"
    if text is not None and _COUNT.fullmatch(text) is None:
        raise click.BadParameter(f"{text!r} is neither an offset nor high-watermark.")
    return None if text is None else int(text)


def _as_of_offset(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> int | dict[int, int] | None:
    """Read OFFSET, or PARTITION:OFFSET as often as there are partitions.

    Raises:
        click.BadParameter: neither, an offset for all beside another, or a partition named twice.
    """
    offsets: dict[int | None, int] = {}
    for text in texts:
        partition, colon, offset = text.rpartition(":")
        number = int(partition) if colon and _COUNT.fullmatch(partition) else None
        if _COUNT.fullmatch(offset) is None or (colon and number is None):
            raise click.BadParameter(f"{text!r} is neither an offset nor PARTITION:OFFSET.")
        if number in offsets:
            twice = "all partitions" if number is None else f"partition {number}"
            raise click.BadParameter(f"an offset for {twice} is given twice.")
        offsets[number] = int(offset)
    if None in offsets and len(offsets) > 1:
        raise click.BadParameter("an offset for all partitions and one for a partition exclude each other.")
    return offsets.get(None, {key: value for key, value in offsets.items() if key is not None} or None)


def _limits(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> "Limits | None":
    """Read NAME=VALUE, with the names of the fields of Limits.

    Raises:
        click.BadParameter: no such name, a value that is none, or a name given twice.
    """
    if not texts:
        return None
    from dataclasses import fields

    from kafkafmt.limits import Limits, option_name

    names = {option_name(field.name): field.name for field in fields(Limits)}
    values: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        field = names.get(option_name(name))
        if not equals or field is None:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE with one of the names {', '.join(names)}.")
        size = _size(value)
        if field in values:
            raise click.BadParameter(f"{name} is given twice.")
        values[field] = size
    try:
        return Limits(**values)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


def size_of(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Read a number of bytes: 4096, or 10MiB.

    Raises:
        click.BadParameter: it is neither.
    """
    return None if text is None else _size(text)


def _size(text: str) -> int:
    size = _SIZE.fullmatch(text)
    if size is None:
        raise click.BadParameter(f"{text!r} is neither a number nor a size like 256MiB.")
    return int(size[1]) * _UNITS[(size[2] or "").lower()]


def _some(_: click.Context, __: click.Parameter, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    return values or None
