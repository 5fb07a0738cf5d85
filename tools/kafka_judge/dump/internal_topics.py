"""Logs of internal topics: their decoder options, and seeded mutations of their records."""

import math
import random
import struct
from collections.abc import Iterator
from pathlib import Path

from kafka_judge.batches import record_batch
from kafka_judge.inputs import damaged
from kafka_judge.java_programs import answers
from kafkafmt.cli.dump import DECODER_OPTIONS
from kafkafmt.cli.dump.kafkas_view import internal_topic_of
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.internal_topics import CLUSTER_METADATA, CONSUMER_OFFSETS, REMOTE_LOG_METADATA
from kafkafmt.io.source import locate, open_file
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry

DECODERS = [f"--{option}" for option in DECODER_OPTIONS.values()]

_LOG = f"{0:020d}.log"
_RECORDS_A_LOG = 50

KeyAndValue = tuple[bytes | None, bytes | None]

_ODD: list[KeyAndValue] = [(b"", None), (b"\0\1", b""), (b"\0\0\1", b"\0"), (b"\0\x7f\0\0", b"\0\1")]


def _metadata(api_key: int, version: int, message: bytes) -> KeyAndValue:
    return None, bytes([1, api_key, version]) + message


def _quota(value: float) -> KeyAndValue:
    return _metadata(14, 0, b"\1\2k" + struct.pack(">d", value) + bytes(2))


def _topic(name: bytes) -> KeyAndValue:
    return _metadata(2, 0, bytes([len(name) + 1]) + name + bytes(17))


def _group(subscription: bytes, assignment: bytes) -> KeyAndValue:
    """A classic group of consumers with one member."""
    member = b"\0\1m\xff\xff\0\1c\0\1h" + bytes(8)
    member += b"".join(len(sent).to_bytes(4, "big") + sent for sent in (subscription, assignment))
    head = b"\0\3\0\x08consumer" + bytes(4) + b"\0\1r\0\1m" + bytes(8)
    return b"\0\2\0\1g", head + b"\0\0\0\1" + member


_TEXT = bytes(range(128))
_SUBSCRIPTION = b"\0\0\0\1\0\1t\0\0\0\1u"
_OWNED = b"\0\0\0\1\0\1t\0\0\0\1\0\0\0\7"
_NO_DATA = b"\xff" * 4
_SPECIAL: dict[str, list[KeyAndValue]] = {
    CLUSTER_METADATA: [
        *map(_quota, (0.0, -0.0, 0.1, 1e-3, 9.99e-4, 1 / 3, 100, 1e7, 9999999.5, 12345678.9, 1e21, 1e-300, 5e-324)),
        *map(_quota, (math.nan, math.inf, -math.inf, -1.5e300)),
        *map(_topic, (_TEXT[:64], _TEXT[64:], b"\xc3\xa9\xf0\x9f\x98\x80\xe2\x80\xa8", b"\xed\xa0\x80\xff\xc3")),
        _metadata(2, 9, b"\2t" + bytes(17)),
        # A tagged name: correct, null as if it were absent, shorter than its size, and longer.
        _metadata(23, 0, b"\1\0\2\2n"),
        _metadata(23, 0, b"\1\0\1\0"),
        _metadata(23, 0, b"\1\0\x60\2n"),
        _metadata(23, 0, b"\1\0\4\2nmm"),
        _metadata(25, 0, b"\1\x09\2un"),
        (None, None),
    ],
    CONSUMER_OFFSETS: [
        *(_group(bytes([0, version]) + _SUBSCRIPTION, b"") for version in range(4)),
        *(_group(bytes([0, version]) + _SUBSCRIPTION + _OWNED, b"") for version in range(2)),
        _group(b"\0\2" + _SUBSCRIPTION + _OWNED + b"\0\0\0\5", b"\0\0" + _OWNED + _NO_DATA),
        _group(b"\0\3" + _SUBSCRIPTION + _OWNED + b"\0\0\0\5\0\1r", b"\0\3" + _OWNED + b"\0\0\0\1u"),
        _group(b"\0\7" + _SUBSCRIPTION + bytes(4) + b"\0\0\0\5\xff\xff", b"\0\7" + bytes(4) + _NO_DATA),
        _group(b"\0\7" + _SUBSCRIPTION + _OWNED + b"\0\0\0\5\xff\xff", b"\0\7" + _OWNED + _NO_DATA),
        _group(b"\xff\xff" + _SUBSCRIPTION, b"own"),
    ],
}
"""Records that no broker of the golden cases wrote, by topic."""


def decoder_of(path: Path) -> str | None:
    """Name the option that decodes a log or Raft snapshot; None if it does not belong to an internal topic."""
    topic = internal_topic_of(locate(str(path)))
    return None if topic is None else f"--{DECODER_OPTIONS[topic]}"


def write_remote_log_metadata(directory: Path, classes: str, seed: int) -> Path:
    """Write a segment of `__remote_log_metadata` with Kafka's own classes, as no golden case has one.

    Raises:
        ToolError: the classes fail.
    """
    path = directory / f"{REMOTE_LOG_METADATA}-0" / _LOG
    path.parent.mkdir(parents=True)
    answers(classes, "RemoteLogMetadataLog", str(path), str(seed))
    return path


def write_mutations(logs: list[Path], directory: Path, count: int, seed: int) -> None:
    """Write logs of internal topics whose records have a wrong or a new content.

    Args:
        logs: logs of internal topics, as sources of records.
        directory: parent of the written directories, one for each log.
        count: number of logs for each topic.
        seed: the same seed gives the same logs from the same records.
    """
    chosen = random.Random(seed)
    records = _records(logs)
    for topic in sorted(records):
        by_kind = records[topic]
        kinds = sorted(by_kind)
        for number in range(count):
            # Equally many of each kind of record, although most source records are committed offsets and partitions.
            originals = [chosen.choice(by_kind[chosen.choice(kinds)]) for _ in range(_RECORDS_A_LOG)]
            mutated = [_mutated(original, chosen) for original in originals]
            _write(directory / f"{topic}-{number}", mutated)
        _write(directory / f"{topic}-{count}", _SPECIAL.get(topic, []) + _ODD)
        # Kafka's tool crashes on this record.
        _write(directory / f"{topic}-{count + 1}", [(None, by_kind[kinds[0]][0][1])])


def _records(logs: list[Path]) -> dict[str, dict[bytes, list[KeyAndValue]]]:
    """Distinct records by topic and by their first bytes, which identify the kind."""
    found: dict[str, dict[bytes, dict[KeyAndValue, None]]] = {}
    for path in logs:
        topic = internal_topic_of(locate(str(path)))
        if topic is None:
            continue
        for key, value in _of_log(path):
            told = (value or b"")[:3] if topic in (CLUSTER_METADATA, REMOTE_LOG_METADATA) else (key or b"")[:2]
            found.setdefault(topic, {}).setdefault(told, {})[key, value] = None
    return {topic: {kind: list(each) for kind, each in kinds.items()} for topic, kinds in found.items()}


def _of_log(path: Path) -> Iterator[KeyAndValue]:
    with open_file(path) as file:
        for records in SegmentReader(file, on_damage="skip").walk(_of_entry):
            yield from records


def _of_entry(entry: Entry) -> list[KeyAndValue]:
    entry.verify_checksum()
    header = entry.header()
    if header.is_control_batch:
        return []
    return [(record.key, record.value) for record in entry.records(Limits())]


def _mutated(original: KeyAndValue, chosen: random.Random) -> KeyAndValue:
    key, value = original
    kind = chosen.randrange(10)
    if kind < 6 and value:
        return key, damaged(value, chosen)
    if kind < 8 and key:
        return damaged(key, chosen), value
    if kind == 8 and value:
        # Another version, or another kind of record.
        at = chosen.randrange(min(3, len(value)))
        return key, value[:at] + bytes([chosen.randrange(12)]) + value[at + 1 :]
    if key:
        return key[:1] + bytes([chosen.randrange(30)]) + key[2:], value
    return key, None


def _write(directory: Path, records: list[KeyAndValue]) -> None:
    directory.mkdir(parents=True)
    batches = [record_batch(offset, *record) for offset, record in enumerate(records)]
    (directory / _LOG).write_bytes(b"".join(batches))
