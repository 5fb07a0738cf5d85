"""Files beside a log, field by field: binary files by their specs, text files by their lines."""

import importlib
import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from kafkafmt_specs_with_positions.kafka_producer_snapshot import KafkaProducerSnapshot

from kafkafmt.cli.inspect.choosing import RecordChoice, Shown
from kafkafmt.cli.inspect.meaning import Checksum, IndexNotes, SnapshotNotes, decoded_row
from kafkafmt.cli.inspect.rows import Row, Space, Walk, fields_of, more_telling, parse
from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import ChecksumError, KafkafmtError, TruncatedError
from kafkafmt.files import producer_snapshot, text
from kafkafmt.files.kinds import LAYOUTS, FileKind
from kafkafmt.phrases import sized

_SNAPSHOT_HEADER = 10
_PRODUCER = 46

_CHECKPOINTS = {
    "recovery-point-offset-checkpoint": (
        "recovery point",
        "the log is flushed up to it; after an unclean shutdown Kafka checks the segments from that offset on",
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
    "topic_id": "Topic that this partition directory belongs to: a recreated topic has another id",
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


def parser_of(kind: FileKind) -> Any:
    """The generated class of a kind's spec."""
    name = kind.spec or ""
    module = importlib.import_module(f"kafkafmt_specs_with_positions.{name}")
    return getattr(module, "".join(map(str.capitalize, name.split("_"))))


def rows_of_index_entry(kind: FileKind, data: bytes, file: str, position: int, base_offset: int | None) -> list[Row]:
    """Make the rows of one entry of an index.

    Args:
        kind: kind of the file, with entries of one size.
        data: the entry, or the existing part of the last one.
        file: name of the file, for errors.
        position: start of the entry in the file, in bytes.
        base_offset: base offset of the segment, or None if the file name has none.
    """
    parser = parser_of(kind)
    walk = Walk(Space(memoryview(data), position), IndexNotes(base_offset))
    size = LAYOUTS[kind.id].size
    if len(data) < size:
        described = fields_of(parser)["truncated"]
        row = walk.unread("truncated", 0, len(data), "")
        row.type, row.meaning = described.type, described.meaning
        row.error = TruncatedError(
            "the entry is incomplete",
            file=file,
            position=position,
            expected=sized(size),
            found=sized(len(data)),
        )
        return walk.rows
    parsed, error = parse(parser.Entry, data)
    walk.structure(parsed, 0, len(data), "", error and error.at(file, position))
    return walk.rows


def rows_of_snapshot(data: bytes, file: str, wanted: RecordChoice) -> tuple[list[Row], bool]:
    """Make the rows of a producer snapshot.

    Args:
        data: the whole file.
        file: name of the file, for errors.
        wanted: the producers to show; for an offset, the one whose last batch contains it.

    Returns:
        The rows, and whether the wanted producer is among them.
    """
    error = _verdict(data, file)
    checksum = Checksum(crc32c(memoryview(data)[6:]), 6, len(data)) if len(data) > _SNAPSHOT_HEADER - 1 else None
    walk = Walk(Space(memoryview(data)), SnapshotNotes(checksum))
    parsed, positioned = parse(KafkaProducerSnapshot, data[:_SNAPSHOT_HEADER])
    if not hasattr(parsed, "producers"):
        walk.structure(parsed, 0, len(data), "", more_telling(error, positioned))
        return walk.rows, wanted.offset is None
    walk.structure(parsed, 0, _SNAPSHOT_HEADER)
    walk.rows = [row for row in walk.rows if not row.field.startswith("producers")]
    found = _producers(walk, parsed.num_producers, wanted, error)
    if error is not None and all(row.error is None for row in walk.rows):
        at_fault = "crc" if isinstance(error, ChecksumError) else walk.rows[-1].field
        next(row for row in walk.rows if row.field == at_fault).error = error
    return walk.rows, found


def _verdict(data: bytes, file: str) -> KafkafmtError | None:
    try:
        producer_snapshot.parse(data, file=file)
    except KafkafmtError as error:
        return error
    return None


def _producers(walk: Walk, count: int, wanted: RecordChoice, error: KafkafmtError | None) -> bool:
    """Add the producers that exist; returns whether the wanted one was found."""
    data = walk.space.data
    shown = Shown(walk.rows, walk.space, "producers", "producer", wanted)
    begin = _SNAPSHOT_HEADER
    number = 0
    while number < count and begin < len(data):
        end = min(begin + _PRODUCER, len(data))
        parsed, positioned = parse(KafkaProducerSnapshot.Producer, data[begin:end])
        if positioned is not None:
            shown.skipped_end(number, begin)
        if positioned is not None or shown.begins(number, begin, end, has_offset=_holds(parsed, wanted.offset)):
            walk.group(f"producers[{number}]", "producer", KafkaProducerSnapshot.Producer, begin, end)
            walk.structure(parsed, begin, end, f"producers[{number}].", positioned and more_telling(error, positioned))
        begin = end
        number += 1
    shown.skipped_end(number, begin)
    if begin < len(data):
        described = fields_of(KafkaProducerSnapshot)["trailing"]
        row = walk.unread("trailing", begin, len(data), "")
        row.type, row.meaning = described.type, described.meaning
    return shown.count > 0 or wanted.offset is None


def _holds(producer: KafkaProducerSnapshot.Producer, offset: int | None) -> bool:
    """Whether an offset is in the producer's last batch; true for None."""
    if offset is None:
        return True
    return bool(producer.last_offset - producer.offset_delta <= offset <= producer.last_offset)


def rows_of_text(kind: FileKind, data: bytes, file: str) -> list[Row]:
    """Make the rows of a text file: one for each line, followed by the fields if it is JSON.

    Args:
        kind: kind of the file, which has a syntax.
        data: the whole file, at least one byte.
        file: name of the file: for offset checkpoints it decides the meaning of the offsets.
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
    """A row for each line, including its line end."""
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
        return  # the parse of the file reports the error
    for name, value in content.items():
        row = decoded_row(rows[-1], name, type(value).__name__, value, _KEYS.get(name, ""))
        row.field = name
        row.type = "number" if isinstance(value, int) else "string" if isinstance(value, str) else "JSON"
        if row.type == "JSON":
            row.value = json.dumps(value)
        yield row
