"""A move between log directories that the controller knew before the broker stopped, as Kafka 4.4.0 completed it.

orders-1 was renamed `-future` in d1, to which the metadata log assigns it, alone and beside an older copy in d0.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from tests.golden_cases import cluster_case
from tests.startup.test_golden_starts import unpack

FUTURE = f"orders-1.{'0123456789abcdef' * 2}-future"


@pytest.fixture
def node(tmp_path: Path) -> list[Path]:
    unpack("01-clean", tmp_path)
    (tmp_path / "d1" / "orders-1").rename(tmp_path / "d1" / FUTURE)
    return [tmp_path / "d0", tmp_path / "d1"]


def older_copy(node: list[Path]) -> Path:
    copy = node[0] / "orders-1"
    shutil.copytree(node[1] / FUTURE, copy)
    for file in copy.glob("00000000000000000057.*"):
        file.unlink()
    return copy


def verified(log_dirs: list[Path]) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    answer = kafkafmt.open(log_dirs).verify(level="headers")
    rows = {row["path"]: row for row in answer.partitions.to_pylist()}
    return rows, [row for row in answer.findings.to_pylist() if row["kind"] == "future"]


def test_a_future_in_the_assigned_directory_becomes_the_partition(node: list[Path]) -> None:
    rows, (note,) = verified(node)
    assert (rows[str(node[1] / FUTURE)]["action"], rows[str(node[1] / FUTURE)]["logEndOffset"]) == ("keep", 91)
    assert (note["level"], note["path"]) == ("note", str(node[1] / FUTURE))


def test_it_replaces_the_other_copy(node: list[Path]) -> None:
    copy = older_copy(node)
    rows, (note,) = verified(node)
    assert (rows[str(copy)]["action"], rows[str(copy)]["logEndOffset"]) == ("delete", None)
    assert note["level"] == "note"
    assert f"deletes {copy}" in note["message"]


def test_offsets_that_only_the_replaced_copy_has_are_a_finding(node: list[Path]) -> None:
    copy = node[0] / "orders-1"
    shutil.copytree(node[1] / FUTURE, copy)
    for file in (node[1] / FUTURE).glob("00000000000000000057.*"):
        file.unlink()
    _, (finding,) = verified(node)
    assert finding["level"] == "finding"
    assert "34 offsets are not in the copy" in finding["message"]


@pytest.mark.parametrize(("has_copy", "advice"), [(False, "kafkafmt repair --from"), (True, "repair the node")])
def test_damage_in_it_is_a_finding(node: list[Path], has_copy: bool, advice: str) -> None:
    """Kafka 4.4.0 after the move: "Record batch for partition orders-0 at offset 2 is invalid", of 76 offsets."""
    if has_copy:
        older_copy(node)
    file = node[1] / FUTURE / "00000000000000000000.log"
    content = bytearray(file.read_bytes())
    content[100] ^= 1
    file.write_bytes(content)
    _, (finding,) = verified(node)
    assert finding["level"] == "finding"
    assert "with damage at offset 0, where consumers stop" in finding["message"]
    assert finding["advice"].startswith(advice)


def test_a_future_elsewhere_does_not(node: list[Path]) -> None:
    (node[1] / FUTURE).rename(node[0] / FUTURE)
    _, (finding,) = verified(node)
    assert finding["level"] == "finding"
    assert finding["message"].startswith("a copy whose original is gone")


@pytest.mark.slow
@pytest.mark.parametrize("has_copy", [True, False])
def test_a_repair_uses_it(node: list[Path], tmp_path: Path, has_copy: bool) -> None:
    if has_copy:
        older_copy(node)
    repaired = kafkafmt.repair(node, tmp_path / "new")
    (row,) = (row for row in repaired.partitions.to_pylist() if (row["topic"], row["partition"]) == ("orders", 1))
    assert (row["keptRecords"], row["logDir"]) == (91, str(node[1]))
    assert sorted(path.name for path in (tmp_path / "new").glob("d?/orders-1*")) == ["orders-1"]
    assert any("is used as the partition" in each for each in repaired.notes)


@pytest.mark.slow
def test_it_leads_and_follows_as_the_partition(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    log_dirs = [path for paths in nodes.values() for path in paths]
    before = kafkafmt.open(log_dirs).verify().to_table("cluster").to_pylist()
    for path in sorted(path for log_dir in log_dirs for path in log_dir.glob("orders-*")):
        path.rename(path.with_name(FUTURE.replace("orders-1", path.name)))
    assert kafkafmt.open(log_dirs).verify().to_table("cluster").to_pylist() == before
