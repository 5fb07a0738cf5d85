"""Rows of an entry of an index, and of a producer snapshot."""

import importlib
from typing import Any

from kafkafmt_specs_with_positions.kafka_producer_snapshot import KafkaProducerSnapshot

from kafkafmt.cli.inspect import documentation
from kafkafmt.cli.inspect.notes import Checksum, IndexNotes, SnapshotNotes
from kafkafmt.cli.inspect.rows import Row, Space, Walk, more_telling, parse
from kafkafmt.cli.inspect.shown import Shown, Wanted
from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import ChecksumError, KafkafmtError, TruncatedError
from kafkafmt.files import producer_snapshot
from kafkafmt.files.kinds import LAYOUTS, FileKind

_SNAPSHOT_HEADER = 10
_PRODUCER = 46


def parser_of(kind: FileKind) -> Any:
    """The generated class of a kind's spec."""
    name = kind.spec or ""
    module = importlib.import_module(f"kafkafmt_specs_with_positions.{name}")
    return getattr(module, "".join(map(str.capitalize, name.split("_"))))


def rows_of_index_entry(kind: FileKind, data: bytes, file: str, position: int, base_offset: int | None) -> list[Row]:
    """Make the rows of one entry of an index.

    Args:
        kind: of the file; one with entries of one size.
        data: the entry, or what there is of the last one.
        file: name of the file, for errors.
        position: where in the file it begins.
        base_offset: of the segment, or None where the file's name does not tell it.
    """
    parser = parser_of(kind)
    walk = Walk(Space(memoryview(data), position), IndexNotes(base_offset))
    size = LAYOUTS[kind.id].size
    if len(data) < size:
        described = documentation.fields_of(parser)["truncated"]
        row = walk.unread("truncated", 0, len(data), "")
        row.type, row.meaning = described.type, described.meaning
        row.error = TruncatedError(
            "the entry is incomplete",
            file=file,
            position=position,
            expected=f"{size} bytes",
            found=f"{len(data)} bytes",
        )
        return walk.rows
    parsed, error = parse(parser.Entry, data)
    walk.structure(parsed, 0, len(data), "", error and error.at(file, position))
    return walk.rows


def rows_of_snapshot(data: bytes, file: str, wanted: Wanted) -> tuple[list[Row], bool]:
    """Make the rows of a producer snapshot.

    Args:
        data: the whole file.
        file: its name, for errors.
        wanted: which of the producers are shown; that of an offset is the one whose last batch holds it.

    Returns:
        The rows, and whether the producer that is wanted is among them.
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


def _producers(walk: Walk, count: int, wanted: Wanted, error: KafkafmtError | None) -> bool:
    """Add as many producers as there are; tell whether the one that is wanted was found."""
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
        described = documentation.fields_of(KafkaProducerSnapshot)["trailing"]
        row = walk.unread("trailing", begin, len(data), "")
        row.type, row.meaning = described.type, described.meaning
    return shown.count > 0 or wanted.offset is None


def _holds(producer: KafkaProducerSnapshot.Producer, offset: int | None) -> bool:
    """Whether an offset is one of the producer's last batch; None is always."""
    if offset is None:
        return True
    return bool(producer.last_offset - producer.offset_delta <= offset <= producer.last_offset)
