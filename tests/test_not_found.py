"""Names that do not exist are an error that lists the existing ones, in every answer, unless noting them is enough."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import Disks, NotFoundError, SourceError
from tests.golden_cases import GOLDEN, tier_case
from tests.logdir.builders import batch, segment

MODERN = GOLDEN / "modern"
GROUPS = MODERN / "08-consumer-groups-4.3.1" / "log-dir"
TRANSACTIONS = MODERN / "09-transaction-state-4.3.1" / "log-dir"

Ask = Callable[[Disks, dict[str, Any]], Any]
OF_TOPICS: dict[str, Ask] = {
    "scan": lambda disks, wanted: disks.scan(**wanted),
    "producers": lambda disks, wanted: disks.producers(**wanted),
    "transactions": lambda disks, wanted: disks.transactions(**wanted),
    "transactions in data": lambda disks, wanted: disks.transactions(data="open", **wanted),
    "retention": lambda disks, wanted: disks.retention(at=0, **wanted),
    "compaction": lambda disks, wanted: disks.compaction(at=0, **wanted),
    "compare": lambda disks, wanted: disks.compare(TRANSACTIONS, **wanted),
    "space": lambda disks, wanted: disks.space(**wanted),
    "grep": lambda disks, wanted: disks.grep("x", **wanted),
    "what_if": lambda disks, wanted: disks.what_if("linger.ms=5", **wanted),
    "sql": lambda disks, wanted: disks.sql("select 1", **wanted).read_all(),
}
OF_IDS: list[tuple[Ask, dict[str, Any], str]] = [
    (lambda disks, wanted: disks.transactions(**wanted), {"transactional_ids": "id-x"}, "no transactional id id-x."),
    (lambda disks, wanted: disks.transactions(**wanted), {"transactional_ids": re.compile("x")}, "id matches x."),
    (lambda disks, wanted: disks.transactions(**wanted), {"producer_ids": [99]}, "no producer 99. There are: 0, 1,"),
    (lambda disks, wanted: disks.transactions(data="all", **wanted), {"producer_ids": 99}, "no producer 99. There are"),
    (lambda disks, wanted: disks.producers(**wanted), {"producer_ids": 99}, "no producer 99. There are: 1, 2,"),
    (lambda _, wanted: kafkafmt.open(GROUPS).groups(**wanted), {"groups": ["g-txn", "g-x"]}, "no group g-x. There are"),
    (lambda _, wanted: kafkafmt.open(GROUPS).groups(**wanted), {"topics": "oders"}, "no topic oders. There are: __"),
]


@pytest.fixture(scope="module")
def disks() -> Disks:
    return kafkafmt.open(TRANSACTIONS)


@pytest.mark.parametrize("ask", OF_TOPICS.values(), ids=OF_TOPICS)
def test_topics_and_partitions(disks: Disks, ask: Ask) -> None:
    for wanted, text in (
        ({"topics": ["ts", "oders"]}, "no topic oders. There are: __consumer_offsets, __transaction_state, "),
        ({"topics": "__transaction_state", "partitions": [0, 99]}, "no partition 99. There are: 0, 1, 2."),
    ):
        with pytest.raises(NotFoundError, match=re.escape(text)) as error:
            ask(disks, wanted)
        assert isinstance(error.value, LookupError)
        ask(disks, {**wanted, "missing": "note"})
    with pytest.raises(ValueError, match="missing must be one of"):
        ask(disks, {"missing": "ignore"})


@pytest.mark.parametrize(("ask", "wanted", "text"), OF_IDS, ids=[str(wanted) for _, wanted, _ in OF_IDS])
def test_groups_and_ids(disks: Disks, ask: Ask, wanted: dict[str, Any], text: str) -> None:
    with pytest.raises(NotFoundError, match=re.escape(text)):
        ask(disks, wanted)
    assert any(text in note for note in ask(disks, {**wanted, "missing": "note"}).notes)


def test_a_partition_that_is_nowhere(disks: Disks) -> None:
    with pytest.raises(NotFoundError, match=r"^no partition 9 of __transaction_state\. There are: 0, 1, 2\.$"):
        disks.partition("__transaction_state", 9)
    with pytest.raises(NotFoundError, match=r"^start_offset is given for t-0, which does not exist\. There are: __"):
        disks.scan(start_offset={("t", 0): 5})


def test_repair_and_tiers(disks: Disks) -> None:
    with pytest.raises(NotFoundError, match=r"no topic oders\. There are: "):
        disks.repair(None, dry_run=True, topics="oders")
    case = tier_case(1)
    tiers = kafkafmt.open([case.log_dir, case.tier])
    with pytest.raises(NotFoundError, match=r"no topic oders\. There are: "):
        tiers.tiers(topics="oders")
    assert "no topic oders" in str(tiers.tiers(topics="oders", missing="note").notes)


@pytest.mark.parametrize("open_it", [kafkafmt.scan, kafkafmt.open, kafkafmt.topics.groups, kafkafmt.topics.metadata])
def test_no_source_is_an_error(open_it: Callable[[Any], object]) -> None:
    sources: list[Any] = [[], (), iter([])]
    for source in sources:
        with pytest.raises(SourceError, match="the list of sources is empty"):
            open_it(source)


NOTES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"topics": "t", "partitions": [0, 1], "start_offset": 60, "end_offset": 70, "key": b"nobody"}, []),
    ({"topics": "x"}, ["no topic x. There are: t, u."]),
    ({"topics": []}, ["nothing is selected: topics is empty. None selects all."]),
    ({"topics": {}}, ["nothing is selected: topics is empty. None selects all."]),
    ({"topics": "t", "partitions": ()}, ["nothing is selected: partitions is empty. None selects all."]),
    ({"topics": ["t", "x", "y"]}, ["no topic x, y. There are: t, u."]),
    ({"topics": re.compile("x.*")}, ["no topic matches x.*. There are: t, u."]),
    ({"topics": "u", "partitions": [0, 1]}, ["no partition 1. There are: 0."]),
    (
        {"topics": {"t": [0, 7], "u": 3, "x": 0}},
        ["no topic x. There are: t, u.", "no partition 7 of t. There are: 0, 1.", "no partition 3 of u. There are: 0."],
    ),
    (
        {"topics": "t", "start_offset": {("t", 0): 52, ("u", 0): 1}, "end_offset": {("t", 5): 4}},
        [
            "end_offset is given for t-5, which does not exist. There are: t-0, t-1, u-0.",
            "start_offset is given for u-0, which is not read.",
        ],
    ),
    (
        {"start_offset": 55, "end_offset": 55},
        ["nothing is selected: start_offset and end_offset are both 55, and the end is not included."],
    ),
    (
        {"start_timestamp": 7, "end_timestamp": 7},
        ["nothing is selected: start_timestamp and end_timestamp are both 7, and the end is not included."],
    ),
    (
        {"start_offset": 101},
        ["nothing is selected: start_offset is beyond the log end of t-0 (100), t-1 (100), u-0 (100)."],
    ),
    ({"start_offset": 100}, []),
    (
        {"end_offset": 50, "topics": "t"},
        ["nothing is selected: end_offset is not beyond the log start of t-0 (50), t-1 (50)."],
    ),
]


@pytest.mark.parametrize(("wanted", "notes"), NOTES, ids=[str(wanted) for wanted, _ in NOTES])
def test_what_is_nowhere_is_noted(tmp_path: Path, wanted: dict[str, Any], notes: list[str]) -> None:
    for name in ("t-0", "t-1", "u-0"):
        segment(tmp_path / name, 50, batch(50, 50))
    nowhere = [note for note in notes if "There are" in note]
    if nowhere:
        with pytest.raises(NotFoundError, match=f"^{re.escape(' '.join(nowhere))}$"):
            kafkafmt.scan(tmp_path, **wanted)
    scan = kafkafmt.scan(tmp_path, missing="note", **wanted)
    for run in (scan.to_table, scan.count, scan.tail(1).read_all, scan.head(1).read_all):
        run()
        assert list(scan.notes) == notes
    assert not any(note.is_finding for note in scan.notes)
    looked_into = [note for note in notes if " log " in note]
    assert list(scan.plan().notes) == [note for note in notes if note not in looked_into]
