"""`kafkafmt groups --history`: what happened to groups, row by row, and a picture of their offsets over time."""

from re import Pattern
from typing import TYPE_CHECKING, Any

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import CLEAN, UNREADABLE, RowOptions, TableShape
from kafkafmt.cli.delivery import account_for, ending_at_damage, open_disks, report_answer
from kafkafmt.cli.messages import say
from kafkafmt.files.damage import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kafkafmt.cli.options import Names
    from kafkafmt.topics.consumer_groups.group_so_far import GroupEvent
    from kafkafmt.topics.consumer_groups.resets import Reset

SHAPE = TableShape(
    (
        *("timestamp", "group", "event", "topic", "partition", "previousOffset", "offset", "state", "generation"),
        *("members", "clientId", "detail"),
    ),
    optional=("topic", "partition", "previousOffset", "offset", "clientId"),
    first=("timestamp", "group", "event", "topic", "partition", "previousOffset", "offset", "state", "detail"),
)


def show_history(paths: tuple[str, ...], rows: RowOptions, report: str | None, wanted: dict[str, Any]) -> int:
    """Show the history of groups; returns the exit code.

    Args:
        paths: what is read.
        rows: form of the rows.
        report: file of the page with a picture in place of rows, or None.
        wanted: the arguments of `group_history`.
    """
    from kafkafmt.topics.answers import record_batches
    from kafkafmt.topics.consumer_groups.history import GROUP_HISTORY, group_history
    from kafkafmt.topics.consumer_groups.resets import Resets

    rows.check(GROUP_HISTORY.names)
    disks = open_disks(paths)
    seen: set[str] = set()
    resets = Resets(messages.MOST_LINES)
    with ending_at_damage(disks):
        answer = group_history(disks, **wanted)
        events = resets.watch(_noting(answer.events(), seen))
        if report is not None:
            from kafkafmt.cli.report.offsets import write_offsets

            write_offsets(report, paths, events, lambda: list(map(reset_in_words, resets.kept)))
        else:
            rows.write(
                record_batches(events, GROUP_HISTORY), GROUP_HISTORY, SHAPE, paths, names_if_empty=True, watched=answer
            )
    status = report_answer(answer, disks)
    messages.say_some([f"note: {reset_in_words(reset)}" for reset in resets.kept])
    if resets.count > len(resets.kept):
        say(f"note: and {resets.count - len(resets.kept)} more resets")
    return account_for(disks, status or _missing(wanted["groups"], seen))


def reset_in_words(reset: "Reset") -> str:
    """When offsets were moved, in which state the group was, and how far."""
    state = f", while {reset.state} (generation {reset.generation})" if reset.state else ""
    moved = f"back by {-reset.moved:,}" if reset.moved < 0 else f"forward by {reset.moved:,}"
    what = "was reset" if reset.state == "Empty" else "went back" if reset.moved < 0 else "went on"
    offsets = human.plural(reset.offsets, "offset")
    return f"group {reset.group} {what} at {human.time(reset.timestamp)}{state}: {offsets}, {moved} in all"


def _noting(events: "Iterable[GroupEvent]", seen: set[str]) -> "Iterator[GroupEvent]":
    """The same events; takes the ids of their groups."""
    for event in events:
        seen.add(event.group)
        yield event


def _missing(groups: "Names", seen: set[str]) -> int:
    """Say which groups have no event; returns the exit code."""
    named = [groups.pattern] if isinstance(groups, Pattern) else sorted(groups or ())
    missing = [name for name in named if name not in seen and not (isinstance(groups, Pattern) and seen)]
    if missing:
        say(f"no event of group {listed(missing)}; without --group all groups are shown")
    elif not seen:
        say("note: no event of a group found")
    return UNREADABLE if missing else CLEAN
