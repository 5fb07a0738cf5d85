"""Metadata logs: the state of the cluster in Kafka's MetadataImage, and that in kafkafmt.

The logs are those of tests/golden, from each snapshot and from their beginnings, and those of random histories that
Kafka's own classes write: records of all types, transactions, topics that come and go. The states are those at the end
and at batches before it.

Kafka loses a SCRAM credential that is set in one batch with the removal of the last one of its mechanism:
`ScramDelta.apply` drops the map of a mechanism when it gets empty, and puts later ones into the dropped map. kafkafmt
has such credentials, as the log has them.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from class_path import kafka_class_path
from kafka_judge.java_programs import answers
from kafka_judge.metadata.compare import kafkas, ours
from kafka_judge.verdict import Verdict
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.limits import Limits
from kafkafmt.logdir import Partition
from kafkafmt.reference.messages.framed_records import FramedRecord, decode
from kafkafmt.scanning import scan
from kafkafmt.topics.answers import AsOf
from kafkafmt.topics.cluster_metadata.copies import find_copies
from kafkafmt.topics.cluster_metadata.reading import metadata_of_copies
from kafkafmt.topics.cluster_metadata.settings import METADATA_VERSION

GOLDEN = Path(__file__).resolve().parents[3] / "tests" / "golden"

LOGS = 24
_MOMENTS_A_LOG = 6
_SET = "USER_SCRAM_CREDENTIAL_RECORD"

Credential = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Question:
    """A state to compare.

    Attributes:
        directory: directory of the metadata log.
        snapshot: name of the snapshot where reading begins, or None for the beginning of the log.
        end_offset: end offset (exclusive); None for the end of the log.
    """

    directory: Path
    snapshot: str | None
    end_offset: int | None

    def __str__(self) -> str:
        """The line that MetadataJudge reads."""
        return f"{self.directory}\t{self.snapshot or '-'}\t{-1 if self.end_offset is None else self.end_offset}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--logs", type=int, default=LOGS, help="number of random histories (%(default)s)")


def judge(options: argparse.Namespace) -> Verdict:
    """Replay all logs with MetadataJudge.java, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    with tempfile.TemporaryDirectory() as scratch:
        classes = kafka_class_path()
        answers(classes, "MetadataJudge", "write", str(options.seed), str(options.logs), scratch)
        logs = sorted(GOLDEN.rglob("__cluster_metadata-0")) + sorted(Path(scratch).rglob("__cluster_metadata-0"))
        questions = [question for log in logs for question in _questions(log)]
        lines = answers(
            classes, "MetadataJudge", "replay", questions="".join(f"{question}\n" for question in questions)
        )
        findings = [
            finding
            for question, answer in zip(questions, lines, strict=True)
            for finding in _differences(question, answer)
        ]
    return Verdict(f"{len(questions)} states of {len(logs)} metadata logs", findings)


def _questions(log: Path) -> Iterator[Question]:
    """The states from each snapshot, and from the beginning, to the end of the log and to some earlier batches."""
    partition = Partition(log)
    begins = [batch.base_offset for segment in partition.segments for batch in segment.batches()]
    moments = [None, *begins[1 :: max(1, len(begins) // _MOMENTS_A_LOG)]]
    (copy,) = find_copies(str(log))
    for moment in moments:
        if partition.log_start_offset == 0:
            yield Question(log, None, moment)
        for snapshot in copy.snapshots:
            if moment is None or snapshot.end_offset <= moment:
                yield Question(log, snapshot.name, moment)


def _differences(question: Question, answer: str) -> Iterator[str]:
    (copy,) = find_copies(str(question.directory))
    copy.snapshots = [snapshot for snapshot in copy.snapshots if snapshot.name == question.snapshot]
    cluster = metadata_of_copies([copy], AsOf(question.end_offset), "raise", Limits(), show_secrets=True)
    image = json.loads(answer)
    version = cluster.features.get(METADATA_VERSION, 0)
    if image.get("faults") or cluster.ignored_count:
        yield f"{question}: Kafka's faults {image.get('faults')}, passed over here {cluster.ignored_records}"
    if version != image["metadataVersion"]:
        yield f"{question}: metadata.version {version}, Kafka's {image['metadataVersion']}"
    own, theirs = ours(cluster), kafkas(image["records"])
    only_own = sorted(set(own) - set(theirs))
    only_theirs = sorted(set(theirs) - set(own))
    is_meant = not only_own or set(map(_credential, only_own)) <= _lost_credentials(question.directory)
    if only_theirs or not is_meant:
        yield f"{question}:\n  only kafkafmt: {only_own[:3]}\n  only Kafka: {only_theirs[:3]}"


def _credential(record: str) -> Credential | None:
    """The user and mechanism of a SCRAM credential; None for another record."""
    kind, data = json.loads(record)
    return (data["name"], data["mechanism"]) if kind == _SET else None


def _lost_credentials(log: Path) -> set[Credential | None]:
    """The credentials that Kafka may lose: those set in a batch that also removes one of the same mechanism."""
    batches: dict[int, list[FramedRecord]] = defaultdict(list)
    for row in scan(log, columns=["baseOffset", "value"]).to_table().to_pylist():
        batches[row["baseOffset"]].append(decode(CLUSTER_METADATA, row["value"]))
    lost: set[Credential | None] = set()
    for records in batches.values():
        removed = {record.message.data["mechanism"] for record in records if record.type == f"REMOVE_{_SET}"}
        put = (record.message.data for record in records if record.type == _SET)
        lost.update((each["name"], each["mechanism"]) for each in put if each["mechanism"] in removed)
    return lost
