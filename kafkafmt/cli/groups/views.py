"""Views: the rows of each, and what of them a table shows people."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kafkafmt.topics.consumer_groups.answer import GROUPS, MEMBERS, OFFSETS
from kafkafmt.topics.consumer_groups.assignment_check import CHECKS
from kafkafmt.topics.consumer_groups.locating import HOMES


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


SHAPES = {
    "offsets": Shape(
        OFFSETS,
        (
            *("group", "type", "state", "topic", "partition", "offset", "logEndOffset", "lag"),
            *("commitTimestamp", "leaderEpoch", "expireTimestamp", "metadata"),
        ),
        ("leaderEpoch", "expireTimestamp", "metadata"),
        ("group", "topic", "partition", "lag", "offset", "logEndOffset", "state", "commitTimestamp"),
    ),
    "list": Shape(
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
