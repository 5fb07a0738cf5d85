"""Cluster metadata of real brokers: snapshots and log agree with each other and with the rest of the disks."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.files import partition_metadata
from kafkafmt.files.names import parse_partition_name
from kafkafmt.limits import Limits
from kafkafmt.topics.answers import AsOf
from kafkafmt.topics.cluster_metadata import ClusterMetadata, metadata, reading
from kafkafmt.topics.cluster_metadata.copies import find_copies
from kafkafmt.topics.cluster_metadata.sections import SECTIONS
from tests.golden_cases import Case, cases

WITH_LOG = [case for case in cases("modern") if any(case.log_dir.rglob("__cluster_metadata-0"))]
LOGS = sorted(path for case in WITH_LOG for path in case.log_dir.rglob("__cluster_metadata-0"))
WITHOUT_LOG = [
    case for case in cases("modern") if case not in WITH_LOG and any(case.log_dir.rglob("bootstrap.checkpoint"))
]


def rows(cluster: ClusterMetadata) -> dict[str, list[dict[str, Any]]]:
    """The full content of a cluster, without its source."""
    return {
        **{name: cluster.to_table(name).to_pylist() for name in SECTIONS if name != "cluster"},
        "single": [
            {
                "leader": cluster.leader_id,
                "ids": cluster.next_producer_id,
                "migration": cluster.zk_migration_state,
                "offset": cluster.offset,
                "epoch": cluster.epoch,
                "timestamp": cluster.provenance.timestamp,
            }
        ],
    }


def from_snapshots(log: Path, wanted: list[int], at_offset: int | None) -> ClusterMetadata:
    """The state read from a copy that has only these snapshots."""
    (copy,) = find_copies(str(log))
    copy.snapshots = [snapshot for snapshot in copy.snapshots if snapshot.end_offset in wanted]
    return reading.metadata_of_copies([copy], AsOf(at_offset), "raise", Limits(), show_secrets=True)


def test_there_are_logs_with_snapshots() -> None:
    assert len(LOGS) == 5
    assert sum(len(find_copies(str(log))[0].snapshots) for log in LOGS) > 25


@pytest.mark.slow
@pytest.mark.parametrize("log", LOGS, ids=lambda log: str(log.relative_to(log.parents[3])))
def test_the_log_alone_makes_what_each_snapshot_and_the_rest_of_the_log_make(log: Path) -> None:
    snapshots = [snapshot.end_offset for snapshot in find_copies(str(log))[0].snapshots]
    end = from_snapshots(log, [], None)
    for offset in snapshots:
        assert rows(from_snapshots(log, [offset], None)) == rows(end)
        if offset:  # a snapshot of offset 0 has voters that the log's first records repeat
            assert rows(from_snapshots(log, [offset], offset)) == rows(from_snapshots(log, [], offset))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: str(log.relative_to(log.parents[3])))
def test_a_snapshot_named_itself_is_the_state_as_of_its_offset(log: Path) -> None:
    for snapshot in find_copies(str(log))[0].snapshots:
        alone = metadata(str(snapshot.location))
        assert alone.provenance.snapshot == str(snapshot.location)
        if snapshot.end_offset:
            of_log = metadata(str(log), at_offset=snapshot.end_offset)
            assert {**rows(alone), "voters": 0, "single": 0} == {**rows(of_log), "voters": 0, "single": 0}
            assert (alone.offset, alone.epoch) == (of_log.offset, of_log.epoch)


@pytest.mark.parametrize("case", WITH_LOG, ids=str)
def test_partition_directories_are_the_replicas_that_the_metadata_tell(case: Case) -> None:
    for copy in find_copies(str(case.log_dir)):
        cluster = metadata(str(case.log_dir))
        log_dir = copy.partition.location.parent
        assert copy.properties is not None
        assert copy.properties.cluster_id == cluster.cluster_id
        on_disk = {}
        for directory in Path(str(log_dir)).iterdir():
            name = parse_partition_name(directory.name)
            if directory.is_dir() and name.state == "live" and name.topic not in (None, "__cluster_metadata"):
                on_disk[name.topic, name.partition] = partition_metadata.read(directory / "partition.metadata").topic_id
        told = {
            (topic.name, partition.partition): topic.id
            for topic, partition in cluster.partitions()
            if copy.node_id in partition.replicas
        }
        assert on_disk == told
        assert cluster.topic_by_id(next(iter(told.values()))) is not None


@pytest.mark.parametrize("case", WITH_LOG, ids=str)
def test_every_record_counts(case: Case) -> None:
    cluster = metadata(str(case.log_dir))
    assert cluster.ignored_records == ()
    assert cluster.ignored_count == 0
    assert cluster.damage == ()
    assert cluster.open_transaction is None


def records_of(case: Case) -> Iterator[tuple[int, int]]:
    """Offset and timestamp of each record of the log, by Kafka's own code."""
    log = min(case.log_dir.rglob("__cluster_metadata-0")).relative_to(case.log_dir)
    for record in case.jsonl("records.jsonl"):
        if Path(record["file"]).parent == log and record["file"].endswith(".log"):
            yield record["offset"], record["timestamp"]


@pytest.mark.parametrize("case", [case for case in WITH_LOG if case.name.startswith("10-")], ids=str)
def test_a_time_is_the_offset_of_the_first_later_record(case: Case) -> None:
    records = list(records_of(case))
    for time in {timestamp for _, timestamp in records[:: len(records) // 7]}:
        first_later = min((offset for offset, timestamp in records if timestamp > time), default=records[-1][0] + 1)
        assert rows(metadata(str(case.log_dir), at_time=time)) == rows(
            metadata(str(case.log_dir), at_offset=first_later)
        )


@pytest.mark.parametrize("case", [case for case in WITH_LOG if case.name.startswith("10-")], ids=str)
def test_topics_come_and_go_as_the_dump_tells(case: Case) -> None:
    text = gzip.decompress((case.expected / "dump-metadata.txt.gz").read_bytes()).decode()
    log = text.split("Dumping ")[1:]
    names: dict[str, str] = {}
    for file in log:
        if not file.split("\n", 1)[0].endswith(".log"):
            continue
        for line in file.splitlines():
            if "payload: " not in line:
                continue
            record = json.loads(line.split("payload: ", 1)[1])
            if record["type"] == "TOPIC_RECORD":
                names[record["data"]["topicId"]] = record["data"]["name"]
            elif record["type"] == "REMOVE_TOPIC_RECORD":
                del names[record["data"]["topicId"]]
    cluster = metadata(str(case.log_dir))
    assert {topic.id: topic.name for topic in cluster.topics.values()} == names
    assert len(names) == 23


def test_what_the_cluster_was() -> None:
    case = next(case for case in WITH_LOG if case.name == "10-cluster-metadata-4.3.1")
    cluster = metadata(str(case.log_dir))
    assert cluster.cluster_id == "K8Ai7jDY-pOVSo8HW105hg"
    assert cluster.metadata_version == "4.3-IV0"
    assert cluster.features["kraft.version"] == 1
    assert cluster.leader_id == 1
    assert [voter.id for voter in cluster.voters] == [1]
    assert cluster.brokers[1].state == "fenced"
    assert str(cluster.brokers[1].endpoints[0]) == "PLAINTEXT://127.0.0.1:19092"
    assert cluster.config("TOPIC", "m-one") == {"cleanup.policy": "compact"}
    assert cluster.config("BROKER", "") == {"log.cleaner.threads": "2", "min.insync.replicas": "1"}
    assert cluster.topics["m-two"].replication_factor == 1
    assert [(quota.entity, quota.key, quota.value) for quota in cluster.quotas][:2] == [
        ((("client-id", "app-ü"), ("user", "alice")), "producer_byte_rate", 1048576.0),
        ((("client-id", "app-ü"), ("user", "alice")), "request_percentage", 12.5),
    ]
    assert [(acl.principal, acl.operation, acl.pattern_type) for acl in cluster.acls] == [
        ("User:alice", "READ", "PREFIXED")
    ]
    assert [credential.user for credential in cluster.scram] == ["bob"]
    assert cluster.next_producer_id == 1000
    assert cluster.provenance.committed_offset == cluster.offset == 353
    assert cluster.notes == ()


def test_of_three_nodes_the_best_copy_is_read_and_said() -> None:
    case = next(case for case in WITH_LOG if case.name == "10b-three-controllers-4.3.1")
    cluster = metadata(str(case.log_dir))
    assert cluster.provenance.path.endswith("node-1/__cluster_metadata-0")
    assert len(cluster.skipped_replicas) == 2
    assert [voter.id for voter in cluster.voters] == [1, 2, 3]
    assert cluster.provenance.committed_offset == cluster.offset == 73
    assert len(cluster.notes) == 1
    assert "leader epoch 3, log end 73" in cluster.notes[0]
    alone = metadata(str(case.log_dir / "node-3"))
    assert alone.provenance.committed_offset is None
    assert "a majority of its 3 voters is not among these disks" in alone.notes[0]
    assert rows(alone) == rows(metadata(str(case.log_dir / "node-2")))


@pytest.mark.parametrize("case", WITHOUT_LOG, ids=str)
def test_a_bootstrap_checkpoint_tells_what_a_cluster_began_with(case: Case) -> None:
    cluster = metadata(str(case.log_dir))
    assert cluster.metadata_version == ("3.9-IV0" if case.name.endswith("3.9.1") else "4.3-IV0")
    assert cluster.topics == {}
    assert cluster.offset == 0
    assert "there is no metadata log" in cluster.notes[-1]
    assert reading.metadata_of(str(case.log_dir)) is None
