"""Cluster metadata in a bucket: the same as on a disk, and access keys are not shown."""

import pytest

from kafkafmt.cli.main import run
from kafkafmt.topics.cluster_metadata import metadata
from kafkafmt.topics.cluster_metadata.sections import SECTIONS
from tests.golden_cases import GOLDEN
from tests.remote.conftest import SECRET, Bucket

CASE = GOLDEN / "modern" / "10b-three-controllers-4.3.1" / "log-dir"


@pytest.mark.slow
def test_sections_are_those_of_the_same_files_on_a_disk(bucket: Bucket, capsys: pytest.CaptureFixture[str]) -> None:
    bucket.upload(CASE, "backup")
    here, there = metadata(CASE), metadata(bucket.uri("backup"))
    for name in SECTIONS:
        if name != "cluster":
            assert here.to_table(name).equals(there.to_table(name))
    assert here.provenance.committed_offset == there.provenance.committed_offset
    assert run(["metadata", bucket.uri("backup")]) == 0
    captured = capsys.readouterr()
    assert SECRET not in captured.out + captured.err
    assert "3 brokers" in captured.out


@pytest.mark.slow
def test_a_listing_notes_what_belongs_to_no_topic(bucket: Bucket, capsys: pytest.CaptureFixture[str]) -> None:
    bucket.upload(CASE / "node-1", "node")
    gone = CASE / "node-1" / "rep-0"
    bucket.upload(gone, "node/gone-0")
    bucket.put("node/gone-0/partition.metadata", b"version: 0\ntopic_id: PkEujrNDRge-NUPjNPPF9Q\n")
    assert run(["ls", bucket.uri("node")]) == 0
    captured = capsys.readouterr()
    assert "belongs to no topic of this cluster (topic id PkEujrNDRge-NUPjNPPF9Q)" in captured.out
    assert captured.err == ""
