"""Repair of lost metadata logs: where they are created, and what their nodes remember about elections."""

import shutil
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.files import quorum_state
from tests.golden_cases import cluster_case
from tests.repairing.test_clusters import check

METADATA = "__cluster_metadata-0"
STATE = f"{METADATA}/quorum-state"


def alone(nodes: dict[int, list[Path]], out: Path) -> dict[int, list[str]]:
    """Repair each node separately with the others as donors; return the notes."""
    out.mkdir()
    notes = {}
    for node, own in nodes.items():
        others = [path for other, dirs in nodes.items() if other != node for path in dirs]
        answer = kafkafmt.repair(own, out / f"n{node}", donors=others)
        notes[node] = [str(note) for note in answer.notes]
    return notes


def states(made: Path) -> dict[int, quorum_state.QuorumState]:
    """The quorum-state files below a repaired folder, by node id."""
    found = {}
    for path in sorted(made.rglob("quorum-state")):
        properties = kafkafmt.LogDir(path.parent.parent).meta_properties
        assert properties is not None
        assert properties.node_id is not None
        found[properties.node_id] = quorum_state.read(path)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["metadata log lost", "quorum-state lost", "quorum-state broken", "restored"])
def test_the_last_leader_does_not_end_on_what_it_has_forgotten(damage: str, tmp_path: Path) -> None:
    """Seed 5308 of tools/proof: others follow it as leader of an epoch in which it does not lead (KafkaRaftClient)."""
    case = cluster_case(5)
    nodes = case.unpack(tmp_path / "before")
    before = states(tmp_path / "before")
    epoch = max(each.leader_epoch for each in before.values())
    (leader,) = {each.leader_id for each in before.values() if each.leader_epoch == epoch}
    place = nodes[leader][0] / STATE
    if damage == "metadata log lost":
        shutil.rmtree(place.parent)
    elif damage == "quorum-state lost":
        place.unlink()
    elif damage == "quorum-state broken":
        place.write_bytes(b"\0" * 40)
    else:
        place.write_bytes(place.read_bytes().replace(b'"leaderEpoch":%d' % epoch, b'"leaderEpoch":%d' % (epoch - 1)))
    notes = alone(nodes, tmp_path / "after")
    check(case, tmp_path / "after")
    made = states(tmp_path / "after")
    assert all(made[node].raw == each.raw for node, each in before.items() if node != leader)
    own = made[leader]
    assert (own.leader_id, own.voted_id, own.leader_epoch, own.current_voters) == (-1, -1, epoch + 1, (1, 2, 3))
    assert any(f"with leader epoch {epoch + 1}" in note for note in notes[leader])


@pytest.mark.slow
def test_a_broker_that_is_not_a_voter_gets_no_quorum_state(tmp_path: Path) -> None:
    """A leader rejects fetches with a later epoch than its own."""
    case = cluster_case(24)
    nodes = case.unpack(tmp_path / "before")
    alone(nodes, tmp_path / "after")
    check(case, tmp_path / "after")
    assert set(states(tmp_path / "after")) == {1}


@pytest.mark.slow
def test_directories_exchanged_and_the_metadata_log_lost(tmp_path: Path) -> None:
    """Seed 5202 of tools/proof: the other directory of the node is among the donors, and has no metadata log."""
    case = cluster_case(1)
    nodes = case.unpack(tmp_path / "before")
    shutil.rmtree(nodes[1][0] / METADATA)
    nodes[1][1], nodes[2][1] = nodes[2][1], nodes[1][1]
    notes = alone(nodes, tmp_path / "after")
    check(case, tmp_path / "after")
    found = [path.parent for path in (tmp_path / "after").rglob(METADATA)]
    assert sorted(path.relative_to(tmp_path / "after").parts[0] for path in found) == ["n1", "n2"]
    assert any(f"it is created in the copy of {nodes[1][0]}" in note for note in notes[1])
    assert any(f"it belongs in the copy of {nodes[1][0]}" in note for note in notes[2])


@pytest.mark.slow
def test_no_metadata_log_is_made_while_a_directory_of_the_node_is_not_at_hand(tmp_path: Path) -> None:
    """A node with a metadata log in two directories does not start."""
    nodes = cluster_case(1).unpack(tmp_path / "before")
    shutil.rmtree(nodes[1][0] / METADATA)
    answer = kafkafmt.repair(nodes[1][0], tmp_path / "after", donors=nodes[2])
    assert not list((tmp_path / "after").rglob(METADATA))
    assert any("1 of its 2 log directories are named" in str(note) for note in answer.notes)
    moved = kafkafmt.repair(nodes[1][1], tmp_path / "moved", donors=[cluster_first(tmp_path), *nodes[2]])
    assert not list((tmp_path / "moved").rglob(METADATA))
    assert any("which is not in the source" in str(note) for note in moved.notes)


def cluster_first(tmp_path: Path) -> Path:
    """The first log directory of node 1, with its metadata log."""
    return cluster_case(1).unpack(tmp_path / "whole")[1][0]


@pytest.mark.slow
def test_a_metadata_log_of_another_cluster_is_of_no_use(tmp_path: Path) -> None:
    """The topic id of the metadata log is the same in every cluster."""
    nodes = cluster_case(1).unpack(tmp_path / "before")
    others = cluster_case(4).unpack(tmp_path / "other")
    damaged = nodes[1][0] / METADATA / "00000000000000000000.log"
    data = damaged.read_bytes()
    damaged.write_bytes(data[: len(data) // 2])
    answer = kafkafmt.repair(nodes[1], tmp_path / "after", donors=[path for dirs in others.values() for path in dirs])
    row = next(each for each in answer.partitions.to_pylist() if each["topic"] == "__cluster_metadata")
    assert row["sources"] == [str(nodes[1][0] / METADATA)]


@pytest.mark.slow
def test_a_partition_that_is_a_link_is_written_once(tmp_path: Path) -> None:
    """The broker uses the link: its target is not another copy."""
    case = cluster_case(35)
    nodes = case.unpack(tmp_path / "before")
    answer = kafkafmt.repair(tmp_path / "before", tmp_path / "after")
    check(case, tmp_path / "after")
    assert sorted(path.parent.name for path in (tmp_path / "after").rglob("orders-1")) == ["n1-d0", "n2-d0"]
    link, target = nodes[2][0] / "orders-1", tmp_path / "before" / "n2" / "moved" / "orders-1"
    assert link.resolve() == target
    assert f"{target} is written once, as {link}, which is a link to it" in map(str, answer.notes)
