"""What `kafkafmt groups` does: rows of one table to the output, and what is to be said beside them to stderr."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from re import Pattern
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE
from kafkafmt.cli.delivery import account_for, open_sources, require_readable
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import check_columns
from kafkafmt.cli.output import open_output
from kafkafmt.errors import DataError, SourceError
from kafkafmt.topics.consumer_groups import Groups, groups
from kafkafmt.topics.consumer_groups.answer import GROUPS, MEMBERS, OFFSETS
from kafkafmt.topics.consumer_groups.assignment_check import CHECKS, AssignmentCheck, check_assignments, checks_table
from kafkafmt.topics.consumer_groups.catalog import HOMES, Home, homes_table, locate_groups

if TYPE_CHECKING:
    from kafkafmt.cli.groups import View
    from kafkafmt.cli.output import BytesAs, Kind
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Sources


@dataclass(frozen=True)
class Shape:
    """What rows look like.

    Attributes:
        schema: all columns.
        in_table: those of a table, unless others are asked for.
        optional: of these, those that a table leaves out until one has a value, and first where room is short.
        first: of these, those that answer the question: the last for which a table has no room.
    """

    schema: pa.Schema
    in_table: Sequence[str]
    optional: Sequence[str] = ()
    first: Sequence[str] = ()


_OFFSETS = Shape(
    OFFSETS,
    (
        *("group", "type", "state", "topic", "partition", "offset", "logEndOffset", "lag"),
        *("commitTimestamp", "leaderEpoch", "expireTimestamp", "metadata"),
    ),
    ("leaderEpoch", "expireTimestamp", "metadata"),
    ("group", "topic", "partition", "lag", "offset", "logEndOffset", "state", "commitTimestamp"),
)
SHAPES = {
    "offsets": _OFFSETS,
    "pending_offsets": _OFFSETS,
    "groups": Shape(
        GROUPS,
        (
            *("group", "type", "state", "protocol", "members", "offsets", "lag", "topics"),
            *("epoch", "assignmentEpoch", "coordinatorPartition"),
        ),
        ("assignmentEpoch",),
        ("group", "state", "members", "lag", "offsets", "type", "topics"),
    ),
    "members": Shape(
        MEMBERS,
        (
            *("group", "state", "memberId", "groupInstanceId", "clientId", "host", "memberEpoch", "memberState"),
            *("subscribedTopics", "subscribedTopicRegex", "assignment", "pendingRevocation", "tasks"),
        ),
        ("groupInstanceId", "memberState", "subscribedTopicRegex", "pendingRevocation", "tasks"),
        ("group", "memberId", "assignment", "host", "clientId", "state"),
    ),
    "check": Shape(CHECKS, CHECKS.names, ("reason",)),
    "where": Shape(HOMES, ("group", "topic", "partition", "partitions", "paths")),
}


def for_people(table: pa.Table) -> pa.Table:
    """The same table with text in place of nested columns: `orders(0,1), clicks(0)`; nothing in place of nobody's.

    Texts without a character become null, so that a column of nothing but these is left out.
    """
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


_SHOWN: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("assignment", "pendingRevocation", "targetAssignment", "ownedPartitions"), _partitions),
    **dict.fromkeys(("stored", "expected"), _partitions),
    **dict.fromkeys(("tasks", "tasksPendingRevocation", "targetTasks"), _tasks),
    **dict.fromkeys(("topics", "subscribedTopics", "matchedTopics", "paths"), str),
}


Names = Collection[str] | Pattern[str] | None


@dataclass(frozen=True)
class GroupsRequest:
    """What is read, and what the rows look like; see --help."""

    paths: tuple[str, ...]
    columns: tuple[str, ...] | None
    kind: "Kind"
    out: str | None
    bytes_as: "BytesAs | None"
    header: bool


@dataclass(frozen=True)
class GroupFilter:
    """Which groups and offsets, as of when; see --help."""

    groups: Names
    topics: Names
    at_offset: int | dict[int, int] | None
    at_time: int | datetime | None
    on_damage: "OnDamage"
    limits: "Limits | None" = None


def run(request: GroupsRequest, view: "View", wanted: GroupFilter) -> int:
    """Write the rows of a view; returns the exit code.

    Raises:
        SourceError: a path cannot be read, or no partition of `__consumer_offsets` is there.
        click.UsageError: columns or the file to write make no sense.
    """
    import kafkafmt

    _shown(request, view)
    sources = open_sources(request.paths)
    scan = kafkafmt.scan(sources)
    try:
        found = groups(
            sources,
            groups=wanted.groups,
            topics=wanted.topics,
            at_offset=wanted.at_offset,
            at_time=wanted.at_time,
            on_damage=wanted.on_damage,
            limits=wanted.limits,
        )
    except DataError as error:
        messages.report_end(error, scan)
        return FINDINGS
    require_readable(sources)
    checks: tuple[AssignmentCheck, ...] = ()
    if view == "check":
        checks = check_assignments(found, sources)
        table = checks_table(checks)
    else:
        table = found.to_table(view)
    if table.num_rows or request.kind != "table" or not _missing(found, wanted.groups):
        _write(request, view, table)
    wrong = messages.report_answer(found, scan)
    missing = _tell_missing(found, wanted.groups, sources)
    if not missing:
        missing = _tell_empty(found, view, table.num_rows, wanted)
    differing = [check for check in checks if check.agrees is False]
    if differing:
        group_ids = sorted({check.group_id for check in differing})
        say(f"assignment differs from the assignor's: {messages.listed(group_ids)}; {differing[0].reason}")
    return account_for(sources, missing or (FINDINGS if wrong or differing else CLEAN))


def locate(request: GroupsRequest, group_ids: Iterable[str], partitions: int | None) -> int:
    """Write where groups live; returns the exit code.

    Raises:
        SourceError: a path cannot be read, or nothing tells how many partitions there are.
        click.UsageError: columns or the file to write make no sense.
    """
    _shown(request, "where")
    sources = open_sources(request.paths) if request.paths else None
    homes = locate_groups(group_ids, sources, partitions=partitions)
    _write(request, "where", homes_table(homes))
    first = homes[0]
    if not first.is_certain:
        say(
            f"note: counted with {first.partitions} partitions of __consumer_offsets, as {first.told_by}; there may be "
            "more: name the disk of a controller too, or give --partitions N"
        )
    elif partitions is None:
        say(f"note: counted with {first.partitions} partitions of __consumer_offsets, {first.told_by}")
    absent = [home for home in homes if request.paths and not home.paths]
    if absent:
        names = messages.listed([f"__consumer_offsets-{home.partition}" for home in absent])
        say(f"note: not on these disks: {names}")
    return CLEAN if sources is None else account_for(sources, CLEAN)


def _shown(request: GroupsRequest, view: str) -> tuple[list[str], tuple[str, ...]]:
    """Columns that are shown, and which of them may be left out."""
    shape = SHAPES[view]
    asked = check_columns(request.columns, shape.schema.names)
    if asked is not None:
        return asked, ()
    return (list(shape.in_table), tuple(shape.optional)) if request.kind == "table" else (shape.schema.names, ())


def _write(request: GroupsRequest, view: str, table: "pa.Table") -> None:
    names, optional = _shown(request, view)
    table = table.select(names)
    if request.kind == "table":
        table = for_people(table)
    output = open_output(
        request.kind,
        request.out,
        table.schema,
        bytes_as=request.bytes_as,
        header=request.header,
        sources=request.paths,
        optional=optional,
        first=SHAPES[view].first,
    )
    with output as opened:
        for batch in table.to_batches():
            opened.write(batch)


def _missing(found: Groups, wanted: Names) -> list[str]:
    """Names of groups, or the expression, that were asked for and are nowhere."""
    if wanted is None:
        return []
    if isinstance(wanted, Pattern):
        return [] if len(found) else [wanted.pattern]
    return [name for name in sorted(set(wanted)) if name not in found]


def _tell_missing(found: Groups, wanted: Names, sources: "Sources") -> int:
    """Say which groups that were asked for are nowhere, and which of them other disks may have."""
    missing = _missing(found, wanted)
    if not missing:
        return CLEAN
    say(f"no group {messages.listed(missing)}; --list without --group shows all groups")
    if not isinstance(wanted, Pattern):
        messages.say_some(
            [
                f"note: {home.group_id} belongs to __consumer_offsets-{home.partition}, which is not on these disks: "
                "name the disk of a broker that has it"
                for home in _homes_elsewhere(missing, sources)
            ]
        )
    return UNREADABLE


def _homes_elsewhere(group_ids: Iterable[str], sources: "Sources") -> list[Home]:
    """Where groups would live, of those whose partition is on no disk."""
    try:
        return [home for home in locate_groups(group_ids, sources) if not home.paths]
    except SourceError:  # nothing there tells how many partitions there are, as beside a file named by itself
        return []


def _tell_empty(found: Groups, view: "View", rows: int, wanted: GroupFilter) -> int:
    """Say of which groups there is no row, and where to see more of them; UNREADABLE if no group has the topics."""
    if not len(found):
        say("note: __consumer_offsets has no group" + (" as of then" if _is_as_of(wanted) else ""))
    elif view == "offsets":
        without = [group.group_id for group in found if not group.offsets]
        if without and wanted.topics is not None:
            if not rows:
                say("no offsets of that topic; without --topic there may be others")
                return UNREADABLE
        elif without:
            say(f"note: groups without committed offsets: {messages.listed(without)} (--list and --members show them)")
    elif not rows:
        say(f"note: no group has members; --list shows the {len(found)} without")
    return CLEAN


def _is_as_of(wanted: GroupFilter) -> bool:
    return wanted.at_offset is not None or wanted.at_time is not None
