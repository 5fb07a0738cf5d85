"""Misplaced log directories, on the disks of tests/golden/cluster: the advice of verify, and its effect."""

import shutil
from pathlib import Path
from shlex import quote

import pytest

from kafkafmt import extract, repair
from kafkafmt.operations import compaction
from kafkafmt.startup.verification import Verification
from kafkafmt.startup.verify import verify
from tests.golden_cases import GOLDEN, cluster_case


def _verify(*paths: Path, node_id: int | None = None) -> Verification:
    return verify([str(path) for path in paths], level="headers", node_id=node_id)


def _advice(answer: Verification) -> dict[str, str]:
    return {each.path: each.advice for each in answer.found if each.kind == "does not start"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "file", "advice"),
    [
        (9, "{}/meta.properties", "exchange {n1} and {n2}: each belongs to the other's node"),
        (10, "{}/", "exchange the partitions of {n1} and {n2}, but not their meta.properties: "),
    ],
)
def test_exchanged_directories_are_to_be_exchanged_back(number: int, file: str, advice: str, tmp_path: Path) -> None:
    cluster_case(number).unpack(tmp_path)
    places = {name: str(tmp_path / name / "d1") for name in ("n1", "n2")}
    found = _advice(_verify(tmp_path))
    assert len(set(found.values())) == 1
    assert next(iter(found.values())).startswith(advice.format(**places))
    for place in places.values():
        assert any(path.startswith(file.format(place)) for path in found)


def test_a_disk_of_another_node_goes_back_there(tmp_path: Path) -> None:
    """Only this directory of node 1 is given: the metadata log shows which one is missing."""
    cluster_case(9).unpack(tmp_path)
    own = (tmp_path / "n2/d1/meta.properties").read_text().partition("directory.id=")[2].split()[0]
    advice = f"it belongs to node 2: put it back there, and in its place node 1's own (directory.id {own})"
    assert list(_advice(_verify(tmp_path / "n1")).values()) == [advice]


def test_a_directory_beyond_those_of_its_node_is_taken_out(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    answer = _verify(*nodes[1], nodes[2][1], node_id=1)
    assert list(_advice(answer).values()) == [
        "it belongs to node 2, and node 1 has all of its own: remove it from log.dirs"
    ]


def test_logs_that_end_before_their_last_records_are_in_the_headline(tmp_path: Path) -> None:
    """Kafka ended the logs there without truncating a byte (golden/cluster, 37)."""
    case = cluster_case(37)
    case.unpack(tmp_path)
    ends = {each["path"]: each["logEndOffset"] for each in case.jsonl("partitions.jsonl")}
    assert (ends["n1/d0/orders-0"], ends["n1/d0/solo-0"], ends["n2/d1/orders-0"]) == (53, 24, 53)
    one, two = _verify(tmp_path).headlines
    assert one.startswith("Node 1 starts, but Kafka does not see the last 20 records of 2 logs; ")
    assert two.startswith("Node 2 starts, but Kafka does not see the last 7 records of 1 log; ")


def test_a_log_that_its_node_has_lost_is_a_finding(tmp_path: Path) -> None:
    """A broker started on these disks created a new, empty log (golden/cluster, 18); nothing else shows it."""
    cluster_case(18).unpack(tmp_path)
    (served,) = [
        each for each in cluster_case(18).jsonl("served.jsonl") if (each["topic"], each["partition"]) == ("solo", 0)
    ]
    assert (served["leader"], served["latest"]) == (1, 0)
    answer = _verify(tmp_path / "n1")
    (lost,) = [each for each in answer.found if each.kind == "absent log"]
    assert (lost.level, lost.topic, lost.partition) == ("finding", "solo", 0)
    assert lost.path == str(tmp_path / "n1" / "d0" / "solo-0")
    assert lost.message.endswith("checkpoints know it up to offset 42, but no log directory of the node has it")
    assert lost.advice == "Kafka makes a new, empty log here; put the directory back before the start"
    assert answer.headlines == ["Node 1 starts, but it begins 1 partition anew, whose log is not here."]


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17])
def test_no_log_is_missed_that_is_there_or_was_never_made(number: int, tmp_path: Path) -> None:
    cluster_case(number).unpack(tmp_path)
    assert [each.path for each in _verify(tmp_path).found if each.kind == "absent log"] == []


@pytest.mark.slow
def test_a_partition_of_another_node_goes_back_there(tmp_path: Path) -> None:
    """Node 1 has the only replica of a partition of node 2, which would begin with a new, empty log."""
    cluster_case(18).unpack(tmp_path)
    (stray,) = [each for each in _verify(tmp_path).found if each.kind == "stray" and each.level == "finding"]
    assert stray.advice.endswith(
        "has lost it, move it to a log.dir there before it starts, while both nodes are stopped: else it makes a new, "
        "empty log, which may lead meanwhile"
    )
    nodes = {name: tmp_path / name / "d1" for name in ("n1", "n2")}
    here = Path(stray.path).relative_to(tmp_path).parts[0]
    there = nodes["n1" if here == "n2" else "n2"]
    Path(stray.path).rename(there / Path(stray.path).name)
    answer = _verify(tmp_path)
    assert not answer.has_findings
    assert all(row["elsewhere"] == 0 for row in answer.cluster.to_pylist())


def test_a_wrong_node_id_is_corrected(tmp_path: Path) -> None:
    cluster_case(7).unpack(tmp_path)
    (advice,) = _advice(_verify(tmp_path)).values()
    assert advice == "write node.id=2 into it: by the metadata log its directory.id is of node 2"


def test_a_directory_id_twice_is_that_of_the_other_directory_once(tmp_path: Path) -> None:
    nodes = cluster_case(6).unpack(tmp_path)
    lost = next(
        line
        for line in cluster_case(1).unpack(tmp_path / "sound")[2][1].joinpath("meta.properties").read_text().split()
        if line.startswith("directory.id=")
    )
    (advice,) = _advice(_verify(tmp_path / "n1", tmp_path / "n2")).values()
    assert advice.startswith(f"write {lost} into meta.properties of {nodes[2][1]}: the metadata log has this")


def test_a_node_that_waits_says_that_it_does_not_start_then(tmp_path: Path) -> None:
    """10-contents-swapped: node 2 waits for the controller, and would stop for the partitions that it has twice."""
    cluster_case(10).unpack(tmp_path)
    first, second = _verify(tmp_path).headlines
    assert first.startswith("Node 1 does not start. Reason: the same partition is in")
    assert "waits for a controller: node 1 does not start. Once a controller is up, it does not start: the " in second


def test_directories_told_apart_by_their_ids_alone_are_named(tmp_path: Path) -> None:
    nodes = cluster_case(9).unpack(tmp_path / "case")
    flat = []
    for number, path in enumerate(path for paths in nodes.values() for path in paths):
        flat.append(path.rename(tmp_path / f"disk-{number}"))
    answer = _verify(*flat)
    assert {row["starts"] for row in answer.verdict.to_pylist()} == {True}
    assert f"({flat[0]}, {flat[3]}: node 1; {flat[1]}, {flat[2]}: node 2)" in str(answer.notes[0])
    assert "--node-id" in str(answer.notes[0])
    assert _advice(_verify(flat[0], flat[1], node_id=1))


def test_a_directory_that_was_not_named_is_a_note(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    text = "the metadata log has 2 log directories of node 1, and 1 of them is named: the other is not judged"
    assert any(str(note).startswith(text) for note in _verify(nodes[1][0]).notes)
    assert not any(str(note).startswith("the metadata log has") for note in _verify(*nodes[1]).notes)


def test_what_keeps_nodes_down_comes_before_what_follows(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    nodes[1][1].rename(tmp_path.parent / f"{tmp_path.name}-gone")
    kinds = [each.kind for each in _verify(tmp_path).found if each.level == "finding"]
    assert kinds == ["log directory", *["cluster cut"] * 5]


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_headline_without_a_metadata_log_is_a_sentence(is_alone: bool, tmp_path: Path) -> None:
    if is_alone:
        cluster_case(22).unpack(tmp_path)
        (headline,) = _verify(tmp_path / "n1").headlines
        assert headline == (
            "Node 1 starts, but it has no metadata log: a broker has run on it, so it is judged as a controller, which "
            "starts as a new, empty cluster and sets 10 partitions aside."
        )
    else:
        cluster_case(20).unpack(tmp_path)
        undecided = "can start, but whether it stays up depends on the order of starts: controllers 1 and 2 have no"
        undecided += " metadata log."
        assert _verify(tmp_path).headlines == [
            f"Node 1 {undecided} If it starts, it sets 8 partitions aside.",
            f"Node 2 {undecided} If it starts, it sets 9 partitions aside.",
            f"Node 3 {undecided}",
        ]


def test_a_damaged_log_is_counted_also_where_it_is_set_aside(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "modern/06-retention-4.3.1/log-dir", tmp_path / "d")
    segment = tmp_path / "d/by-size-0/00000000000000000060.log"
    segment.write_bytes(segment.read_bytes()[:100] + b"?" + segment.read_bytes()[101:])
    (headline,) = verify([str(tmp_path / "d")], level="checksums").headlines
    assert headline.endswith(" and sets 6 partitions aside; 1 log is damaged.")


def test_a_stray_is_one_only_if_the_node_starts_without_metadata(tmp_path: Path) -> None:
    """Nodes 1 and 2 of golden/cluster/20 stopped; fact 5 of its README shows the cost of new, empty logs."""
    cluster_case(20).unpack(tmp_path)
    strays = [each for each in _verify(tmp_path).found if each.kind == "stray"]
    assert {each.message for each in strays} == {
        "a stray if the node, which has no metadata log, starts as a new, empty cluster"
    }
    (advice,) = {each.advice for each in strays}
    assert "it makes a new, empty log here, which may lead meanwhile" in advice


@pytest.mark.slow
def test_advice_on_a_lost_directory_is_a_command_that_repairs(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    shutil.rmtree(nodes[1][1])
    found = {each.kind: each.advice for each in _verify(tmp_path).found if each.level == "finding"}
    donors = " ".join(f"--from {quote(str(path))}" for path in nodes[2])
    command = f"kafkafmt repair {nodes[1][0]} NEW_DIR {donors} --out repaired-1"
    assert f"if it is lost: {command} (NEW_DIR: an empty directory in place of the lost one)" in found["log directory"]
    assert f"with the other nodes as --from: {command} (NEW_DIR: " in found["cluster cut"]
    (tmp_path / "new").mkdir()
    repair([nodes[1][0], tmp_path / "new"], tmp_path / "repaired", donors=nodes[2])
    again = _verify(tmp_path / "repaired" / nodes[1][0].name, tmp_path / "repaired" / "new", *nodes[2])
    assert all(row["elsewhere"] == 0 and row["leader"] for row in again.cluster.to_pylist())


@pytest.mark.slow
def test_lost_meta_properties_are_written_again(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    file = nodes[2][1] / "meta.properties"
    lost = set(file.read_text().split())
    file.unlink()
    (advice,) = _advice(_verify(tmp_path)).values()
    lines = advice.removeprefix("write it again with the lines ").split(", ")
    assert set(lines) <= lost
    assert len(lines) == 4
    for each in nodes[2][1].iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    (advice,) = _advice(_verify(*nodes[1], *nodes[2])).values()
    anew = "kafka-storage.sh format --cluster-id KAjmxRZzpLOrWwEtcNPLzA --ignore-formatted --no-initial-controllers"
    assert advice.endswith(f"if it never had any, {anew} --config server.properties")


@pytest.mark.slow
def test_an_empty_directory_beside_log_directories_is_named(tmp_path: Path) -> None:
    """The node did not start on it: "No `meta.properties` found in d1" (golden/cluster, 11)."""
    cluster_case(11).unpack(tmp_path)
    (tmp_path / "n3/d1").mkdir(exist_ok=True)
    for name in ("n3/lost+found", "n3/.snapshot", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "n3/notes").mkdir()
    (tmp_path / "n3/notes/readme").touch()
    notes = [str(note) for note in _verify(tmp_path).notes if "is empty" in str(note)]
    assert len(notes) == 1
    assert notes[0].startswith(f"{tmp_path / 'n3/d1'} is empty, next to log directories: not judged; ")
    named = _verify(tmp_path / "n3/d0", tmp_path / "n3/d1", tmp_path / "n3/d2")
    assert not any("is empty" in str(note) for note in named.notes)


def test_copies_without_a_metadata_log_say_why_they_are_judged_as_they_are(tmp_path: Path) -> None:
    """A broker writes log-start-offset-checkpoint and cleaner-offset-checkpoint within minutes; `extract` does not."""
    nodes = cluster_case(1).unpack(tmp_path / "disks")
    extract([str(each) for each in nodes[2]], str(tmp_path / "bug"), topics="orders")
    compaction([str(each) for each in nodes[2]], topics="users", out=str(tmp_path / "cleaned"))
    bug, cleaned = _verify(tmp_path / "bug"), _verify(tmp_path / "cleaned")
    assert (bug.has_findings, bug.verdict["starts"].to_pylist()) == (False, [True])
    assert bug.headlines == ["Node 2 starts; whether it sets partitions aside is not known without a metadata log."]
    assert any(str(note).startswith("no broker has run on these directories (") for note in bug.notes)
    (finding,) = [each for each in cleaned.found if each.kind == "no_metadata_log"]
    assert "a broker has run on it, so it is judged as a controller" in finding.message
    assert "if it is only a broker, or these are copies of some partitions, name the" in finding.advice
