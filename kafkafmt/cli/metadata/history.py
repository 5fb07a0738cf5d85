"""`kafkafmt metadata --history`: what happened to topics, partitions, brokers and configs, row by row."""

from typing import TYPE_CHECKING, Any

from kafkafmt.cli.command import CLEAN, UNREADABLE, RowOptions, TableShape
from kafkafmt.cli.delivery import account_for, ending_at_damage, open_disks, report_answer
from kafkafmt.cli.messages import say
from kafkafmt.files.damage import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kafkafmt.topics.cluster_metadata.history import MetadataEvent

SHAPE = TableShape(
    ("timestamp", "offset", "event", "topic", "partition", "broker", "subject", "field", "before", "after"),
    optional=("subject", "partition", "topic"),
    first=("timestamp", "offset", "event", "topic", "partition", "broker", "field", "before", "after", "subject"),
)


def show_history(paths: tuple[str, ...], topics: "Sequence[str]", rows: RowOptions, reading: dict[str, Any]) -> int:
    """Show the history of a cluster; returns the exit code.

    Args:
        paths: what is read.
        topics: only events of these topics, by name or id; empty for all events.
        rows: form of the rows.
        reading: arguments of `kafkafmt.topics.metadata`.
    """
    from kafkafmt.topics.answers import record_batches
    from kafkafmt.topics.cluster_metadata.history import METADATA_HISTORY

    rows.check(METADATA_HISTORY.names)
    disks = open_disks(paths)
    seen: set[str] = set()
    with ending_at_damage(disks):
        answer = disks.metadata(**reading).history_answer
        events = _of_topics(answer.events(), frozenset(topics), seen)
        rows.write(
            record_batches(events, METADATA_HISTORY),
            METADATA_HISTORY,
            SHAPE,
            paths,
            names_if_empty=True,
            watched=answer,
        )
    status = report_answer(answer, disks)
    missing = sorted(set(topics) - seen)
    if missing:
        say(f"no event of topic {listed(missing)} in this metadata log")
    return account_for(disks, status or (UNREADABLE if missing else CLEAN))


def _of_topics(events: "Iterable[MetadataEvent]", topics: frozenset[str], seen: set[str]) -> "Iterator[MetadataEvent]":
    """The events of some topics, by name or id; takes those that occur."""
    for event in events:
        names = topics.intersection((event.topic or "", event.topic_id or ""))
        seen |= names
        if names or not topics:
            yield event
