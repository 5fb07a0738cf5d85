"""tools/startup_proof: its parts that need neither Maven nor a broker; .ci/run starts one."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import kafkafmt
from kafka_broker import broker as harness
from kafka_broker import cluster as of_nodes
from kafka_broker.cluster import Cluster, Node
from proof_frame import ProofError
from startup_proof import golden
from startup_proof.damage import damage, damage_nodes
from startup_proof.filled import copy, nodes_of
from startup_proof.golden import golden_cases
from startup_proof.nodes import Disks, Outcome, Served
from startup_proof.predicted import cluster_differences, differences
from startup_proof.repaired import Sound, collected, loaded_as_they_are, ranges, repair, served_wholly
from startup_proof.started import Started, files_of, read
from tests.startup.test_golden_starts import unpack

LOG = """\
12:00:00.000 [WARN] LogLoader - [LogLoader partition=orders-0, dir={dir}] Recovering unflushed segment 0. 0 recovered.
12:00:00.000 [WARN] LogLoader - [LogLoader partition=orders-0, dir={dir}] Corruption found in segment 0, truncating to \
offset 7
12:00:00.000 [INFO] LogManager - Completed load of Log(dir={dir}/orders-0, topicId=x, topic=orders, partition=0, \
highWatermark=0, lastStableOffset=0, logStartOffset=2, logEndOffset=7) with 1 segments in 3ms (1/2 completed in {dir})
12:00:01.000 [INFO] UnifiedLog - [UnifiedLog partition=orders-0, dir={dir}] Truncating to offset 5
"""


@pytest.fixture
def log_dirs(tmp_path: Path) -> list[Path]:
    unpack("01-clean", tmp_path)
    return [tmp_path / "d0", tmp_path / "d1"]


def content(log_dirs: list[Path]) -> dict[str, bytes]:
    root = log_dirs[0].parent
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_damage_comes_again_with_its_seed(tmp_path: Path) -> None:
    found = []
    for name in ("first", "second"):
        unpack("01-clean", tmp_path / name)
        dirs = [tmp_path / name / "d0", tmp_path / name / "d1"]
        sound = content(dirs)
        done = damage(Random(3), dirs)
        assert done
        assert content(dirs) != sound
        found.append((done, content(dirs)))
    assert found[0] == found[1]


@pytest.mark.slow
def test_damage_of_nodes_comes_again_with_its_seed(tmp_path: Path) -> None:
    disks = golden_cases(["05"])["05-trio-lagging"].unpacked(tmp_path / "base")
    seen = set()
    for seed in range(25):
        done = []
        for name in ("first", "second"):
            copies = copy(disks, tmp_path / name / str(seed))
            done.append(damage_nodes(Random(seed), copies, disks))
        assert done[0] == done[1]
        seen |= {text.partition(": ")[2].partition(":")[0] for text in done[0]}
    assert {"metadata log lost", "restored from an older snapshot", "another topic id", "last segment lost"} <= seen


@pytest.mark.parametrize("nodes", [1, 2, 3])
def test_clusters_have_their_voters(nodes: int) -> None:
    assert [each.is_controller for each in nodes_of(nodes).values()] == [True, *[nodes == 3] * (nodes - 1)]


@pytest.mark.parametrize("seed", range(30))
def test_verify_has_a_verdict_whatever_was_damaged(seed: int, log_dirs: list[Path]) -> None:
    damage(Random(seed), log_dirs)
    assert kafkafmt.open(log_dirs).verify(level="headers", node_id=1).verdict.num_rows == 2


def test_what_a_broker_did_is_read_from_its_log_and_the_files(tmp_path: Path) -> None:
    for name in ("orders-0", "orders-1", "old-2"):
        (tmp_path / "d" / name).mkdir(parents=True)
    log_dir = tmp_path / "d"
    before = files_of([log_dir])
    for name in ("0" * 20 + ".index", "0" * 20 + ".log", "9".zfill(20) + ".log.deleted"):
        (log_dir / "orders-0" / name).touch()
    (log_dir / "old-2").rename(log_dir / "old-2.0123-stray")
    started = read(LOG.format(dir=log_dir), [log_dir], before, starts=True)
    assert started.log_dirs == {str(log_dir): True}
    assert started.partitions == {
        f"{log_dir}/orders-0": {
            "action": "recover",
            "truncateFrom": 7,
            "followerTruncatedTo": [5],
            "logStartOffset": 2,
            "logEndOffset": 7,
            "deletedSegments": ["9".zfill(20) + ".log"],
            "rebuilt": ["0" * 20 + ".index"],
        },
        f"{log_dir}/orders-1": {
            "action": "keep",
            "truncateFrom": None,
            "followerTruncatedTo": [],
            "deletedSegments": [],
            "rebuilt": [],
        },
        f"{log_dir}/old-2": {"action": "stray", "truncateFrom": None, "followerTruncatedTo": []},
    }
    offline = read(f"Stopping serving logs in dir {log_dir} (x)", [log_dir], before, starts=True)
    assert offline.log_dirs == {str(log_dir): False}
    assert {row["action"] for row in offline.partitions.values()} == {"offline"}


def test_differences_name_the_partition_and_the_field() -> None:
    found: dict[str, Any] = {"path": "/d/orders-0", "action": "keep", "logEndOffset": 5, "truncateFrom": None}
    started = Started(
        starts=True,
        log_dirs={"/d": True},
        partitions={"/d/orders-0": {"action": "keep", "logEndOffset": 4, "truncateFrom": None}},
    )
    compared: Counter[str] = Counter()
    verdict = {"logDir": "/d", "starts": True, "online": True}
    assert list(differences(([verdict], [found]), started, compared)) == [
        "d/orders-0: logEndOffset is 5, the broker: 4"
    ]
    assert compared.total() == 5


class TestCluster:
    """Java is replaced by a shell script that acts as a node, whose id is in the path it gets."""

    @pytest.fixture
    def java(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(harness, "tool", lambda _: str(tmp_path / "java"))
        monkeypatch.setattr(harness, "kafka_class_path", lambda: "classes")
        return tmp_path / "java"

    def does(self, java: Path, *lines: str) -> None:
        script = ["#!/bin/sh", "for last; do :; done", 'node=$(basename "$(dirname "$last")")', *lines, ""]
        java.write_text("\n".join(script))
        java.chmod(0o755)

    def test_its_nodes_know_each_other(self, java: Path, tmp_path: Path) -> None:
        self.does(java, 'echo "$@"', "echo Kafka Server started", "exec sleep 60")
        nodes = {1: Node(["a", "b"]), 2: Node(["c"], is_controller=False, overrides={"log.retention.ms": "7"})}
        with Cluster(tmp_path / "cluster", nodes, {"log.retention.ms": "5"}) as cluster:
            cluster.start()
            assert cluster.running == [1, 2]
            servers = [broker.bootstrap_servers for broker in cluster.brokers.values()]
            assert cluster.bootstrap_servers == ",".join(servers)
            formatted = {line for each in cluster.brokers.values() for line in each.log().split() if len(line) == 22}
            assert len(formatted) == 1
            cluster.kill([2])
            assert cluster.running == [1]
        properties = []
        for node in (1, 2):
            text = (tmp_path / "cluster" / f"n{node}" / "server.properties").read_text()
            properties.append(dict(line.split("=", 1) for line in text.splitlines()))
        first, second = properties
        assert first["controller.quorum.voters"] == second["controller.quorum.voters"]
        assert first["controller.quorum.voters"].partition("@")[2] in first["listeners"]
        assert [each["process.roles"] for each in properties] == ["broker,controller", "broker"]
        assert [each["log.retention.ms"] for each in properties] == ["5", "7"]
        assert first["log.dirs"].split(",") == [str(tmp_path / "cluster" / "n1" / name) for name in "ab"]

    def test_a_node_without_a_controller_waits(
        self, java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(of_nodes, "_WITHOUT_CONTROLLERS_SECONDS", 0.1)
        self.does(java, '[ "$node" = n1 ] && exit 1', "exec sleep 60")
        nodes = {1: Node(["a"]), 2: Node(["a"], is_controller=False)}
        with Cluster(tmp_path / "cluster", nodes) as cluster:
            cluster.start()
            assert cluster.running == []
            assert [each.is_running for each in cluster.brokers.values()] == [False, True]

    def test_controllers_are_started_until_they_can_elect(
        self, java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(of_nodes, "_BETWEEN_CONTROLLERS_SECONDS", 0.1)
        up = f"[ -e {tmp_path}/n2 ]"
        self.does(java, f"touch {tmp_path}/$node", f"until {up}; do sleep 0.01; done", "echo Kafka Server started")
        with java.open("a") as script:
            script.write("exec sleep 60\n")
        nodes = {node: Node(["a"]) for node in (1, 2, 3)}
        with Cluster(tmp_path / "cluster", nodes) as cluster:
            cluster.start()
            assert cluster.running == [1, 2, 3]


SOUND = Sound(
    must={("orders", 0): {0: "a", 1: "b", 2: "c"}, ("__consumer_offsets", 0): {0: "x"}},
    may={("orders", 0): {(0, "a"), (1, "b"), (2, "c"), (2, "old")}, ("__consumer_offsets", 0): {(0, "x"), (1, "y")}},
    nodes=frozenset({1}),
    strays=frozenset({(1, "strange-0")}),
)


class TestJudge:
    def outcome(self, **changed: Any) -> Outcome:
        records = {("orders", 0): {0: "a", 1: "b", 2: "c"}, ("__consumer_offsets", 0): {0: "x", 1: "new"}}
        partitions = {("orders", 0): Served(1, (1,), 0, 3, "")}
        made: dict[str, Any] = {
            "nodes": {},
            "partitions": partitions,
            "records": records,
            "last_errors": {},
            "error": "",
        }
        return Outcome(**(made | changed))

    def test_every_record_is_served(self) -> None:
        assert list(served_wholly(self.outcome(), SOUND, Counter())) == []

    def test_records_that_are_missing_or_of_nowhere(self) -> None:
        records = {("orders", 0): {0: "a", 2: "old", 3: "z"}, ("__consumer_offsets", 0): {0: "x"}}
        assert list(served_wholly(self.outcome(records=records), SOUND, Counter())) == [
            "orders-0: 2 of 3 records are not served: 1-2 (leader 1)",
            "orders-0: 1 records that were sound on no disk: 3",
        ]
        found = list(served_wholly(self.outcome(records={}, partitions={}, error="no"), SOUND, Counter()))
        assert found[0] == "clients get no answer: no"
        assert found[1] == "orders-0: 3 of 3 records are not served: 0-2 (is not in the cluster)"

    def test_logs_are_loaded_as_they_are(self, tmp_path: Path) -> None:
        home = tmp_path / "n1" / "d0"
        rows: dict[str, dict[str, Any]] = {
            "orders-0": {"action": "recover", "truncateFrom": 3, "deletedSegments": ["7.log"]},
            "orders-1": {"action": "keep", "truncateFrom": None, "followerTruncatedTo": [2]},
            "orders-2": {"action": "keep", "truncateFrom": None},
            "strange-0": {"action": "stray", "truncateFrom": None},
            "strange-1": {"action": "stray", "truncateFrom": None},
            "__cluster_metadata-0": {"action": "recover", "truncateFrom": None},
        }
        partitions = {str(home / name): {"followerTruncatedTo": [], **row} for name, row in rows.items()}
        nodes = {
            1: Started(starts=True, log_dirs={str(home): False}, partitions=partitions),
            2: Started(starts=None, log_dirs={}, partitions={}),
        }
        outcome = self.outcome(nodes=nodes, last_errors={2: "no quorum"})
        assert list(loaded_as_they_are(Disks(tmp_path, {}), outcome, SOUND, Counter())) == [
            "n1/d0: is offline",
            "n1/d0/orders-0: is recovered",
            "n1/d0/orders-0: is cut at 3, segments deleted: ['7.log']",
            "n1/d0/orders-1: as a follower is cut to [2]",
            "n1/d0/strange-1: is a stray",
            "n2: waits: no quorum",
        ]

    def test_ranges(self) -> None:
        assert ranges([5, 1, 2, 3]) == "1-3, 5"
        assert ranges(range(0, 14, 2)) == "0, 2, 4, 6, 8 and 2 more ranges"


class TestPrediction:
    def prediction(self, **changed: Any) -> dict[str, Any]:
        row = {"topic": "orders", "partition": 0, "leader": 1, "leaderLogEndOffset": 2, "inSync": [2, 1]}
        followers = [{"node": 2, "logEndOffset": 3, "truncateTo": 2}]
        row |= {"followers": followers, "served": 2, "elsewhere": 1, "lostRecords": 1, "firstLostOffset": 2}
        return row | changed

    def found(self, row: dict[str, Any]) -> list[str]:
        own = {"truncateFrom": None, "action": "keep"}
        nodes: dict[int, dict[str, dict[str, Any]]] = {
            1: {"/n1/d0/orders-0": {**own, "logEndOffset": 2, "followerTruncatedTo": []}},
            2: {"/n2/d0/orders-0": {**own, "logEndOffset": 3, "followerTruncatedTo": [2]}},
        }
        outcome = Outcome(
            nodes={node: Started(starts=True, log_dirs={}, partitions=rows) for node, rows in nodes.items()},
            partitions={("orders", 0): Served(1, (1, 2), 0, 2, "")},
            records={("orders", 0): {0: "a", 1: "b"}},
            last_errors={},
            error="",
        )
        after = {("orders", 0): {(0, "a"), (1, "b")}}
        return list(cluster_differences([row], outcome, SOUND.must, after, Counter()))

    def test_the_same(self) -> None:
        assert self.found(self.prediction()) == []

    def test_what_depends_on_the_order_of_starts_is_not_compared(self) -> None:
        assert self.found(self.prediction(served=None, leader=None, inSync=None)) == []

    @pytest.mark.parametrize(
        ("changed", "text"),
        [
            ({"leader": 2, "leaderLogEndOffset": 3}, "leader is 2, the brokers: 1"),
            ({"inSync": [1]}, "inSync is [1], the brokers: [1, 2]"),
            ({"leaderLogEndOffset": 3}, "leaderLogEndOffset is 3, the brokers: 2"),
            ({"served": 3}, "served is 3, the brokers: 2"),
            ({"elsewhere": 0}, "elsewhere is 0, the brokers: 1"),
            ({"lostRecords": 0}, "lostRecords is 0, the brokers: 1"),
            ({"firstLostOffset": None}, "firstLostOffset is None, the brokers: 2"),
            (
                {"followers": [{"node": 2, "logEndOffset": 3, "truncateTo": None}]},
                "truncateTo of follower n2 is None, the brokers: 2",
            ),
        ],
    )
    def test_a_difference(self, changed: dict[str, Any], text: str) -> None:
        assert self.found(self.prediction(**changed)) == [f"cluster, orders-0: {text}"]


class TestGoldenCases:
    def test_each_has_records_that_must_be_served(self) -> None:
        found = golden_cases([])
        assert len(found) == 41
        for case in found.values():
            sound = case.sound()
            assert all(set(records.items()) <= sound.may[key] for key, records in sound.must.items())

    def test_they_are_chosen_by_name_or_number(self) -> None:
        assert list(golden_cases(["30", "01-clean"])) == ["30-replica-shorter", "01-clean"]
        with pytest.raises(ProofError, match=f"there is no case 99 in {golden.GOLDEN}"):
            golden_cases(["99"])

    def test_repaired_directories_go_to_their_nodes(self, tmp_path: Path) -> None:
        case = golden_cases(["34"])["34-dir-is-link"]
        disks = case.unpacked(tmp_path / "disks")
        assert list(repair(disks, tmp_path / "repaired", "untouched")) == []
        copies = collected(disks, tmp_path / "repaired", tmp_path / "copies")
        assert {node: [path.name for path in copies.log_dirs(node)] for node in copies.nodes} == {
            1: ["d0", "d1"],
            2: ["d0", "d1"],
        }
        for node in copies.nodes:
            (logs,) = tmp_path.glob(f"copies/n{node}/d?/__cluster_metadata-0/{0:020d}.log")
            assert logs.parent.parent == copies.log_dirs(node)[0]
            assert f"node.id={node}" in (copies.log_dirs(node)[1] / "meta.properties").read_text()
