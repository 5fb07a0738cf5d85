"""Rows of the small text files of a log directory: each line, and what it means."""

import json
import re
from collections.abc import Iterator
from itertools import zip_longest

from kafkafmt.cli.inspect.internal_records import decoded_row
from kafkafmt.cli.inspect.rows import Row, Space
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import text
from kafkafmt.files.kinds import FileKind

_CHECKPOINTS = {
    "recovery-point-offset-checkpoint": (
        "recovery point",
        "the log is flushed up to it; after an unclean shutdown Kafka checks the segments from there on",
    ),
    "replication-offset-checkpoint": (
        "high watermark",
        "every in-sync replica has the records below it, and consumers read up to it",
    ),
    "log-start-offset-checkpoint": (
        "log start offset",
        "records below it are deleted, even if a segment still holds them",
    ),
    "cleaner-offset-checkpoint": ("first dirty offset", "the log cleaner has compacted the log up to it"),
}
_KEYS = {
    "version": "Version of the file",
    "cluster.id": "Cluster that this log directory belongs to: a broker of another one does not start on it",
    "node.id": "Node that this log directory belongs to",
    "broker.id": "Broker that this log directory belongs to (before KRaft)",
    "directory.id": "Id of this log directory among those of the node (KIP-858)",
    "topic_id": "Topic that this partition directory belongs to: a topic created anew has another id",
    "data_version": "Version of the file: 0 for a static quorum, 1 for a dynamic one (KIP-853)",
    "clusterId": "Cluster, written empty",
    "leaderId": "Node that leads this epoch, -1 if it is not known",
    "leaderEpoch": "Epoch of the last election that this node took part in",
    "votedId": "Node that this node voted for in the epoch, -1 for none",
    "votedDirectoryId": "Directory id of the node that this node voted for",
    "appliedOffset": "Not used, written 0",
    "currentVoters": "Voters of the quorum",
    "brokerEpoch": "Epoch of the broker when it shut down, with which it registers again (KIP-966)",
}
_PROPERTY = re.compile(r"\s*([^=:\s]+)\s*[=:]?\s*")


def rows_of_text(kind: FileKind, data: bytes, file: str) -> list[Row]:
    """Make the rows of a text file, a row a line; the fields of JSON follow.

    Args:
        kind: of the file; one of a syntax.
        data: the whole file, at least a byte.
        file: its name: of offset checkpoints it says what the offsets are.
    """
    space = Space(memoryview(data))
    if kind.syntax == "checkpoint":
        rows = list(_checkpoint(kind, space, file))
    else:
        rows = list(_properties(space) if kind.syntax == "properties" else _json(space))
    try:
        kind.parse(data, file)
    except KafkafmtError as error:
        place = error.position or 0
        lines = [row for row in rows if not row.is_decoded]
        at_fault = next((row for row in lines if row.begin <= place < row.end), lines[-1])
        at_fault.error = error
    return rows


def _lines(space: Space) -> Iterator[Row]:
    """A row for each line, its end included."""
    found = list(text.lines(bytes(space.data)))
    for line, following in zip_longest(found, found[1:]):
        end = len(space.data) if following is None else following.position
        row = Row(f"line[{line.number}]", "line", space, line.position, end)
        row.value = line.content.decode("utf-8", "replace")
        yield row


def _checkpoint(kind: FileKind, space: Space, file: str) -> Iterator[Row]:
    for number, row in enumerate(_lines(space)):
        if number < 2:
            row.meaning = ("Version of the file", "Number of entries")[number]
        elif kind.id == "leader_epochs":
            epoch, offset = [*str(row.value).split(), "", ""][:2]
            row.note = f"leader epoch {epoch} begins at offset {offset}"
            row.meaning = "Replicas compare these to find where their logs diverge"
        elif kind.id == "offsets":
            name = file.rpartition("/")[2]
            what, meaning = next((value for key, value in _CHECKPOINTS.items() if key in name), ("offset", ""))
            topic, partition, offset = [*str(row.value).split(), "", "", ""][:3]
            row.note = f"{what} {offset} of partition {partition} of {topic}"
            row.meaning = meaning[:1].upper() + meaning[1:]
        yield row


def _properties(space: Space) -> Iterator[Row]:
    for row in _lines(space):
        content = str(row.value)
        if content.lstrip().startswith(("#", "!")):
            row.meaning = "Comment"
        elif match := _PROPERTY.match(content):
            row.meaning = _KEYS.get(match[1], "A property that this release does not know")
        yield row


def _json(space: Space) -> Iterator[Row]:
    rows = list(_lines(space))
    yield from rows
    try:
        content = text.json_object(bytes(space.data))
    except KafkafmtError:
        return  # parsing the file says why
    for name, value in content.items():
        row = decoded_row(rows[-1], name, type(value).__name__, value, _KEYS.get(name, ""))
        row.field = name
        row.type = "number" if isinstance(value, int) else "string" if isinstance(value, str) else "JSON"
        if row.type == "JSON":
            row.value = json.dumps(value)
        yield row
