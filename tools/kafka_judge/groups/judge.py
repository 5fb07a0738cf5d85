"""`__consumer_offsets`: the groups that Kafka's group coordinator loads from it, and those of kafkafmt.

The logs are those of tests/golden, as of each offset, and random ones made of what real brokers wrote in them: records
left out, commits in transactions that commit, abort or stay open, offsets deleted; and records of groups of several
types under one name, in random order, with tombstones, which no broker writes. Compared are types, states, epochs,
members and their assignments, and committed offsets, of classic, consumer, share and streams groups, and on which
record a coordinator gives a partition up.
"""

import argparse
import itertools
import json
import random
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from class_path import kafka_class_path
from kafka_judge.batches import ABORT, COMMIT, control_batch, record_batch
from kafka_judge.groups.compare import kafkas, ours
from kafka_judge.java_programs import answers
from kafka_judge.verdict import Verdict
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.consumer_groups import Groups, groups
from kafkafmt.topics.internal_log import InternalLog
from kafkafmt.topics.internal_record import InternalRecord

GOLDEN = Path(__file__).resolve().parents[3] / "tests" / "golden" / "modern"

HISTORIES = 300
_PROGRAM = "org.apache.kafka.coordinator.group.GroupsJudge"
_PRODUCERS = (5, 6)
_COMMIT_TYPES = (b"\0\0", b"\0\1")
_FAMILIES = ((0, 1, 2), range(3, 9), range(9, 16), range(17, 24))  # of Kafka's CoordinatorRecordType
_MEMBER_TYPES = (b"\0\5", b"\0\x0a", b"\0\x13")  # members begin and end with these: brokers always write them


@dataclass(frozen=True)
class History:
    """A log, and the offset as of which it is judged.

    Attributes:
        name: name for findings.
        log_dir: log directory of the log.
        entries: records and markers before the offset.
        at_offset: the offset, by partition.
        is_disordered: whether no broker writes such a log; then only its loading is judged.
    """

    name: str
    log_dir: Path
    entries: list[InternalRecord]
    at_offset: dict[int, int]
    is_disordered: bool = False

    @property
    def commits(self) -> list[tuple[str, str, int]]:
        """Group, topic and partition of every commit."""
        if self.is_disordered:
            return []
        keys = {
            each.key for each in self.entries if each.control_type is None and (each.key or b"")[:2] in _COMMIT_TYPES
        }
        fields = [coordinator_records.decode_key(CONSUMER_OFFSETS, key or b"").data for key in keys]
        return sorted({(each["group"], each["topic"], each["partition"]) for each in fields})

    def questions(self) -> Iterator[str]:
        """Lines for GroupsJudge."""
        yield "RESET"
        for each in self.entries:
            if each.control_type is not None:
                yield f"{each.control_type[0]} {each.producer_id}"
            else:
                value = "-" if each.value is None else _base64(each.value)
                yield f"R {each.offset} {each.producer_id} {_base64(each.key or b'')} {value}"
        yield "G"
        for group, topic, partition in self.commits:
            yield f"O {_base64(group.encode())} {_base64(topic.encode())} {partition}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--histories", type=int, default=HISTORIES, help="number of random histories (%(default)s)")


def judge(options: argparse.Namespace) -> Verdict:
    """Replay all logs with GroupsJudge.java, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    findings: list[str] = []
    compared = refused = known = 0
    with tempfile.TemporaryDirectory() as scratch:
        chance = random.Random(options.seed)
        asked = [
            *_golden(),
            *_random(chance, options.histories, Path(scratch) / "random"),
            *_disordered(chance, options.histories // 4, Path(scratch) / "disordered"),
        ]
        questions = "".join(f"{line}\n" for history in asked for line in history.questions())
        lines = iter(answers(kafka_class_path(), _PROGRAM, questions=questions))
        for history in asked:
            answer = json.loads(next(lines))
            offsets = [json.loads(next(lines)) for _ in history.commits]
            found = groups(history.log_dir, at_offset=history.at_offset or None)
            first = min((each.offset for each in found.load_failures), default=None)
            kafkas_first = answer["offset"] if isinstance(answer, dict) else None
            if first != kafkas_first:
                said = answer["message"] if isinstance(answer, dict) else "nothing"
                own = [str(each.error) for each in found.load_failures]
                findings.append(f"{history.name}: refused at {first}, Kafka at {kafkas_first} ({said}); {own}")
            if isinstance(answer, dict):
                refused += 1
                continue
            compared += 1
            known += len(answer)
            if not history.is_disordered:
                findings += _differences(history, found, answer, offsets)
    return Verdict(f"{known} groups of {compared} logs ({refused} more Kafka does not load)", findings)


def _golden() -> Iterator[History]:
    """Logs of real brokers, as of each offset."""
    for case in sorted(GOLDEN.iterdir()):
        directories = sorted((case / "log-dir").glob(f"{CONSUMER_OFFSETS}-*"))
        numbers = [int(each.name.rpartition("-")[2]) for each in directories]
        for number in numbers:
            entries = list(InternalLog(case / "log-dir", CONSUMER_OFFSETS, partitions=number).records())
            for count, entry in enumerate(entries, start=1):
                moment = dict.fromkeys(numbers, 0) | {number: entry.offset + 1}
                name = f"{case.name} {CONSUMER_OFFSETS}-{number} before {entry.offset + 1}"
                yield History(name, case / "log-dir", entries[:count], moment)


def _random(chance: random.Random, number: int, scratch: Path) -> Iterator[History]:
    """Records that real brokers wrote of some groups, with gaps, commits in transactions, and deleted offsets."""
    written = _written()
    for index in range(number):
        batches: list[bytes] = []
        for group in chance.sample(sorted(written), chance.randint(1, 3)):
            records = [each for each in written[group] if chance.random() < 0.9 or each[0][:2] in _MEMBER_TYPES]
            commits = [(key, None) for key, _ in records if key[:2] in _COMMIT_TYPES and chance.random() < 0.2]
            for key, value in [*records, *commits]:
                in_transaction = key[:2] in _COMMIT_TYPES and value is not None and chance.random() < 0.4
                producer = chance.choice(_PRODUCERS) if in_transaction else None
                batches.append(record_batch(len(batches), key, value, producer))
                if chance.random() < 0.15:
                    producer, kind = chance.choice(_PRODUCERS), chance.choice((COMMIT, ABORT))
                    batches.append(control_batch(len(batches), producer, kind))
        yield _history(f"random {index}", scratch / str(index), batches)


def _disordered(chance: random.Random, number: int, scratch: Path) -> Iterator[History]:
    """Records of groups of all types under two names, in an order that no broker writes, with tombstones."""
    by_type: dict[bytes, list[tuple[bytes, bytes | None]]] = {}
    for record in itertools.chain.from_iterable(_written().values()):
        by_type.setdefault(record[0][:2], []).append(record)
    families = [[each for each in by_type if each[1] in numbers] for numbers in _FAMILIES]
    for index in range(number):
        batches: list[bytes] = []
        types = [*itertools.chain.from_iterable(chance.sample(families, chance.choice((1, 1, 1, 2, 4))))]
        for _ in range(chance.randint(3, 30)):
            key, value = chance.choice(by_type[chance.choice(types)])
            group_id = chance.choice((b"g", b"h"))
            length = int.from_bytes(key[2:4], "big")
            key = key[:2] + len(group_id).to_bytes(2, "big") + group_id + key[4 + length :]
            if value is None or chance.random() < 0.3:
                value = None
            elif chance.random() < 0.02:
                value = chance.choice((value[:-1], value[:2], value + b"\0", b"\0\7" + value[2:], b"", value[:1]))
            if chance.random() < 0.01:
                key = chance.choice((key[:-1], key + b"\0", b"\0\x18" + key[2:], b"\0", b"", key[:2]))
            batches.append(record_batch(len(batches), key, value))
        yield replace(_history(f"disordered {index}", scratch / str(index), batches), is_disordered=True)


def _written() -> dict[str, list[tuple[bytes, bytes | None]]]:
    """Keys and values that real brokers wrote, by case and group."""
    written: dict[str, list[tuple[bytes, bytes | None]]] = {}
    for case in sorted(GOLDEN.glob("08-*")):
        for each in InternalLog(case / "log-dir", CONSUMER_OFFSETS).records():
            if each.control_type is None and each.key is not None:
                fields = coordinator_records.decode_key(CONSUMER_OFFSETS, each.key).data
                group = f"{case.name}/{fields.get('groupId') or fields['group']}"
                written.setdefault(group, []).append((each.key, each.value))
    return written


def _history(name: str, log_dir: Path, batches: list[bytes]) -> History:
    directory = log_dir / f"{CONSUMER_OFFSETS}-0"
    directory.mkdir(parents=True)
    (directory / f"{0:020d}.log").write_bytes(b"".join(batches))
    return History(name, log_dir, list(InternalLog(log_dir, CONSUMER_OFFSETS).records()), {})


def _differences(history: History, found: Groups, answer: list[Any], offsets: list[Any]) -> Iterator[str]:
    if found.errors:
        yield f"{history.name}: {found.errors[0]}"
    own, theirs = ours(found), kafkas(answer)
    for group_id in sorted({*own, *theirs}):
        if own.get(group_id) != theirs.get(group_id):
            # The rest of a removed group keeps it alive in kafkafmt, as before Kafka 0.10.1.
            if group_id not in theirs and (found[group_id].offsets or found[group_id].pending_offsets):
                continue
            yield f"{history.name}: {group_id}\n  kafkafmt {own.get(group_id)}\n  Kafka    {theirs.get(group_id)}"
    committed = {
        (group.group_id, each.topic, each.partition): [each.offset, each.record_offset]
        for group in found
        if group.type != "Share"
        for each in group.offsets
    }
    for place, offset in zip(history.commits, offsets, strict=True):
        if committed.get(place) != offset:
            yield f"{history.name}: {place} at {committed.get(place)}, Kafka's at {offset}"


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")
