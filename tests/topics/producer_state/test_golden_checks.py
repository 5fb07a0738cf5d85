"""The idempotence check, compared with Kafka's answers to golden questions, and on brokers' sound logs."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.topics.producer_state import CheckFinding, producer_check
from tests import golden_exceptions
from tests.golden_cases import Case, cases, tier_cases
from tests.operations.golden_operations import Question, questions
from tests.topics.producer_logs import INT_MAX

QUESTIONS = questions("producers")


def _found(source: object, **arguments: Any) -> list[CheckFinding]:
    return list(producer_check(source, **arguments).rows())  # type: ignore[arg-type]


def _named(row: dict[str, Any]) -> str:
    """The finding that corresponds to Kafka's rejection of a batch."""
    refused = {row["replay"], row["strict"]}
    if "InvalidProducerEpochException" in refused:
        return "epoch back"
    if "duplicate" in refused:
        return "repeat"
    if row["replayEpoch"] != row["producerEpoch"] or row["replaySequence"] < 0:
        return "epoch not from 0"
    expected = 0 if row["replaySequence"] == INT_MAX else row["replaySequence"] + 1
    return "repeat beyond five" if row["baseSequence"] < expected else "sequence gap"


@pytest.mark.parametrize("question", [each for each in QUESTIONS if "gaps" not in each.asked], ids=str)
def test_batches_that_kafka_refuses(question: Question, tmp_path: Path) -> None:
    found = {(row.topic, row.partition, row.base_offset): row for row in _found(question.unpack(tmp_path))}
    expected = {(row["topic"], row["partition"], row["baseOffset"]): row for row in question.expected()}
    required = {place: _named(row) for place, row in expected.items() if row["required"]}
    assert {place: found[place].finding for place in required if place in found} == required
    assert found.keys() <= expected.keys()
    assert len(required) == (24 if question.case == "producers-crafted-4.3.1" else 0)
    for place, row in found.items():
        names = ("lastOffset", "producerId", "producerEpoch", "baseSequence", "lastSequence", "timestamp")
        assert (row.last_offset, *row[4:6], *row[9:12]) == tuple(expected[place][name] for name in names)


@pytest.mark.parametrize("question", [each for each in QUESTIONS if "gaps" in each.asked], ids=str)
def test_causes_of_offset_gaps(question: Question, tmp_path: Path) -> None:
    found = {(row.topic, row.first_offset, row.last_offset): row.cause for row in _found(question.unpack(tmp_path))}
    rows = [row for row in question.expected() if row["cause"] != "marker"]
    expected = {(row["topic"], row["firstOffset"], row["lastOffset"]): row["cause"] for row in rows}
    assert len(rows) == 8
    for place, cause in golden_exceptions.GAP_CAUSES.items():
        assert expected[place] != cause
        expected[place] = cause
    assert found == expected


def test_all_golden_questions_are_asked() -> None:
    assert [question.case for question in QUESTIONS] == [
        "producers-03-idempotent-4.3.1",
        "producers-04-transactions-4.3.1",
        "producers-crafted-4.3.1",
        "producers-gaps-4.3.1",
    ]


def _problems(case: Case, **arguments: Any) -> set[tuple[str, str, str | None]]:
    rows = _found(case.log_dir, on_damage="skip", replica="all", **arguments)
    return {(Path(row.path).name, row.finding, row.cause) for row in rows if not row.is_harmless}


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_what_brokers_wrote_is_sound(case: Case) -> None:
    assert _problems(case) == golden_exceptions.CHECKED.get(case.name, set())


@pytest.mark.parametrize("case", [each for each in cases("legacy") if "damaged" not in each.name], ids=str)
def test_what_old_brokers_wrote_is_sound(case: Case) -> None:
    problems = _problems(case)
    if case.name == "crafted-odd-wrappers":
        assert {(finding, cause) for _, finding, cause in problems} == {
            ("offset gap", "damage"),
            ("offset gap", "unexplained"),
        }
    else:
        assert problems == set()


@pytest.mark.parametrize("case", tier_cases(), ids=str)
def test_what_is_in_a_tier_is_sound(case: Any) -> None:
    disks = kafkafmt.open([case.log_dir, case.tier], decryption_keys=case.keys)
    rows = _found(disks, on_damage="skip")
    found = {(f"{row.topic}-{row.partition}", row.finding, row.cause) for row in rows if not row.is_harmless}
    assert found == golden_exceptions.CHECKED.get(case.name, set())


def _gaps_between_records(path: Path) -> list[tuple[int, int]]:
    """First and last of the offsets below the last record that no record has."""
    scan = kafkafmt.scan(path, columns=["offset"], control_records=True, below_log_start=True, on_damage="skip")
    offsets = sorted(set(scan.to_table()["offset"].to_pylist()))
    before = [min(int(each.stem) for each in path.glob("*.log")) - 1, *offsets]
    return [(one + 1, other - 1) for one, other in pairwise(before) if one + 1 < other]


@pytest.mark.parametrize("in_bulk", [False, True], ids=["one by one", "in bulk"])
@pytest.mark.parametrize("question", [each for each in questions("compaction") if each.id == "q01"], ids=str)
def test_gaps_are_where_no_record_is(
    question: Question, in_bulk: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkafmt.logdir.producer_batches._WORTH_KERNELS", 0 if in_bulk else 1 << 60)
    monkeypatch.setattr("kafkafmt.logdir.producer_batches._KERNELS", "kafkafmt.none")
    found: list[tuple[int, int]] = []
    expected: list[tuple[int, int]] = []
    for path in sorted(each for each in question.unpack(tmp_path).iterdir() if each.is_dir()):
        rows = [row for row in _found(path, on_damage="skip") if row.first_offset is not None]
        joined: list[tuple[int, int]] = []
        for row in rows:
            first = row.first_offset or 0
            if joined and joined[-1][1] + 1 == first:
                first = joined.pop()[0]
            joined.append((first, row.last_offset))
        of_records = _gaps_between_records(path)
        found += joined[: len(of_records)]
        expected += of_records
        # At most the base offset of an empty last segment follows.
        assert len(joined) - len(of_records) in (0, 1)
    assert found == expected
