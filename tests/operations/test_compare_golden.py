"""`compare` checked with Kafka's AbstractFetcherThread and FileRecords on the same pairs of replicas."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.operations import ComparedCopies, compare
from tests import golden_exceptions
from tests.operations.golden_operations import Question, questions

QUESTIONS = questions("compare")


def compared(question: Question, into: Path) -> ComparedCopies:
    log_dir = question.unpack(into)
    return compare(log_dir / question.asked["a"], log_dir / question.asked["b"])


def stories(answer: ComparedCopies) -> dict[tuple[str, int, str], list[str]]:
    """The steps of each follower by leader epochs, in the words of the golden answers."""
    found: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for row in answer.to_table("truncation").to_pylist():
        if row["protocol"] != "leader epochs":
            continue
        key = "ifFirstLeads" if row["leader"] == answer.names[0] else "ifSecondLeads"
        steps = found[row["topic"], row["partition"], key]
        if row["fetchOffset"] is not None:
            epoch = "none" if row["lastFetchedEpoch"] is None else row["lastFetchedEpoch"]
            named = ""
            if row["response"] == "diverging epoch":
                named = f" {row['divergingEpoch']} end {row['divergingEndOffset']}"
            steps.append(f"fetch offset {row['fetchOffset']} last epoch {epoch}: {row['response']}{named}")
        if "the log is dropped" in row["explanation"]:
            steps.append(f"truncate fully, start at {row['truncateTo']}")
        elif row["truncateTo"] is not None:
            again = ", ask again" if "asks again" in row["explanation"] else ""
            steps.append(f"truncate to {row['truncateTo']}{again}")
    return found


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_every_column_of_every_pair(question: Question, tmp_path: Path) -> None:
    answer = compared(question, tmp_path)
    ours = {(row["topic"], row["partition"]): row for row in answer.to_table().to_pylist()}
    told = stories(answer)
    expected = question.expected()
    assert {(row["topic"], row["partition"]) for row in expected} == ours.keys()
    for kafka in expected:
        row = ours[kafka["topic"], kafka["partition"]]
        if (question.case, f"{row['topic']}-{row['partition']}") in golden_exceptions.NO_COMMON_OFFSETS:
            assert kafka.pop("overlap") is False
            assert row["relation"] is None
            del kafka["relation"]
        assert {name: row[name] for name in kafka if name in row} == {
            name: kafka[name] for name in kafka if name in row
        }
        for leads in ("ifFirstLeads", "ifSecondLeads"):
            if leads in kafka:
                assert told[row["topic"], row["partition"], leads] == kafka[leads]["story"]
        check_hashes(row)


def check_hashes(row: dict[str, Any]) -> None:
    hashes = row["contentHashes"]
    if row["relation"] in (None, "missing"):
        assert hashes is None
    else:
        assert (hashes[0] == hashes[1]) == (row["relation"] != "diverged")


def test_there_are_as_many_questions_as_the_set_says() -> None:
    assert len(QUESTIONS) == 13
    assert sum(len(question.expected()) for question in QUESTIONS) == 48


def test_what_kafka_0_10_leaves_diverged(tmp_path: Path) -> None:
    """Copies that are cut by leader epochs, as Kafka did, stay different by high watermarks (golden 07)."""
    (question,) = (each for each in QUESTIONS if str(each) == "compare-07-three-nodes-diverged-of-4.3.1-4.3.1-q01")
    rows = compared(question, tmp_path).to_table("following").to_pylist()
    found = {
        (row["protocol"], row["leader"].rpartition("/")[2]): (
            row["truncateTo"],
            row["lostRecords"],
            row["divergedFrom"],
        )
        for row in rows
        if row["partition"] == 0
    }
    assert found == {
        ("leader epochs", "node-1"): (65, 20, None),
        ("leader epochs", "node-2"): (65, 10, None),
        ("high watermark", "node-1"): (75, 10, 65),
        ("high watermark", "node-2"): (65, 10, None),
    }
