"""Random logs: what Kafka's own classes do with them, and what kafkafmt predicts.

Compaction: logs with transactions, tombstones, several segments and formats, cleaned in rounds by LogCleanerManager and
Cleaner; offsets, bytes and the choice of the log, then each file that a pass leaves. Retention: which segments
UnifiedLog.deleteOldSegments deletes, predicted at its moment and long before. Producers: which batches
ProducerStateManager refuses. Truncation: where AbstractFetcherThread cuts each of two logs that follows the other.
Transactions: what UnifiedLog says of stable offsets, aborted transactions, producers and leader epochs.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from class_path import ToolError, kafka_class_path
from kafka_judge.java_programs import answers
from kafka_judge.operations import compaction, producers, retention, transactions, truncation
from kafka_judge.verdict import Verdict

PARTS = {
    "compaction": (compaction.differences, 30, "logs that are cleaned in rounds"),
    "retention": (retention.differences, 40, "logs that lose segments"),
    "producers": (producers.differences, 40, "logs with lost and repeated sequences"),
    "truncation": (truncation.differences, 40, "pairs of diverged logs"),
    "transactions": (transactions.differences, 40, "logs that are read committed"),
}
"""For each part: the comparison of a case with Kafka's answer, the number of cases, and their description."""

_MEMORY = Path("/dev/shm")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    for part, (_, count, what) in PARTS.items():
        parser.add_argument(f"--{part}", type=int, default=count, metavar="N", help=f"number of {what} (%(default)s)")


def judge(options: argparse.Namespace) -> Verdict:
    """Run all cases with OperationsJudge.java, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    counts = {part: getattr(options, part) for part in PARTS}
    # Kafka flushes each file to the disk, which takes most of the time on a real disk.
    memory = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="kafkafmt-judge-", dir=memory) as scratch:
        lines = answers(kafka_class_path(), "OperationsJudge", scratch, str(options.seed), *map(str, counts.values()))
        asked = [json.loads(line) for line in lines]
        findings = [each for answer in asked for each in _differences(answer, Path(scratch))]
    compared = Counter(answer["part"] for answer in asked)
    if missing := [part for part, count in counts.items() if compared[part] < count]:
        raise ToolError(f"OperationsJudge has too few answers for {', '.join(missing)}")
    return Verdict(", ".join(f"{compared[part]} cases of {part}" for part in PARTS), findings)


def _differences(answer: Mapping[str, Any], scratch: Path) -> Iterator[str]:
    compare, _, _ = PARTS[answer["part"]]
    for each in compare(answer, scratch):
        yield f"{answer['part']} {answer['name']} of seed {answer['seed']}: {each}"
