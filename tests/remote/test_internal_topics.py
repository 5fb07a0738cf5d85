"""Internal topics in object storage: the same entries, rows and answers as on a disk."""

from pathlib import Path

import pytest

import kafkafmt.topics
from kafkafmt.cli.main import run
from kafkafmt.topics.internal_log import InternalLog
from tests.golden_cases import GOLDEN
from tests.remote.conftest import Bucket

GROUPS = GOLDEN / "modern" / "08-consumer-groups-4.3.1" / "log-dir"
CONTROLLERS = GOLDEN / "modern" / "10b-three-controllers-4.3.1" / "log-dir"


@pytest.mark.slow
def test_entries_and_replicas(bucket: Bucket) -> None:
    for number in (1, 2):
        directory = CONTROLLERS / f"node-{number}" / "__cluster_metadata-0"
        bucket.upload(directory, f"node-{number}/__cluster_metadata-0")
    log = InternalLog(bucket.uri(), "__cluster_metadata", at_offset=30)
    local = InternalLog([CONTROLLERS / "node-1", CONTROLLERS / "node-2"], "__cluster_metadata", at_offset=30)
    assert [entry[:10] for entry in log.records()] == [entry[:10] for entry in local.records()]
    assert log.notes[0].startswith(
        f"__cluster_metadata-0: read from {bucket.shown('node-1/__cluster_metadata-0')} (leader epoch 3, log end 73), "
        f"not from {bucket.shown('node-2/__cluster_metadata-0')} (leader epoch 2"
    )


def test_rows_and_times(bucket: Bucket, capsys: pytest.CaptureFixture[str]) -> None:
    bucket.upload(GROUPS / "__consumer_offsets-1", "data/__consumer_offsets-1")
    here = rows_of(GROUPS / "__consumer_offsets-1")
    assert rows_of(bucket.uri("data")) == here
    time = max(
        entry.timestamp for entry in InternalLog(GROUPS, "__consumer_offsets", partitions=1, at_offset=20).records()
    )
    late = InternalLog(bucket.uri("data"), "__consumer_offsets", at_time=time)
    wanted = InternalLog(GROUPS, "__consumer_offsets", partitions=1, at_time=time)
    assert [entry.offset for entry in late.records()] == [entry.offset for entry in wanted.records()]
    assert run(["cat", bucket.uri("data"), "--kind", "OffsetCommit", "--output", "csv", "--columns", "offset"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(here) + 1


def rows_of(source: str | Path) -> list[object]:
    table = kafkafmt.topics.read(source, "OffsetCommit", columns=["offset", "key", "value"]).to_table()
    rows: list[object] = table.to_pylist()
    return rows
