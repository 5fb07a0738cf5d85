"""tools/judge operations: cases that it found, with Kafka's answers, and its report if the answers differ.

`judged/compaction-4.4.0.tar.gz` is what CleanedLogs.java left of them: a round that begins in mid segment above the
marker of an aborted transaction, a log start above an open transaction, and an index that has no room.
`judged/transactions-4.4.0.tar.gz` is from TransactionalReads.java: two logs after a clean shutdown, one of them with a
log start within the first batch of an open transaction, and two that lost snapshots and transaction indexes.
"""

import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from kafka_judge.operations import compaction, judge, transactions

CASES = Path(__file__).parent / "judged" / "compaction-4.4.0.tar.gz"
NAMES = ("127-0", "415-0", "446-1")
READS = CASES.with_name("transactions-4.4.0.tar.gz")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return unpacked(CASES, tmp_path)


@pytest.fixture
def read(tmp_path: Path) -> Path:
    return unpacked(READS, tmp_path)


def unpacked(cases: Path, tmp_path: Path) -> Path:
    with tarfile.open(cases) as tar:
        tar.extractall(tmp_path, filter="data")
    return tmp_path


def answer(scratch: Path, name: str) -> dict[str, Any]:
    lines = map(json.loads, (scratch / "answers.jsonl").read_text().splitlines())
    (found,) = (line for line in lines if line["name"] == name)
    return dict(found)


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_is_kafkas(scratch: Path, name: str) -> None:
    assert list(compaction.differences(answer(scratch, name), scratch)) == []


def test_a_pass_that_fails_must_fail(scratch: Path) -> None:
    case = answer(scratch, "446-1") | {"error": "IllegalStateException"}
    (finding,) = compaction.differences(case, scratch)
    assert finding.startswith("Kafka's cleaner fails with IllegalStateException, ours says ")
    shutil.rmtree(scratch / "ours-446-1")
    case = answer(scratch, "415-0")
    del case["error"]
    (finding,) = compaction.differences(case, scratch)
    assert finding.startswith("Kafka's cleaner makes the pass, ours says ")


def test_other_figures_and_files_are_findings(scratch: Path) -> None:
    case = answer(scratch, "446-1")
    directory = scratch / "after-446-1" / "topic-0"
    log = min(directory.glob("*.log"))
    content = bytearray(log.read_bytes())
    content[40] ^= 1
    log.write_bytes(content)
    index = max(directory.glob("*.index"))
    index.write_bytes(index.read_bytes() + bytes(8))
    (directory / "more").touch()
    findings = list(compaction.differences(case | {"cleanBytes": -1}, scratch))
    assert [finding.split(":")[0] for finding in findings] == [
        "Kafka leaves ['more'], ours []",
        f"other batches in {log.name}",
        f"other bytes in {index.name}",
        f"cleanBytes is -1, ours {case['cleanBytes']}",
    ]


@pytest.mark.parametrize("name", ["0", "2", "60", "61"])
def test_transactions_and_leader_epochs_are_kafkas(read: Path, name: str) -> None:
    assert list(transactions.differences(answer(read, name), read)) == []


def test_other_transactions_and_epochs_are_findings(read: Path) -> None:
    case = answer(read, "0")
    view, *_ = case["views"]
    view["stable"] += 1
    view["producers"].pop()
    view["epochs"][0][2] += 1
    seen = next(each for each in view["reads"] if each["aborted"])
    seen["aborted"].reverse()
    seen["aborted"].append([7, 7])
    findings = [finding.partition(", ")[2] for finding in transactions.differences(case, read)]
    assert [finding.split(" is ")[0].split(" are ")[0].split(" ends ")[0] for finding in findings] == [
        "the last stable offset",
        "the producers",
        "epoch -1",
        f"the aborted transactions of {seen['offset']} to {seen['upperBound']}",
    ]


def test_every_part_has_cases() -> None:
    assert all(count > 0 for _, count, _ in judge.PARTS.values())
