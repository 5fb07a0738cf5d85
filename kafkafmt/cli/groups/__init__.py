"""`kafkafmt groups PATH...`: consumer, share and streams groups, their offsets and members."""

import functools
from re import Pattern
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import (
    CLEAN,
    FINDINGS,
    UNREADABLE,
    Command,
    RowOptions,
    columns_option,
    option,
    output_options,
)
from kafkafmt.cli.frame import CommandFrame, RowFrame
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import (
    SEVERAL_PATHS,
    Names,
    as_of_options,
    damage_option,
    key_file_option,
    limits_option,
    name_options,
    report_option,
    show_option,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.errors import SourceError
from kafkafmt.phrases import listed
from kafkafmt.reference.header import INT32_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from kafkafmt.disks import Disks
    from kafkafmt.topics.consumer_groups import Groups
    from kafkafmt.topics.consumer_groups.assignment_check import AssignmentCheck
    from kafkafmt.topics.consumer_groups.catalog import Home

_view_option = functools.partial(option, group="What to show (default: one row per committed offset)")

_OFFSETS = TableShape(
    (
        *("group", "type", "state", "topic", "partition", "offset", "logEndOffset", "lag"),
        *("commitTimestamp", "leaderEpoch", "expireTimestamp", "metadata"),
    ),
    optional=("leaderEpoch", "expireTimestamp", "metadata"),
    first=("group", "topic", "partition", "lag", "offset", "logEndOffset", "state", "commitTimestamp"),
)
_SHAPES = {
    "offsets": _OFFSETS,
    "pending_offsets": _OFFSETS,
    "groups": TableShape(
        (
            *("group", "type", "state", "protocol", "members", "offsets", "lag", "topics"),
            *("epoch", "assignmentEpoch", "coordinatorPartition"),
        ),
        optional=("assignmentEpoch",),
        first=("group", "state", "members", "lag", "offsets", "type", "topics"),
    ),
    "members": TableShape(
        (
            *("group", "state", "memberId", "groupInstanceId", "clientId", "host", "memberEpoch", "memberState"),
            *("subscribedTopics", "subscribedTopicRegex", "assignment", "pendingRevocation", "tasks"),
        ),
        optional=("groupInstanceId", "memberState", "subscribedTopicRegex", "pendingRevocation", "tasks"),
        first=("group", "memberId", "assignment", "host", "clientId", "state"),
    ),
    "check": TableShape(optional=("reason",)),
    "where": TableShape(("group", "topic", "partition", "partitions", "paths")),
}


def _text(context: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Reject text that cannot be the name of a group."""
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise click.BadParameter(f"{name!r} is not UTF-8, as group names are.", context, parameter) from None
    return names


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt groups /var/lib/kafka/data
  kafkafmt groups /mnt/broker-1 /mnt/broker-2 /mnt/broker-3 --group payments
  kafkafmt groups /var/lib/kafka/data --list
  kafkafmt groups /var/lib/kafka/data --members --group-regex 'payments-.*'
  kafkafmt groups /var/lib/kafka/data --at-time 2026-11-21T04:00 --topic orders
  kafkafmt groups /var/lib/kafka/data --check-assignment
  kafkafmt groups /var/lib/kafka/data --history --group payments
  kafkafmt groups /var/lib/kafka/data --history --group payments --report payments.html
  kafkafmt groups /var/lib/kafka/data --group payments --reset-file payments.csv
  kafkafmt groups /var/lib/kafka/data --group payments --reset-file payments.csv --translate-to /mirror/data
  kafkafmt groups /var/lib/kafka/data --where payments
  kafkafmt groups /var/lib/kafka/data -o jsonl | jq -r 'select(.lag > 1000) | .group' | sort -u
""",
)
@click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="PATH...")
@key_file_option()
@_view_option("--list", "view", flag_value="groups", help="One row per group, including groups without offsets.")
@_view_option(
    "--members",
    "view",
    flag_value="members",
    help="One row per member: client, host, static id, subscription and assignment.",
)
@_view_option(
    "--check-assignment",
    "view",
    flag_value="check",
    help="One row per member: whether its assignment is the one that its assignor (range, roundrobin, sticky, uniform, "
    "..) computes.",
)
@_view_option(
    "--history",
    "view",
    flag_value="history",
    help="One row per commit, tombstone and change of a group, in log order. With --report a picture of it.",
)
@_view_option(
    "--reset-file",
    type=click.Path(dir_okay=False, readable=False),
    metavar="FILE.csv",
    help="Write the committed offsets to FILE.csv, for kafka-consumer-groups.sh --reset-offsets --from-file.",
)
@_view_option(
    "--translate-to",
    **SEVERAL_PATHS,
    help="With --reset-file: offsets for this copy of the topics, found by timestamp, key and value of the records. "
    "Uncertain offsets are listed. Repeatable.",
)
@_view_option(
    "--where",
    "located",
    multiple=True,
    callback=_text,
    metavar="GROUP",
    help="The partition of __consumer_offsets that the group belongs to, whether it exists or not. Repeatable.",
)
@_view_option(
    "--partitions",
    type=click.IntRange(min=1, max=INT32_MAX),
    metavar="N",
    help="With --where: number of partitions of __consumer_offsets. Default: from the cluster metadata, else by the "
    "highest partition seen.",
)
@name_options("group")
@name_options("topic", of="offsets of ")
@as_of_options
@damage_option("skip; raise with --reset-file")
@limits_option
@show_option("groups", "offsets", "pending_offsets", "members", "history", default="offsets")
@report_option("With --history: write a page that draws the offsets over time instead of rows.")
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    view: str | None,
    located: tuple[str, ...],
    partitions: int | None,
    show: str | None,
    report: str | None,
    reset_file: str | None,
    translate_to: tuple[str, ...],
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.topics.groups
) -> int:
    """Show consumer, share and streams groups with their offsets and lag, as kafka-consumer-groups.sh does for a live
    cluster, but from the brokers' disks alone, for now or an earlier moment.

    A PATH is a log directory, any directory above, or a URI. Name those of all brokers: a group is read from the best
    replica of its partition of __consumer_offsets. Offsets committed in a transaction count only if it was committed.
    Lag is relative to the log end on these disks, and null if the partition is not on them. States are those that a
    broker derives when it loads the partition.
    """  # noqa: D205 - one paragraph, as --help shows it
    if show is not None and view not in (None, show):
        raise click.UsageError("--show, --list, --members, --check-assignment and --history exclude each other.")
    view = view or show
    if view in {"members", "check"} and wanted["topics"] is not None:
        raise click.UsageError("--topic and --topic-regex select offsets: members and --check-assignment have none.")
    if partitions is not None and not located:
        raise click.UsageError("--partitions needs --where GROUP.")
    if not paths and partitions is None:
        other = " (or --partitions N)" if located else ""
        raise click.UsageError(f"Missing argument 'PATH...'{other}.")
    if translate_to and reset_file is None:
        raise click.UsageError("--translate-to needs --reset-file FILE.csv.")
    wanted["on_damage"] = wanted["on_damage"] or ("skip" if reset_file is None else "raise")
    if reset_file is not None:
        if view is not None or located or report is not None:
            raise click.UsageError("--reset-file writes committed offsets: leave out other views.")
        from kafkafmt.cli.groups.resetting import write_reset_file

        return write_reset_file(paths, reset_file, translate_to, rows, wanted)
    if report is not None and (view != "history" or not rows.is_screen or rows.columns is not None or located):
        raise click.UsageError("--report draws the --history: leave out other views, --output, --out and --columns.")
    if view == "history" and not located:
        from kafkafmt.cli.groups.history import show_history

        return show_history(paths, rows, report, wanted)
    if not located:
        return _show(paths, view or "offsets", rows, wanted)
    filters = (wanted[name] for name in ("groups", "topics", "at_offset", "at_time"))
    if view is not None or any(chosen is not None for chosen in filters):
        raise click.UsageError("--where cannot be combined with another view, filter or moment.")
    return _locate(paths, located, partitions, rows)


def _show(paths: tuple[str, ...], view: str, rows: RowOptions, wanted: dict[str, Any]) -> int:
    """Show groups, their offsets or members, or whether their assignments are right; returns the exit code."""
    from kafkafmt.files.damage import Absence
    from kafkafmt.topics.consumer_groups.answer import GROUPS, MEMBERS, OFFSETS
    from kafkafmt.topics.consumer_groups.assignment_check import CHECKS, check_assignments, checks_table

    schemas = {"groups": GROUPS, "members": MEMBERS, "check": CHECKS}
    # Groups may have committed offsets of topics that are not on these disks: the answer names missing topics.
    frame = RowFrame(paths, rows, schemas.get(view, OFFSETS), topics=None, partitions=None)
    with frame.asking() as disks:
        found = disks.groups(**wanted)
    checks: tuple[AssignmentCheck, ...] = check_assignments(found, disks) if view == "check" else ()
    table = checks_table(checks) if view == "check" else found.to_table(view)
    missing = _missing(found, wanted["groups"])
    if table.num_rows or not rows.is_table or not (missing or any(isinstance(note, Absence) for note in found.notes)):
        _write(table, view, rows, paths)
    wrong = frame.report(found)
    if missing:
        _say_missing(missing, wanted["groups"], disks)
    empty = CLEAN if missing or wrong == UNREADABLE else _say_empty(found, view, table.num_rows, wanted)
    differing = [check for check in checks if check.agrees is False]
    if differing:
        group_ids = sorted({check.group_id for check in differing})
        say(f"assignment differs from the assignor's: {listed(group_ids)}; {differing[0].reason}")
    status = FINDINGS if differing else wrong
    fails = any(isinstance(error, SourceError) and error.is_disk_failure for error in found.errors)
    return frame.end(UNREADABLE if missing or fails else empty or status)


def _locate(paths: tuple[str, ...], group_ids: tuple[str, ...], partitions: int | None, rows: RowOptions) -> int:
    """Show the `__consumer_offsets` partitions of groups; returns the exit code."""
    from kafkafmt.topics.consumer_groups.catalog import HOMES, homes_table, locate_groups

    rows.check(HOMES.names)
    frame = CommandFrame(paths, topics=None, partitions=None) if paths else None
    homes = locate_groups(group_ids, None if frame is None else frame.disks, partitions=partitions)
    _write(homes_table(homes), "where", rows, paths)
    first = homes[0]
    if not first.is_certain:
        say(
            f"note: assuming {first.partitions} partitions of __consumer_offsets, as {first.told_by}; add a "
            "controller's disk or --partitions N to be sure"
        )
    elif partitions is None:
        say(f"note: __consumer_offsets has {first.partitions} partitions, {first.told_by}")
    absent = [home for home in homes if paths and not home.paths]
    if absent:
        names = listed([f"__consumer_offsets-{home.partition}" for home in absent])
        say(f"note: not on these disks: {names}")
    return CLEAN if frame is None else frame.end(CLEAN)


def _write(table: "pa.Table", view: str, rows: RowOptions, paths: tuple[str, ...]) -> None:
    shape = _SHAPES[view]
    table = table.select(rows.select(table.schema.names, shape))
    if rows.is_table:
        table = _for_people(table)
    rows.write(table.to_batches(), table.schema, shape, paths, names_if_empty=True)


def _for_people(table: "pa.Table") -> "pa.Table":
    """The same table with nested columns as text: `orders(0,1), clicks(0)`; empty without a member.

    Empty texts become null, so that a column with only empty texts is left out.
    """
    import pyarrow as pa

    columns = []
    for name in table.column_names:
        column = table.column(name)
        shown = _SHOWN.get(name)
        if shown is not None:
            texts = [None if value is None else ", ".join(map(shown, value)) or None for value in column.to_pylist()]
            column = pa.chunked_array([pa.array(texts, pa.string())])
        elif name == "metadata":
            column = pa.chunked_array([pa.array([text or None for text in column.to_pylist()], pa.string())])
        columns.append(column)
    return pa.table(columns, names=table.column_names)


def _partitions(assigned: dict[str, Any]) -> str:
    return f"{assigned['topic'] or assigned['topicId']}({','.join(map(str, assigned['partitions']))})"


def _tasks(given: dict[str, Any]) -> str:
    return f"{given['role']} {given['subtopologyId']}({','.join(map(str, given['partitions']))})"


_SHOWN: "dict[str, Callable[[Any], str]]" = {
    **dict.fromkeys(("assignment", "pendingRevocation", "targetAssignment", "ownedPartitions"), _partitions),
    **dict.fromkeys(("stored", "expected"), _partitions),
    **dict.fromkeys(("tasks", "tasksPendingRevocation", "targetTasks"), _tasks),
    **dict.fromkeys(("topics", "subscribedTopics", "matchedTopics", "paths"), str),
}


def _missing(found: "Groups", groups: Names) -> list[str]:
    """Names of groups, or the expression, that were asked for but are missing."""
    if groups is None:
        return []
    if isinstance(groups, Pattern):
        return [] if len(found) else [groups.pattern]
    return [name for name in sorted(set(groups)) if name not in found]


def _say_missing(missing: list[str], groups: Names, disks: "Disks") -> None:
    """Report which missing groups other disks may have."""
    if not isinstance(groups, Pattern):
        messages.say_some(
            [
                f"note: {home.group_id} belongs to __consumer_offsets-{home.partition}, which is not on these disks: "
                "name the disk of a broker that has it"
                for home in _homes_elsewhere(missing, disks)
            ]
        )


def _homes_elsewhere(group_ids: "Iterable[str]", disks: "Disks") -> "list[Home]":
    """Partitions of groups whose partition is on no disk."""
    from kafkafmt.topics.consumer_groups.catalog import locate_groups

    try:
        return [home for home in locate_groups(group_ids, disks) if not home.paths]
    except SourceError:  # the number of partitions is unknown, for example if only a file was named
        return []


def _say_empty(found: "Groups", view: str, rows: int, wanted: dict[str, Any]) -> int:
    """Report which groups have no row, and where to see more of them; UNREADABLE if no group has the topics."""
    if not len(found):
        is_earlier = wanted["at_offset"] is not None or wanted["at_time"] is not None
        say(f"note: __consumer_offsets {'had no group then' if is_earlier else 'has no group'}")
    elif view == "offsets":
        without = [group.group_id for group in found if not group.offsets]
        if without and wanted["topics"] is not None:
            if not rows:
                say("no offsets of that topic; without --topic there may be others")
                return UNREADABLE
        elif without:
            say(f"note: groups without committed offsets: {listed(without)} (--list and --members show them)")
    elif not rows:
        say(f"note: no group has members; --list shows the {len(found)} without")
    return CLEAN
