"""A dynamic quorum (KIP-853) whose nodes were reformatted or lost their metadata logs.

dynamic-quorum.tar.xz has three nodes of Kafka 4.4.0, each broker and controller, after a clean shutdown: d0 with the
metadata log, and d1; node 1 led epoch 1. Each test states what such nodes did on equally changed disks, started 1, 2,
3.
"""

import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from kafkafmt.startup.verification import Verification
from kafkafmt.startup.verify import verify

_ARCHIVE = Path(__file__).with_name("dynamic-quorum.tar.xz")
_ID = "AAAAAAAAAAAAAAAAAAAB{}w"


@pytest.fixture
def disks(tmp_path: Path) -> Path:
    with tarfile.open(_ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="fully_trusted")
    return tmp_path


def _format_anew(disks: Path, nodes: Sequence[int]) -> None:
    for node in nodes:
        properties = disks / f"n{node}/d0/meta.properties"
        text = properties.read_text()
        properties.write_text(text.replace(_ID.format(node), f"FormattedAnew{node}AAAAAAAw"))
        shutil.rmtree(disks / f"n{node}/d0/__cluster_metadata-0")


def _starts(answer: Verification) -> dict[int, bool | None]:
    return {row["nodeId"]: row["starts"] for row in answer.verdict.to_pylist()}


def _verify(disks: Path) -> Verification:
    return verify([str(disks / f"n{node}") for node in (1, 2, 3)], level="headers")


def test_sound_disks_start(disks: Path) -> None:
    answer = _verify(disks)
    assert _starts(answer) == {1: True, 2: True, 3: True}
    assert not answer.has_findings


def test_a_voter_that_was_formatted_anew_only_follows(disks: Path) -> None:
    """All nodes started; the voters that node 1 named had another directory id for node 2, which stayed unattached."""
    _format_anew(disks, [2])
    answer = _verify(disks)
    assert _starts(answer) == {1: True, 2: True, 3: True}
    (found,) = [each for each in answer.found if each.kind == "no vote"]
    assert found.message.startswith(f"the voters have node 2 with directory.id={_ID.format(2)}, and its metadata log")
    assert f"remove-controller --controller-id 2 --controller-directory-id {_ID.format(2)}, then" in found.advice
    assert not [each for each in answer.found if each.kind == "not led" and each.level == "finding"]
    assert answer.clusters[0].quorum.without_vote == (2,)


def test_no_controller_is_elected_where_a_majority_lost_the_vote(disks: Path) -> None:
    """No node started: node 1 asked for votes, and nobody had one. With the old directory ids all of them started."""
    _format_anew(disks, [2, 3])
    answer = _verify(disks)
    assert _starts(answer) == {1: None, 2: None, 3: None}
    assert answer.headlines[0].startswith("Node 1 waits for a controller: nodes 2 and 3 have lost the vote.")
    (found,) = [each for each in answer.found if each.kind == "no quorum"]
    assert found.message.startswith("nodes 2, 3, of 3 controllers, do not start, or vote: no controller is elected")
    advice = {each.advice for each in answer.found if each.kind == "no vote"}
    assert all("back into meta.properties" in each for each in advice)


def test_voters_without_metadata_logs_elect_one_that_has_it(disks: Path) -> None:
    """Nodes 2 and 3 started, and 3 led. Node 1 ended: node 3 knew that it had led. In a static quorum 1 and 2 elect."""
    for node in (1, 2):
        shutil.rmtree(disks / f"n{node}/d0/__cluster_metadata-0")
    answer = _verify(disks)
    assert _starts(answer) == {1: None, 2: True, 3: True}
    assert answer.nodes[1].without_metadata_log == "it copies that of controller 3, if it is up first"
    (cluster,) = answer.clusters
    assert not cluster.quorum.is_lost
    assert cluster.quorum.leading is not None
    assert cluster.quorum.leading.number == 3


def test_no_controller_is_elected_where_all_metadata_logs_are_lost(disks: Path) -> None:
    """No node started: none knew the voters, and their brokers gave up after a minute."""
    metadata = shutil.copytree(disks / "n1/d0", disks / "backup")
    for node in (1, 2, 3):
        shutil.rmtree(disks / f"n{node}/d0/__cluster_metadata-0")
    for path in metadata.iterdir():
        if path.is_file():
            path.unlink()
    named = [str(disks / f"n{node}") for node in (1, 2, 3)]
    answer = verify(named, level="headers", metadata=str(metadata))
    assert _starts(answer) == {1: None, 2: None, 3: None}
    assert all("none has a metadata log, so none knows the voters" in each for each in answer.headlines)
