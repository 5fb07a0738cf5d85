"""Repair of the small files with which no node starts, from tests/startup/test_small_files.py."""

import shutil
from pathlib import Path

import pytest

import kafkafmt
from tests.startup.test_golden_starts import unpack

METADATA_LOG = "d0/__cluster_metadata-0"
NOTES = (
    (f"{METADATA_LOG}/quorum-state", "quorum-state of node 1 is rebuilt"),
    (f"{METADATA_LOG}/partition.metadata", "the metadata log gets its own, AAAAAAAAAAAAAAAAAAAAAQ"),
    ("d0/bootstrap.checkpoint", "is not copied, as no node starts with it"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "note"), NOTES)
def test_a_repaired_node_starts(tmp_path: Path, name: str, note: str) -> None:
    unpack("01-clean", tmp_path)
    for each in (tmp_path / "d0").iterdir():
        if each.is_dir() and each.name not in ("__cluster_metadata-0", "tiny-0"):
            shutil.rmtree(each)
    (tmp_path / name).write_bytes(b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAFw")
    log_dirs = [tmp_path / "d0", tmp_path / "d1"]
    assert kafkafmt.open(log_dirs).verify(level="headers").verdict["starts"].to_pylist() == [False, False]
    repaired = kafkafmt.repair(log_dirs, tmp_path / "new")
    assert any(note in each for each in repaired.notes)
    verdict = kafkafmt.open([tmp_path / "new" / "d0", tmp_path / "new" / "d1"]).verify(level="headers").verdict
    assert verdict["starts"].to_pylist() == [True, True]
