"""Let MetadataJudge.java replay metadata logs, and compare Kafka's images with `kafkafmt.topics.metadata`."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kafka_judge.class_path import JudgeError, kafka_class_path, tool
from kafka_judge.metadata.compare import kafkas, ours
from kafkafmt.limits import Limits
from kafkafmt.logdir import Partition
from kafkafmt.topics.cluster_metadata import door
from kafkafmt.topics.cluster_metadata.copies import find_copies
from kafkafmt.topics.cluster_metadata.names import METADATA_VERSION
from kafkafmt.topics.cluster_metadata.restoring import AsOf

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent.parent.parent / "tests" / "golden"

SEED = 4_3_1
LOGS = 24
FINDINGS_SHOWN = 5
_MOMENTS_A_LOG = 6


@dataclass(frozen=True, slots=True)
class Question:
    """A state that is asked for.

    Attributes:
        directory: of the metadata log.
        snapshot: name of the snapshot that it begins with, or None for the beginning of the log.
        end_offset: what stands below it; None for the end of the log.
    """

    directory: Path
    snapshot: str | None
    end_offset: int | None

    def __str__(self) -> str:
        """As MetadataJudge reads it."""
        return f"{self.directory}\t{self.snapshot or '-'}\t{-1 if self.end_offset is None else self.end_offset}"


def main(arguments: list[str], description: str) -> int:
    """Do as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the random histories (%(default)s)")
    parser.add_argument("--logs", type=int, default=LOGS, help="number of random histories (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            classes = kafka_class_path(HERE)
            _java(classes, ["write", str(options.seed), str(options.logs), scratch])
            logs = sorted(GOLDEN.rglob("__cluster_metadata-0")) + sorted(Path(scratch).rglob("__cluster_metadata-0"))
            questions = [question for log in logs for question in _questions(log)]
            answers = _java(classes, ["replay"], "".join(f"{question}\n" for question in questions)).splitlines()
            findings = [
                finding
                for question, answer in zip(questions, answers, strict=True)
                for finding in _differences(question, answer)
            ]
    except JudgeError as error:
        print(f"tools/kafka_judge/check_metadata: {error}", file=sys.stderr)
        return 2
    if findings:
        print(*findings[:FINDINGS_SHOWN], sep="\n", file=sys.stderr)
        print(f"{len(questions)} states, {len(findings)} differences", file=sys.stderr)
        return 1
    print(f"{len(questions)} states of {len(logs)} metadata logs: as Kafka's images hold them")
    return 0


def _questions(log: Path) -> Iterator[Question]:
    """From each snapshot, and from the beginning, to the end of the log and to some batches before it."""
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
    cluster = door._metadata([copy], AsOf(question.end_offset), "raise", Limits(), show_secrets=True)  # noqa: SLF001
    image = json.loads(answer)
    version = cluster.features.get(METADATA_VERSION, 0)
    if image.get("faults") or cluster.passed_over_count:
        yield f"{question}: Kafka's faults {image.get('faults')}, passed over here {cluster.passed_over}"
    if version != image["metadataVersion"]:
        yield f"{question}: metadata.version {version}, Kafka's {image['metadataVersion']}"
    own, theirs = ours(cluster), kafkas(image["records"])
    if own != theirs:
        only_own = sorted(set(own) - set(theirs))
        only_theirs = sorted(set(theirs) - set(own))
        yield f"{question}:\n  only kafkafmt: {only_own[:3]}\n  only Kafka: {only_theirs[:3]}"


def _java(classes: str, arguments: list[str], questions: str = "") -> str:
    command = [tool("java"), "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, "MetadataJudge"]
    done = subprocess.run([*command, *arguments], input=questions, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise JudgeError(f"MetadataJudge failed:\n{done.stderr}")
    return done.stdout
