"""What verify advises first about a node with damaged logs: to repair it, and to delete nothing before."""

import shutil
from pathlib import Path

import pytest

from kafkafmt.startup.verify import verify
from kafkafmt.survey.advice import INDEX, SNAPSHOT
from tests.golden_cases import cluster_case
from tests.startup.test_golden_starts import unpack


@pytest.mark.slow
@pytest.mark.parametrize("number", [26, 30, 37])
def test_damage_of_one_node_is_to_be_repaired_from_another(number: int, tmp_path: Path) -> None:
    """Kafka deletes what the advice was to delete, or rebuilt it from less (golden/cluster: `repair` is "all")."""
    nodes = cluster_case(number).unpack(tmp_path)
    found = [each for each in verify([str(tmp_path / "n1")]).found if each.level == "finding"]
    dirs = " ".join(map(str, nodes[1]))
    command = f"before the start: kafkafmt repair {dirs} --from OTHER_NODE --out repaired-1 (OTHER_NODE: "
    assert command in found[0].advice
    assert not [each for each in found if "delete" in each.advice]


@pytest.mark.slow
def test_other_nodes_among_the_paths_are_the_donors(tmp_path: Path) -> None:
    nodes = cluster_case(29).unpack(tmp_path)
    found = [each for each in verify([str(tmp_path)]).found if each.kind == "checksum"]
    ours, theirs = (nodes[number] for number in (1, 2))
    command = " ".join(["kafkafmt repair", *map(str, ours), *(f"--from {each}" for each in theirs)])
    on_node = {each.advice for each in found if each.path.startswith(f"{tmp_path}/n1/")}
    assert on_node == {f"before the start: {command} --out repaired-1"}


def test_a_wrong_index_alone_is_still_to_be_deleted(tmp_path: Path) -> None:
    """Kafka rebuilds the indexes then: tests/golden/advice."""
    nodes = cluster_case(1).unpack(tmp_path)
    index = next(path for path in sorted((nodes[1][0] / "orders-0").glob("*.index")) if path.stat().st_size)
    index.write_bytes(index.read_bytes()[:-1] + b"\x03")
    found = [each for each in verify([str(tmp_path / "n1")]).found if each.level == "finding"]
    assert INDEX in {each.advice for each in found}
    assert not any("repair" in each.advice for each in found)


def test_a_snapshot_alone_is_still_to_be_deleted(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    snapshot = max((nodes[1][1] / "payments-0").glob("*.snapshot"))
    shutil.copy(snapshot, snapshot.with_name(f"{int(snapshot.stem) + 100:020d}.snapshot"))
    found = [each for each in verify([str(tmp_path / "n1")]).found if each.level == "finding"]
    assert {each.advice for each in found} == {SNAPSHOT}


def test_zeros_alone_at_the_end_keep_their_advice_and_beside_damage_are_repaired(tmp_path: Path) -> None:
    """Without the mark of an orderly stop Kafka cuts every log at its damage, not only the zeros."""
    unpack("75-clean-zero-tail", tmp_path)
    named = [str(tmp_path / name) for name in ("d0", "d1")]
    (blocker,) = [each for each in verify(named).found if each.kind == "does not start"]
    assert blocker.advice.startswith("delete .kafka_cleanshutdown")
    segment = next(
        path
        for path in sorted(tmp_path.glob("d*/orders-*/*.log"))
        if path.stat().st_size > 300 and str(path) != blocker.path
    )
    data = bytearray(segment.read_bytes())
    data[100] ^= 1
    segment.write_bytes(data)
    (blocker,) = [each for each in verify(named).found if each.kind == "does not start"]
    assert blocker.advice.startswith("before the start: kafkafmt repair ")
