"""`__consumer_offsets`: the groups that Kafka's group coordinator loads from it, and those of kafkafmt.

The logs are those of tests/golden, as of each offset, and random ones made of what real brokers wrote in them: records
left out, commits in transactions that commit, abort or stay open, offsets deleted. Compared are types, states, epochs,
members and their assignments, and committed offsets, of classic, consumer, share and streams groups.
"""

import argparse
import json
import random
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from class_path import kafka_class_path
from kafka_judge.batches import ABORT, COMMIT, control_batch, record_batch
from kafka_judge.groups.compare import kafkas, ours
from kafka_judge.java_programs import answers
from kafka_judge.verdict import Verdict
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.consumer_groups import groups
from kafkafmt.topics.internal_log import InternalLog, InternalRecord

GOLDEN = Path(__file__).resolve().parents[3] / "tests" / "golden" / "modern"

HISTORIES = 300
_PROGRAM = "org.apache.kafka.coordinator.group.GroupsJudge"
_PRODUCERS = (5, 6)
_COMMIT_TYPES = (b"\0\0", b"\0\1")
_MEMBER_TYPES = (b"\0\5", b"\0\x0a", b"\0\x13")  # a member begins and ends with these: no broker leaves them out


@dataclass(frozen=True)
class History:
    """A log, and as of which offset it is asked about.

    Attributes:
        name: for people.
        log_dir: where it is.
        entries: its records and markers before that offset.
        at_offset: the offset, by partition.
    """

    name: str
    log_dir: Path
    entries: list[InternalRecord]
    at_offset: dict[int, int]

    @property
    def commits(self) -> list[tuple[str, str, int]]:
        """Group, topic and partition of all commits."""
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
    """Add the options of this judge alone."""
    parser.add_argument("--histories", type=int, default=HISTORIES, help="number of random histories (%(default)s)")


def judge(options: argparse.Namespace) -> Verdict:
    """Let GroupsJudge.java replay all logs, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    findings: list[str] = []
    compared = refused = known = 0
    with tempfile.TemporaryDirectory() as scratch:
        asked = [*_golden(), *_random(random.Random(options.seed), options.histories, Path(scratch))]
        questions = "".join(f"{line}\n" for history in asked for line in history.questions())
        lines = iter(answers(kafka_class_path(), _PROGRAM, questions=questions))
        for history in asked:
            answer = json.loads(next(lines))
            offsets = [json.loads(next(lines)) for _ in history.commits]
            if answer == "failed":
                refused += 1
                continue
            compared += 1
            known += len(answer)
            findings += _differences(history, answer, offsets)
    return Verdict(f"{known} groups of {compared} logs ({refused} more Kafka does not load)", findings)


def _golden() -> Iterator[History]:
    """Real brokers' logs, as of each offset."""
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
    """What real brokers wrote of some groups, with records left out, commits in transactions, and offsets deleted."""
    written: dict[str, list[tuple[bytes, bytes | None]]] = {}
    for case in sorted(GOLDEN.glob("08-*")):
        for each in InternalLog(case / "log-dir", CONSUMER_OFFSETS).records():
            if each.control_type is None and each.key is not None:
                fields = coordinator_records.decode_key(CONSUMER_OFFSETS, each.key).data
                group = f"{case.name}/{fields.get('groupId') or fields['group']}"
                written.setdefault(group, []).append((each.key, each.value))
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
        log_dir = scratch / str(index)
        directory = log_dir / f"{CONSUMER_OFFSETS}-0"
        directory.mkdir(parents=True)
        (directory / f"{0:020d}.log").write_bytes(b"".join(batches))
        yield History(f"random {index}", log_dir, list(InternalLog(log_dir, CONSUMER_OFFSETS).records()), {})


def _differences(history: History, answer: list[Any], offsets: list[Any]) -> Iterator[str]:
    found = groups(history.log_dir, at_offset=history.at_offset or None)
    if found.errors:
        yield f"{history.name}: {found.errors[0]}"
    own, theirs = ours(found), kafkas(answer)
    for group_id in sorted({*own, *theirs}):
        if own.get(group_id) != theirs.get(group_id):
            # What is left of a group that was removed keeps it here, as before Kafka 0.10.1.
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
