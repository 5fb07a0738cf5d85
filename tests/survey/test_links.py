"""Partitions that are links, as real brokers followed them: tests/golden/cluster/35."""

from pathlib import Path

from kafkafmt.disks import Disks
from kafkafmt.survey import survey
from tests.golden_cases import cluster_case


def test_what_a_partition_is_a_link_to_is_no_log_directory(tmp_path: Path) -> None:
    nodes = cluster_case(35).unpack(tmp_path)
    paths = [str(path) for each in nodes.values() for path in each]
    assert [each.facts.path for each in survey(tmp_path)] == paths
    disks = Disks(tmp_path)
    assert [each.path for each in disks.verify(level="headers").found if each.kind == "no clean shutdown"] == []
    (note,) = disks.link_notes
    assert note.startswith("links to directories are followed, as by Kafka: ")
    assert f"{tmp_path / 'n2/d0/orders-1'} ({tmp_path / 'n2/moved/orders-1'})" in note


def test_what_was_named_itself_is_shown(tmp_path: Path) -> None:
    cluster_case(35).unpack(tmp_path)
    (found,) = survey(tmp_path / "n2" / "moved")
    assert [each.facts.path for each in found.partitions()] == [str(tmp_path / "n2" / "moved" / "orders-1")]


def test_a_directory_of_no_node_with_another_partition_is_shown(tmp_path: Path) -> None:
    cluster_case(35).unpack(tmp_path)
    (tmp_path / "n2" / "moved" / "orders-1").rename(tmp_path / "n2" / "moved" / "orders-9")
    assert [each.facts.path for each in survey(tmp_path)][-1] == str(tmp_path / "n2" / "moved")
