"""`compare` of the disks of two nodes, checked with Kafka's record classes on each and with what brokers did."""

from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.operations import ComparedCopies, compare
from tests.golden_cases import ClusterCase, cluster_case

Row = dict[str, Any]
Name = tuple[str, int]


def compared(case: ClusterCase, target: Path) -> tuple[ComparedCopies, dict[Name, Row]]:
    """The first two nodes of a case, and a row for each partition that both have."""
    nodes = case.unpack(target)
    answer = compare(*([str(path) for path in nodes[node]] for node in sorted(nodes)[:2]), hashes=False)
    rows = answer.to_table().to_pylist()
    return answer, {(row["topic"], row["partition"]): row for row in rows if row["relation"] != "missing"}


def sound(case: ClusterCase) -> dict[Name, list[set[int]]]:
    """By partition the offsets of the log that are sound at each of the first two nodes."""
    names = [f"n{node}" for node in sorted(map(int, case.info["nodes"]))[:2]]
    return {
        (row["topic"], row["partition"]): [{offset for offset, _, at in row["must"] if name in at} for name in names]
        for row in case.jsonl("sound.jsonl")
    }


@pytest.mark.slow
@pytest.mark.parametrize("number", [28, 29])
def test_of_damaged_replicas_each_lacks_what_is_sound_only_at_the_other(number: int, tmp_path: Path) -> None:
    case = cluster_case(number)
    answer, rows = compared(case, tmp_path)
    expected = sound(case)
    records = answer.to_table("records").to_pylist()
    ends = {
        (row["node"], row["topic"], row["partition"]): row["logEndOffset"]
        for row in case.jsonl("partitions.jsonl")
        if row["action"] in ("keep", "recover")
    }
    for name, row in rows.items():
        if name not in expected:
            continue
        first, second = expected[name]
        assert row["damaged"] == [len(second - first), len(first - second)], name
        only = {
            which: {
                each["offset"]
                for each in records
                if (each["topic"], each["partition"]) == name and each["differs"] == [f"only in {which}"]
            }
            for which in ("first", "second")
        }
        assert only == {"first": first - second, "second": second - first}
        # What both have is the same, and the brokers end both logs at the same offset, where they are not recovered.
        assert row["relation"] == "equal"
        after = [ends[(node, *name)] for node in (1, 2)]
        cuts = {each for each in row["remarks"] if "next start" in each}
        if number == 28:
            assert (row["logEndOffsets"], cuts) == (after, set())
        else:
            named = zip(("first", "second"), row["logEndOffsets"], after, strict=True)
            assert cuts == {f"the next start cuts {which} to {end}" for which, was, end in named if end < was}
        for lacks, which in ((first, "first"), (second, "second")):
            lost = sorted((first | second) - lacks)
            said = [each for each in row["remarks"] if f"{which} lacks" in each and "(damaged)" in each]
            assert len(said) == bool(lost)
            assert all(str(min(lost)) in each for each in said)
        # The brokers cut nothing after an orderly stop; after a kill each cut its log at its damage, and then follows.
        end = min(ends[(node, *name)] for node in (1, 2))
        assert row["lostIfFirstLeads"] == sum(offset >= end for offset in second)
        assert row["lostIfSecondLeads"] == sum(offset >= end for offset in first)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "missing"), [(30, False), (32, True)])
def test_copies_of_brokers_that_were_not_stopped_may_be_of_other_moments(
    number: int, missing: bool, tmp_path: Path
) -> None:
    case = cluster_case(number)
    said = "if the brokers ran while they were copied, the log that was copied later is longer"
    answer, rows = compared(case, tmp_path / "compared")
    assert any(row["relation"] == "prefix" for row in rows.values())
    assert any(said in note and not note.is_finding for note in answer.notes) == missing
    nodes = case.unpack(tmp_path / "verified")
    verified = kafkafmt.open([str(path) for paths in nodes.values() for path in paths]).verify(level="headers")
    assert any(said in note for note in verified.notes) == missing


@pytest.mark.parametrize("number", [30, 32])
def test_a_shorter_replica_is_a_prefix_and_the_longer_would_be_cut(number: int, tmp_path: Path) -> None:
    case = cluster_case(number)
    _, rows = compared(case, tmp_path)
    for name, (first, second) in sound(case).items():
        if name not in rows:
            continue
        row = rows[name]
        assert row["relation"] == ("equal" if first == second else "prefix"), name
        assert (row["damaged"], row["firstDivergentOffset"]) == ([0, 0], None)
        assert (row["lostIfFirstLeads"], row["lostIfSecondLeads"]) == (len(second - first), len(first - second))


def test_a_fork_is_found_where_the_newer_epoch_begins(tmp_path: Path) -> None:
    case = cluster_case(33)
    _, rows = compared(case, tmp_path)
    forks = {
        (row["topic"], row["partition"]): min(offset for offset, _, _ in row["may"])
        for row in case.jsonl("sound.jsonl")
        if row["may"] and row["topic"] in ("orders", "payments")
    }
    found = {name: row["firstDivergentOffset"] for name, row in rows.items() if row["relation"] == "diverged"}
    assert found == {name: offset for name, offset in forks.items() if name in rows}
    assert found


def test_an_emptied_segment_and_a_wrong_base_offset_are_named(tmp_path: Path) -> None:
    """Both copies are whole in golden/cluster, 01; no CRC covers either damage."""
    nodes = cluster_case(1).unpack(tmp_path)
    _, emptied, following = sorted((nodes[1][0] / "orders-0").glob("*.log"))
    emptied.write_bytes(b"")
    last = max((nodes[1][1] / "orders-2").glob("*.log"))
    content = bytearray(last.read_bytes())
    at = 0
    while (end := at + 12 + int.from_bytes(content[at + 8 : at + 12], "big")) < len(content):
        at = end
    base = int.from_bytes(content[at : at + 8], "big")
    content[at : at + 8] = (base + 1000).to_bytes(8, "big")
    last.write_bytes(content)
    answer = compare(tmp_path / "n1", tmp_path / "n2", topics="orders").to_table().to_pylist()
    low, high = int(emptied.stem), int(following.stem) - 1
    assert [(row["relation"], row["remarks"]) for row in answer] == [
        ("diverged", [f"first lacks {high - low + 1} records (offsets {low}-{high})"]),
        ("equal", []),
        (
            "diverged",
            [
                f"first lacks {61 - base} records (offsets {base}-60)",
                f"a wrong base offset in first: the batch at {base + 1000} is the one that second has at {base}",
            ],
        ),
    ]
