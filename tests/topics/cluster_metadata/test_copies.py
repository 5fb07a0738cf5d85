"""Copies of several nodes: where they are found, which one is read, and its committed part."""

import shutil
from pathlib import Path

import pytest

from kafkafmt.errors import SourceError
from kafkafmt.topics.cluster_metadata import metadata
from kafkafmt.topics.cluster_metadata.copies import find_copies
from tests.golden_cases import GOLDEN
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID


def copy_of(root: Path, node_id: int, topics: int, epoch: int = 1, cluster_id: str = "c") -> Path:
    """A node with a leader change and a number of topics, the last one in the new epoch."""
    ids = [OTHER_ID[:-3] + f"{number:02d}g" for number in range(topics)]
    batches = [written.batch(1 + number, written.topic(f"t{number}", ids[number])) for number in range(topics)]
    if epoch > 1:
        batches[-1] = written.batch(topics, written.topic(f"of-epoch-{epoch}", ids[-1]), epoch=epoch)
    epochs = "0\n1\n1 0\n" if epoch == 1 else f"0\n2\n1 0\n{epoch} {topics}\n"
    return written.node(
        root / f"node-{node_id}",
        node_id,
        written.leader_change(0, 1),
        *batches,
        cluster_id=cluster_id,
        leader_epochs=epochs,
    )


def test_the_highest_epoch_then_the_highest_end_wins(tmp_path: Path) -> None:
    copy_of(tmp_path, 1, 5)
    copy_of(tmp_path, 2, 3, epoch=2)
    copy_of(tmp_path, 3, 2)
    cluster = metadata(tmp_path)
    assert list(cluster.topics) == ["of-epoch-2", "t0", "t1"]
    assert cluster.notes[0].startswith(f"read from {tmp_path}/node-2/__cluster_metadata-0 (leader epoch 2, log end 4)")
    assert "2 other copies not read" in cluster.notes[0]
    assert cluster.notes[0].index("node-1") < cluster.notes[0].index("node-3")
    # Node 1 holds records 3 to 5 of epoch 1, only one of which epoch 2 has; node 3 ends at 3.
    assert cluster.provenance.committed_offset == 3
    assert "records from offset 3 up to 3 may not be committed" in cluster.notes[1]


def test_what_a_majority_holds_is_committed(tmp_path: Path) -> None:
    copy_of(tmp_path, 1, 5)
    copy_of(tmp_path, 2, 4)
    cluster = metadata(tmp_path)
    assert cluster.provenance.committed_offset == 5
    assert cluster.notes[0].count("1 other copy not read") == 1
    as_of = metadata(tmp_path, at_offset=4)
    assert len(as_of.notes) == 1
    alone = metadata(tmp_path / "node-1")
    assert alone.provenance.committed_offset is None


def test_a_node_that_is_no_voter_does_not_count(tmp_path: Path) -> None:
    copy_of(tmp_path, 1, 5)
    copy_of(tmp_path, 99, 5)
    assert metadata(tmp_path).provenance.committed_offset is None


def test_an_older_copy_answers_what_the_best_one_has_forgotten(tmp_path: Path) -> None:
    best = copy_of(tmp_path, 1, 5)
    (best / "00000000000000000000.log").unlink()
    written.snapshot(best, 6, 2, written.topic("new"))
    copy_of(tmp_path, 2, 4)
    assert list(metadata(tmp_path).topics) == ["new"]
    cluster = metadata(tmp_path, at_offset=3)
    assert list(cluster.topics) == ["t0", "t1"]
    assert cluster.provenance.path.endswith("node-2/__cluster_metadata-0")


def test_disks_of_two_clusters_are_refused(tmp_path: Path) -> None:
    copy_of(tmp_path, 1, 1, cluster_id="one")
    copy_of(tmp_path, 2, 1, cluster_id="other")
    with pytest.raises(
        SourceError, match=r"these disks belong to 2 clusters; name those of one cluster: one: .*; other: "
    ):
        metadata(tmp_path)
    assert metadata([tmp_path / "node-1", tmp_path / "node-1" / "__cluster_metadata-0"]).cluster_id == "one"


def test_partitions_are_not_searched(tmp_path: Path) -> None:
    root = tmp_path / "disk"
    copy_of(root, 1, 1)
    for number in range(3):
        # In a directory with logs, a directory named like a partition is not a log directory.
        written.log(
            root / "node-1" / f"orders-{number}" / "x" / "__cluster_metadata-0", written.batch(0, written.topic())
        )
    assert [copy.partition.path for copy in find_copies(root)] == [f"{root}/node-1/__cluster_metadata-0"]
    plain = tmp_path / "plain"
    written.log(plain / "orders-0", written.batch(0, written.topic()))
    written.log(plain / "orders-1" / "__cluster_metadata-0", written.batch(0, written.topic()))
    assert find_copies(plain) == []


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    copy_of(tmp_path, 1, 1)
    (tmp_path / "round").symlink_to(tmp_path)
    assert len(find_copies(tmp_path)) == 1


def test_a_source_that_is_no_path() -> None:
    with pytest.raises(TypeError):
        metadata(3)  # type: ignore[arg-type]
    with pytest.raises(SourceError, match="cannot be read"):
        metadata("/nowhere/at/all")


def test_a_disk_that_was_replaced_is_no_voters_disk(tmp_path: Path) -> None:
    shutil.copytree(
        GOLDEN / "modern" / "10-cluster-metadata-4.3.1" / "log-dir" / "__cluster_metadata-0",
        tmp_path / "__cluster_metadata-0",
    )
    properties = tmp_path / "meta.properties"
    properties.write_text("version=1\nnode.id=1\ncluster.id=c\ndirectory.id=fslrEwXvRDmBZ8aK9v7G4Q\n")
    assert metadata(tmp_path).provenance.committed_offset == 353
    properties.write_text("version=1\nnode.id=1\ncluster.id=c\ndirectory.id=wiM4a-w-X9jQXM9Z15xIDg\n")
    assert metadata(tmp_path).provenance.committed_offset is None
