"""The joint behaviour of all nodes of a cluster, compared with real clusters of Kafka 4.4.0 (tests/golden/cluster)."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kafkafmt import repair
from kafkafmt.disks import Disks
from kafkafmt.startup.cluster import start_clusters
from kafkafmt.startup.cluster_findings import cluster_findings, cluster_notes
from kafkafmt.startup.node_start import NodeStart
from kafkafmt.startup.reachable_metadata import ReachableMetadata, metadata_logs
from kafkafmt.startup.verification import Verification
from kafkafmt.startup.verify import VerifyLevel, verify
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.golden_cases import ClusterCase, cluster_case, cluster_cases

SEVERAL = [case for case in cluster_cases() if len(case.info["nodes"]) > 1]
SEEN_BY_CRC = (25, 26, 27, 28, 29)
"""Damage that only a CRC shows: by headers alone a consumer seems to continue."""

EXCEPTIONS = {
    "22-metadata-lost-controller": "clients are answered by the broker, whose own copy of the metadata log is whole: "
    "it names leaders, of which none serves",
}
"""Cases whose leader and in-sync nodes differ from what clients are told."""


def _verify(case: ClusterCase, target: Path) -> Verification:
    named = [path for paths in case.unpack(target).values() for path in paths]
    level: VerifyLevel = "checksums" if int(str(case)[:2]) in SEEN_BY_CRC else "headers"
    return Disks(named, skip_unreadable=True).verify(level=level)  # as in the command: one may be missing


def _registered(node: NodeStart, changes: dict[str, Any]) -> None:
    """Change the registration of orders-0 in a node's metadata log, and make it the topic's only partition."""
    assert node.own is not None
    orders = node.own.topics["orders"]
    changed = {0: replace(orders.partitions[0], **changes)}
    node.own = replace(node.own, topics={**node.own.topics, "orders": replace(orders, partitions=changed)})


def _expected(case: ClusterCase) -> list[dict[str, Any]]:
    """The clients' metadata, the consumers' records and the nodes' logs, as rows of the table."""
    cuts = {
        (each["topic"], each["partition"], each["node"]): each["followerTruncatedTo"][-1]
        for each in case.jsonl("partitions.jsonl")
        if each["followerTruncatedTo"]
    }
    rows = []
    for each in case.jsonl("served.jsonl"):
        key = each["topic"], each["partition"]
        gone = each["gone"]
        rows.append(
            {
                "topic": each["topic"],
                "partition": each["partition"],
                "leader": None if each["leader"] == -1 else each["leader"],
                "leaderLogEndOffset": each["latest"],
                "inSync": sorted(each["isr"] or ()),
                "cuts": {node: cuts.get((*key, node)) for node in each["replicas"] or () if node != each["leader"]},
                "lostRecords": each["goneRecords"],
                "firstLostOffset": gone[0][0] if gone else None,
                "served": each["records"] or 0,
                "elsewhere": each["notServedRecords"],
            }
        )
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("case", SEVERAL, ids=str)
def test_a_cluster_does_what_is_predicted(case: ClusterCase, tmp_path: Path) -> None:
    found = _verify(case, tmp_path).cluster.to_pylist()
    expected = _expected(case)
    for row in found:
        row["cuts"] = {each["node"]: each["truncateTo"] for each in row.pop("followers") or ()}
    for row, happened in zip(found, expected, strict=True):
        if row["inSync"] is None:  # the order of starts decides
            for name in [name for name, value in row.items() if value is None or name == "cuts"]:
                del row[name], happened[name]
    for row in (*found, *expected):
        if row.get("leader") is None or str(case) in EXCEPTIONS:
            row.pop("cuts", None)
        if str(case) in EXCEPTIONS:
            del row["leader"], row["inSync"], row["leaderLogEndOffset"]
        if row["topic"] == "users":  # compacted: the first offset of a batch need not have a record
            row.pop("firstLostOffset", None)
    assert found == expected


@pytest.mark.slow
@NEEDS_SHELL
def test_the_document_shows_what_is_printed(tmp_path: Path) -> None:
    cluster_case(30).unpack(tmp_path / "case")
    (session,) = blocks(document("verify.md"), "console")
    place = tmp_path / "place"
    place.mkdir()
    furnish(place, {f"node-{node}": tmp_path / "case" / f"n{node}" for node in (1, 2)})
    assert played(session, place) == session


def test_a_finding_counts_all_records_that_consumers_do_not_get(tmp_path: Path) -> None:
    """Including those after the damage in the damaged leader's own log."""
    case = cluster_case(28)
    found = [each for each in _verify(case, tmp_path).found if each.kind == "cluster elsewhere"]
    assert {(each.topic, each.partition): each.records for each in found} == {
        (each["topic"], each["partition"]): each["notServedRecords"]
        for each in case.jsonl("served.jsonl")
        if each["notServedRecords"]
    }


@pytest.mark.parametrize(("size", "end", "in_sync"), [(700, 30, [1]), (2100, 54, [1, 2])])
def test_an_index_that_goes_on_above_the_log_keeps_a_follower_out_of_sync(
    size: int, end: int, in_sync: list[int], tmp_path: Path
) -> None:
    """As brokers of 4.4.0 did on these disks: the fetcher of node 2 marked the partition as failed, or caught up."""
    cluster_case(1).unpack(tmp_path)
    os.truncate(tmp_path / "n2" / "d0" / "orders-1" / "00000000000000000030.log", size)
    answer = verify([str(tmp_path)], level="headers")
    (row,) = [row for row in answer.cluster.to_pylist() if (row["topic"], row["partition"]) == ("orders", 1)]
    assert (row["leader"], row["inSync"], row["served"]) == (1, in_sync, 62)
    assert row["followers"] == [{"node": 2, "logEndOffset": end, "truncateTo": None}]
    messages = [each.message for each in answer.found if each.kind == "log end"]
    refuses = "its index extends to 53: once an entry is due, Kafka refuses records below that"
    assert [message.partition("; ")[2] for message in messages] == ([refuses] if end == 30 else [])


def test_one_leader_is_repaired_by_one_command(tmp_path: Path) -> None:
    """Whether or not its short log makes a follower truncate."""
    found = _verify(cluster_case(37), tmp_path).found
    advice = {each.kind: each.advice for each in found if each.kind in ("cluster cut", "cluster elsewhere")}
    assert len(advice) == 2
    assert len(set(advice.values())) == 1


def test_a_stray_at_the_leader_empties_the_other_replica(tmp_path: Path) -> None:
    """The README of the cases, fact 5; in 14-topic-id-unknown it is the follower's replica."""
    cluster_case(1).unpack(tmp_path)
    file = tmp_path / "n1" / "d0" / "orders-0" / "partition.metadata"
    file.write_text("version: 0\ntopic_id: 9fc23a1918544a09b3f574")
    answer = verify([str(tmp_path)], level="headers")
    (row,) = [row for row in answer.cluster.to_pylist() if (row["topic"], row["partition"]) == ("orders", 0)]
    assert (row["leader"], row["leaderLogEndOffset"], row["served"]) == (1, 0, 0)
    assert row["followers"] == [{"node": 2, "logEndOffset": 66, "truncateTo": 0}]
    # The stray still has the records, which nobody serves.
    assert (row["lostRecords"], row["firstLostOffset"], row["elsewhere"]) == (0, None, 66)
    (cut,) = [each for each in answer.found if each.kind == "cluster cut"]
    assert (cut.path, cut.first_offset, cut.last_offset, cut.records) == (str(tmp_path / "n2/d1/orders-0"), 0, 65, 66)
    assert "repair node 1 with the other nodes as --from" in cut.advice


def test_deleted_records_are_not_missing_though_one_copy_has_lost_its_log_start(tmp_path: Path) -> None:
    """Without a leader: the seven records below the log start of node 1 are on both disks."""
    cluster_case(1).unpack(tmp_path)
    for path in tmp_path.glob("n*/d*"):
        (path / "recovery-point-offset-checkpoint").write_text("nonsense")
    (tmp_path / "n1" / "d0" / "log-start-offset-checkpoint").write_text("0\n1\norders 0 7\n")
    answer = verify([str(tmp_path)], level="headers")
    (row,) = [row for row in answer.cluster.to_pylist() if (row["topic"], row["partition"]) == ("orders", 0)]
    assert (row["leader"], row["served"], row["elsewhere"], row["lostRecords"]) == (None, 0, 59, 0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("solo-0", "a stray: it is assigned to other nodes: 1"),
        (
            "solo-0.46f6c16bd4ed4d1c9a4671dd82655737-stray",
            "already set aside as -stray; Kafka does not serve it, and never deletes it",
        ),
    ],
)
def test_strays_are_cut_as_other_logs(name: str, message: str, tmp_path: Path) -> None:
    """A 4.4.0 broker left 147 bytes of the last segment on both disks, so the rest is lost."""
    cluster_case(1).unpack(tmp_path)
    stray = tmp_path / "n2" / "d0" / name
    shutil.move(tmp_path / "n1" / "d0" / "solo-0", stray)
    (stray.parent / ".kafka_cleanshutdown").unlink()
    log = stray / "00000000000000000024.log"
    data = bytearray(log.read_bytes())
    data[300] ^= 1
    log.write_bytes(data)
    answer = verify([str(tmp_path)])
    (row,) = [row for row in answer.cluster.to_pylist() if (row["topic"], row["partition"]) == ("solo", 0)]
    # CRCs of logs set aside earlier are not checked: five records of the damaged batch count.
    unchecked = 5 if name.endswith("stray") else 0
    assert (row["leader"], row["served"], row["elsewhere"]) == (1, 0, 37 + unchecked)
    assert (row["lostRecords"], row["firstLostOffset"]) == (12 + unchecked, 30 - unchecked)
    (found,) = [each for each in answer.found if each.kind == "stray" and each.path == str(stray)]
    assert found.message == f"{message}; the start cuts 17 records from it"


def test_a_lost_directory_of_the_last_leader_empties_the_other_replica(tmp_path: Path) -> None:
    """Kafka 4.4.0 on these disks, without n1/d1 in log.dirs: node 1 started first, its new, empty logs led.

    Node 2 logged "Truncating to offset 0" for all five partitions; started first, it kept them, and nobody led. What
    was in n1/d0 was served whole both times.
    """
    cluster_case(1).unpack(tmp_path)
    shutil.rmtree(tmp_path / "n1" / "d1")
    answer = verify([str(tmp_path)], level="headers")
    cut = {each.path.partition("n2/")[2]: each.records for each in answer.found if each.kind == "cluster cut"}
    logs = {"d1/__consumer_offsets-0": 36, "d0/orders-2": 61, "d0/payments-0": 52, "d1/twice-0": 15, "d1/users-0": 39}
    assert cut == logs
    rows = {f"{row['topic']}-{row['partition']}": row for row in answer.cluster.to_pylist()}
    assert {name for name, row in rows.items() if row["leader"] is None} == {name[3:] for name in logs}
    assert [rows[name]["served"] for name in ("orders-0", "orders-2", "solo-1")] == [66, 0, 29]
    assert any(
        "depends on the order in which the nodes start" in note and "node 1 leads" in note for note in answer.notes
    )
    assert any(each.kind == "log directory" and "empty logs" in each.message for each in answer.found)


def test_findings_name_the_order_of_starts_that_costs_most(tmp_path: Path) -> None:
    """As above, but node 2 led last: by node id nobody leads, and in the other order its new, empty log does."""
    cluster_case(1).unpack(tmp_path)
    shutil.rmtree(tmp_path / "n2" / "d1")
    answer = verify([str(tmp_path)], level="headers")
    led_by_second = {"isr": (), "elr": (2,), "last_known_elr": (2,)}
    for node in answer.nodes:
        _registered(node, led_by_second)
    surveyed = {each.facts.path: each for each in answer.surveyed}
    (cluster,) = start_clusters(answer.nodes, ReachableMetadata(metadata_logs(answer.log_dirs)), surveyed)
    (cut,) = [each for each in cluster_findings(cluster) if (each.topic, each.partition) == ("orders", 0)]
    assert (cut.kind, cut.path, cut.records) == ("cluster cut", str(tmp_path / "n1/d0/orders-0"), 66)
    assert cut.message == (
        "if the nodes start in the order 2, 1, node 2 leads with a new, empty log, and node 1 cuts its own, which is "
        "sound, from 66 to 0"
    )
    elect = "kafka-leader-election.sh --bootstrap-server HOST:PORT --election-type unclean --topic orders --partition 0"
    assert cut.advice.endswith(f"or leave node 2 stopped, start the others, and elect node 1 uncleanly: {elect}")
    assert any("no node leads orders-0" in str(note) for note in cluster_notes(cluster))


@pytest.mark.parametrize(
    ("shorter", "when"),
    [
        (1, "if node 2 registers as soon as its session ends, node 1 leads"),
        (2, "if the controller ends all sessions before a node registers, node 2 leads"),
    ],
)
def test_after_a_kill_either_session_may_end_first(tmp_path: Path, shorter: int, when: str) -> None:
    """Nodes of Kafka 4.4.0, both killed: in 2 starts of 7 one registered before the controller fenced the other."""
    cluster_case(2).unpack(tmp_path)
    (log,) = tmp_path.glob(f"n{shorter}/d*/orders-0/00000000000000000053.log")
    for file in log.parent.glob(f"{log.stem}.*"):
        file.unlink()
    answer = verify([str(tmp_path)], level="headers")
    rows = {(row["topic"], row["partition"]): row for row in answer.cluster.to_pylist()}
    assert [rows["orders", 0][name] for name in ("leader", "served", "lostRecords")] == [None, None, None]
    assert [rows["orders", 1][name] for name in ("leader", "served", "lostRecords")] == [2, 62, 0]
    (cut,) = [each for each in answer.found if each.kind == "cluster cut"]
    assert cut.message.startswith(when)
    assert any("depends on which broker's session ends first" in note for note in answer.notes)


@pytest.mark.parametrize(("where", "unserved"), [("n1/d1", None), ("n2/d1", 66)])
def test_a_broker_takes_up_no_partition_after_one_that_fails(where: str, unserved: int | None, tmp_path: Path) -> None:
    """Kafka 4.4.0 led nothing on node 1, and on node 2, which only follows in d1, solo-1 in the other directory."""
    cluster_case(1).unpack(tmp_path)
    file = tmp_path / where / "replication-offset-checkpoint"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], "-1", *lines[2:]]))
    answer = verify([str(tmp_path)], level="headers")
    rows = {f"{row['topic']}-{row['partition']}": row for row in answer.cluster.to_pylist()}
    in_sync = {name: row["inSync"] for name, row in rows.items()}
    followed = {path.name for path in (tmp_path / where).iterdir() if path.name in rows}
    assert all(in_sync[name] == [1] for name in followed)
    assert rows["orders-0"]["served"] == unserved  # in n1/d0 and n2/d1
    assert (rows["solo-1"]["leader"], rows["solo-1"]["served"]) == (2, 29)
    assert rows["users-0"]["served"] == (0 if unserved is None else 39)
    assert not [each for each in answer.found if each.kind == "cluster elsewhere"]


def test_nodes_whose_disks_are_not_there_are_named(tmp_path: Path) -> None:
    cluster_case(4).unpack(tmp_path)
    answer = verify([str(tmp_path / "n1"), str(tmp_path / "n3")], level="headers")
    rows = {(row["topic"], row["partition"]): row["leader"] for row in answer.cluster.to_pylist()}
    assert (rows["orders", 0], rows["solo", 1], rows["solo", 2]) == (1, None, 3)
    assert any("node 2" in note and "not among the paths" in note for note in answer.notes)


def test_a_leader_that_depends_on_the_order_of_starts_is_null(tmp_path: Path) -> None:
    """Of several eligible leaders the first that is unfenced leads (KIP-966): so with min.insync.replicas=2."""
    cluster_case(1).unpack(tmp_path)
    answer = verify([str(tmp_path)], level="headers")
    for node in answer.nodes:
        _registered(node, {"isr": (), "elr": (1, 2)})
    surveyed = {each.facts.path: each for each in answer.surveyed}
    (cluster,) = start_clusters(answer.nodes, ReachableMetadata(metadata_logs(answer.log_dirs)), surveyed)
    rows = {(each.topic, each.partition): each.row() for each in cluster.partitions}
    depends = ("leader", "leaderLogEndOffset", "inSync", "followers", "firstLostOffset")
    same = {"topic": "orders", "partition": 0, "lostRecords": 0, "served": 66, "elsewhere": 0}
    assert rows["orders", 0] == dict.fromkeys(depends) | same
    assert rows["users", 0]["leader"] == 1
    (note,) = cluster_notes(cluster)
    assert note == (
        "the outcome for orders-0 depends on the order in which the nodes start, so the table has null there; "
        "if they start by node id, node 1 leads orders-0"
    )


def test_the_directory_in_which_a_lost_metadata_log_is_made_must_not_go_offline(tmp_path: Path) -> None:
    """Kafka 4.4.0: "Shutdown broker because the metadata log dir .. has failed"."""
    nodes = cluster_case(19).unpack(tmp_path)
    partition = min(path for path in nodes[3][0].iterdir() if path.is_dir())
    (partition / "partition.metadata").write_text("nonsense")
    answer = verify([path for paths in nodes.values() for path in map(str, paths)], level="headers")
    assert {row["nodeId"]: row["starts"] for row in answer.verdict.to_pylist()} == {1: True, 2: True, 3: False}


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["", "quorum-state"])
def test_a_controller_that_forgot_that_it_led_depends_on_the_order_of_starts(lost: str, tmp_path: Path) -> None:
    """Node 2 has `leaderId` 1, epoch 3. Started 2, 1, 3, node 1 of Kafka 4.4.0 ended; 2, 3, 1, all of them started.

    Its last line: "Received request or response with leader OptionalInt[1] and epoch 3 which is inconsistent with
    current leader OptionalInt.empty and epoch 0".
    """
    cluster_case(4).unpack(tmp_path)
    log = tmp_path / "n1/d0/__cluster_metadata-0"
    if lost:
        (log / lost).unlink()
    else:
        shutil.rmtree(log)
    answer = verify([str(tmp_path)], level="headers")
    assert {row["nodeId"]: row["starts"] for row in answer.verdict.to_pylist()} == {1: None, 2: True, 3: True}
    assert "Node 1 can start, but whether it stays up depends on the order of starts" in answer.headlines[0]
    rows = {(row["topic"], row["partition"]): row for row in answer.cluster.to_pylist()}
    assert all(rows["orders", 0][name] is None for name in ("leader", "leaderLogEndOffset", "inSync", "followers"))
    assert (rows["solo", 1]["leader"], rows["solo", 1]["inSync"]) == (2, [2])
    (found,) = [each for each in answer.found if each.kind == "cluster metadata" and each.level == "finding"]
    assert found.advice == "start the other controllers first, and node 1 when one of them leads"
    assert any("depends on whether node 1 takes part" in note for note in answer.notes)


@pytest.mark.parametrize(("epoch", "starts"), [(1, True), (2, None)])
def test_a_broker_of_a_later_epoch_waits_for_its_controller(epoch: int, starts: bool | None, tmp_path: Path) -> None:
    """The only controller begins with epoch 1. A broker of Kafka 4.4.0 that knew epoch 2 waited, one of 1 started."""
    cluster_case(22).unpack(tmp_path)
    file = tmp_path / "n2/d0/__cluster_metadata-0/quorum-state"
    file.write_text(file.read_text().replace('"leaderEpoch":1', f'"leaderEpoch":{epoch}'))
    answer = verify([str(tmp_path)], level="headers")
    assert {row["nodeId"]: row["starts"] for row in answer.verdict.to_pylist()} == {1: True, 2: starts}
    (found,) = [each for each in answer.found if each.kind == "cluster metadata"]
    assert "begin with leader epoch 1" in found.message
    assert ("refuse node 2, which knows epoch 2" in found.message) == (epoch == 2)
    assert found.advice.startswith("before the first start repair node 1 with --from the log directories of node 2")


@pytest.mark.slow
def test_a_broker_whose_metadata_log_begins_after_the_controllers_ends(tmp_path: Path) -> None:
    """Such a broker of Kafka 4.4.0 ended with this exception; after the repair both started, and served all records."""
    nodes = cluster_case(1).unpack(tmp_path)
    ours, theirs = (nodes[node][0] / "__cluster_metadata-0" for node in (1, 2))
    data = (ours / f"{0:020d}.log").read_bytes()
    starts, position = dict[int, int](), 0
    while position < len(data):
        starts[int.from_bytes(data[position : position + 8])] = position
        position += 12 + int.from_bytes(data[position + 8 : position + 12])
    # The broker's log was lost, then copied from the controller's newest snapshot.
    for file in theirs.iterdir():
        if file.name not in ("quorum-state", "partition.metadata"):
            file.unlink()
    (theirs / f"{109:020d}.log").write_bytes(data[starts[109] :])
    shutil.copy(ours / f"{109:020d}-{1:010d}.checkpoint", theirs)
    (theirs / "leader-epoch-checkpoint").write_text("0\n1\n1 109\n")
    # The controller was restored to an earlier state and started several times since.
    for snapshot in ours.glob("*.checkpoint"):
        if int(snapshot.name[:20]):
            snapshot.unlink()
    (ours / f"{0:020d}.log").write_bytes(data[: starts[81]])
    state = ours / "quorum-state"
    state.write_text(state.read_text().replace('"leaderEpoch":1', '"leaderEpoch":5'))
    answer = verify([str(tmp_path / "n1"), str(tmp_path / "n2")], level="headers")
    verdict = {row["nodeId"]: (row["starts"], row["blockers"]) for row in answer.verdict.to_pylist() if row["blockers"]}
    message = "Attempt to truncate to offset 81, which is below the current high watermark 109"
    assert list(verdict) == [2]
    assert not verdict[2][0]
    assert message in verdict[2][1][0]
    (finding,) = [each for each in answer.found if each.kind == "does not start"]
    assert finding.advice.startswith("before the first start repair node 1 with --from the log directories of node 2")
    repair(nodes[1], tmp_path / "repaired", donors=nodes[2])
    (log,) = (tmp_path / "repaired").rglob("__cluster_metadata-0")
    assert sorted(each.name for each in log.iterdir() if each.suffix in (".log", ".checkpoint")) == [
        f"{109:020d}-{1:010d}.checkpoint",
        f"{109:020d}.log",
    ]
    again = verify([str(tmp_path / "repaired"), str(tmp_path / "n2")], level="headers")
    assert {row["nodeId"]: row["starts"] for row in again.verdict.to_pylist()} == {1: True, 2: True}


def test_a_longer_metadata_log_of_a_broker_is_a_finding_only_if_something_was_changed(tmp_path: Path) -> None:
    """A controller of Kafka 4.4.0 writes two `NoOpRecord`s in a second: a broker copied after it has more of them."""
    cluster_case(1).unpack(tmp_path)
    answer = verify([str(tmp_path)], level="headers")
    controller, broker = answer.nodes
    assert controller.own is not None
    later = replace(controller.own.provenance, end_offset=controller.own.offset + 9)
    surveyed = {each.facts.path: each for each in answer.surveyed}
    for topics, level in ((controller.own.topics, "note"), ({}, "finding")):
        broker.own = replace(controller.own, provenance=later, topics=topics)
        (cluster,) = start_clusters(answer.nodes, ReachableMetadata(metadata_logs(answer.log_dirs)), surveyed)
        (found,) = [each for each in cluster_findings(cluster) if each.kind == "cluster metadata"]
        assert (found.level, found.path) == (level, str(tmp_path / "n2/d0/__cluster_metadata-0"))


def test_a_single_node_is_no_cluster(tmp_path: Path) -> None:
    cluster_case(1).unpack(tmp_path)
    assert verify([str(tmp_path / "n1")], level="headers").cluster.num_rows == 0


def test_what_cannot_be_read_is_not_counted(tmp_path: Path) -> None:
    cluster_case(30).unpack(tmp_path)
    (log,) = sorted((tmp_path / "n2/d1/orders-0").glob("*53.log"))
    log.unlink()
    log.symlink_to(log)  # a link to itself, which cannot be opened
    answer = verify([str(tmp_path)], level="headers")
    (row,) = [row for row in answer.cluster.to_pylist() if (row["topic"], row["partition"]) == ("orders", 0)]
    assert (row["leader"], row["served"], row["lostRecords"], row["elsewhere"]) == (1, None, None, None)
    assert "what orders-0 would lose is not judged: a copy cannot be read" in answer.notes
