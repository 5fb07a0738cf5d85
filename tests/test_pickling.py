"""Scans, opened disks and answers can be pickled at any time, also after passes, with the same results."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt import Disks
from tests.golden_cases import GOLDEN, tier_case

MODERN = GOLDEN / "modern"
GROUPS = MODERN / "08-consumer-groups-4.3.1" / "log-dir"
TRANSACTIONS = MODERN / "09-transaction-state-4.3.1" / "log-dir"

ANSWERS: dict[str, Callable[[Disks], Any]] = {
    "groups": lambda disks: disks.groups(),
    "transactions": lambda _: kafkafmt.topics.transactions(TRANSACTIONS),
    "producers": lambda disks: disks.producers(),
    "metadata": lambda disks: disks.metadata(),
    "verify": lambda disks: disks.verify(level="headers"),
    "retention": lambda disks: disks.retention(at=1795234639873),
    "compaction": lambda disks: disks.compaction(at=1795234639873),
    "space": lambda disks: disks.space(by="key"),
    "compare": lambda disks: disks.compare(GROUPS, hashes=False),
    "what_if": lambda disks: disks.what_if("linger.ms=5"),
}


def pickled(of: Any) -> Any:
    return pickle.loads(pickle.dumps(of))


def tables(answer: Any) -> dict[str, Any]:
    return {name: answer.to_table(name) for name in answer.tables}


@pytest.mark.parametrize("ask", ANSWERS.values(), ids=ANSWERS)
def test_answers_are_pickled_before_and_after_their_tables_are_made(ask: Callable[[Disks], Any]) -> None:
    answer = ask(kafkafmt.open(GROUPS))
    fresh = pickled(answer)
    expected = tables(answer)
    assert tables(fresh) == tables(pickled(answer)) == expected
    assert list(map(str, pickled(answer).notes)) == list(map(str, answer.notes))


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
def test_scans_and_disks_are_copied_after_passes(copied: Callable[[Any], Any]) -> None:
    disks = kafkafmt.open(TRANSACTIONS)
    wanted: Any = {"isolation_level": "read_committed", "on_damage": "skip"}
    scan = disks.scan(**wanted).filter(pc.field("offset") > 3)
    assert scan.count() > 0
    offsets = [partition.log_end_offset for partition in disks.partitions]
    found = disks.grep("a"), disks.grep_everywhere("alice")
    expected = [each.to_table().num_rows for each in (scan, *found)]
    other = copied(disks)
    again = other.scan(**wanted).filter(pc.field("offset") > 3)
    assert [each.to_table().num_rows for each in (again, *copied(found))] == expected
    assert copied(scan).count() == expected[0]
    assert [partition.log_end_offset for partition in other.partitions] == offsets
    assert (repr(other), other.inspect.log_dirs()) == (repr(disks), copied(disks.inspect).log_dirs())


def test_a_copied_scan_keeps_what_its_last_pass_reported() -> None:
    scan = kafkafmt.scan(GROUPS, start_offset=10**9, columns=["offset"])
    scan.count()
    assert pickled(scan).notes == scan.notes != ()


def test_disks_with_remote_storage_are_pickled_after_passes() -> None:
    case = tier_case(1)
    disks = kafkafmt.open([case.log_dir, case.tier], decryption_keys=case.keys)
    count = disks.scan().count()
    assert tables(disks.tiers()) == tables(pickled(disks.tiers())) == tables(pickled(disks).tiers())
    assert pickled(disks).scan().count() == pickled(disks.scan()).count() == count > 0
