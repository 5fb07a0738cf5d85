"""The verdict equals what real brokers did: each case of tests/golden/startup, started by Kafka 4.3.1."""

import json
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kafkafmt

GOLDEN = Path(__file__).parents[1] / "golden" / "startup"
CASES = sorted(path.name for path in GOLDEN.glob("[0-9]*"))
EXPECTED = ("logStartOffset", "logEndOffset", "truncateFrom", "deletedSegments", "rebuilt")


def unpack(case: str, target: Path) -> dict[str, Any]:
    """Unpack d0 and d1 as they were before the start; return case.json."""
    info: dict[str, Any] = json.loads((GOLDEN / case / "case.json").read_text())
    for archive in (GOLDEN / "base" / f"{info['base']}.tar.xz", GOLDEN / case / "changed.tar.xz"):
        if archive.exists():
            with tarfile.open(archive) as packed:
                packed.extractall(target, filter="fully_trusted")
        for name in info["removed"] if archive.parent.name == "base" else ():
            gone = target / name
            shutil.rmtree(gone) if gone.is_dir() else gone.unlink(missing_ok=True)
    return info


def rows(case: str, name: str) -> Iterator[dict[str, Any]]:
    return map(json.loads, (GOLDEN / case / "expected" / f"{name}.jsonl").read_text().splitlines())


def verified(case: str, target: Path, **arguments: Any) -> "tuple[dict[str, Any], Any]":
    info = unpack(case, target)
    log_dirs = [target / name for name in info["logDirs"] if (target / name).is_dir()]
    arguments = {"node_id": info["nodeId"], "cluster_id": info["clusterId"], "level": "headers", **arguments}
    return info, kafkafmt.open(log_dirs).verify(**arguments)


def test_all_cases_are_there() -> None:
    assert len(CASES) == 83


@pytest.mark.parametrize("case", CASES)
def test_verdict_is_what_a_broker_did(case: str, tmp_path: Path) -> None:
    info, answer = verified(case, tmp_path)
    found = {Path(row["logDir"]).name: row for row in answer.verdict.to_pylist()}
    for expected in rows(case, "verdict"):
        row = found[expected["logDir"]]
        assert row["online"] == expected["online"], row
        assert row["starts"] == (None if info.get("orderDependent") else expected["starts"]), row
        if expected["starts"]:
            counts = {name: row[name] for name in ("partitions", "recovered", "stray", "deleted")}
            assert counts == {name: expected[name] for name in counts}
    if not info["starts"]:
        assert any(row["blockers"] for row in found.values())


@pytest.mark.parametrize("case", CASES)
def test_partitions_are_as_a_broker_left_them(case: str, tmp_path: Path) -> None:
    info, answer = verified(case, tmp_path)
    found = {str(Path(row["path"]).relative_to(tmp_path)): row for row in answer.partitions.to_pylist()}
    expected_rows = list(rows(case, "partitions"))
    assert {row["path"] for row in expected_rows} <= set(found)
    for expected in expected_rows:
        row = found[expected["path"]]
        if expected["action"] is None and not info["starts"]:
            continue  # the start failed before, and the logs loaded by then depend on its threads
        assert row["action"] == expected["action"], row
        for name in EXPECTED if expected["topic"] != "__cluster_metadata" else ["truncateFrom"]:
            value = sorted(expected[name]) if isinstance(expected[name], list) else expected[name]
            assert row[name] == value, (name, row, expected)
        if expected["lostBytes"] is not None and expected["topic"] != "__cluster_metadata":
            assert row["lostBytes"] == expected["lostBytes"]


@pytest.mark.slow
@pytest.mark.parametrize("case", ["01-clean", "02-killed", "03-no-marker"])
def test_a_sound_disk_has_no_finding(case: str, tmp_path: Path) -> None:
    _, answer = verified(case, tmp_path, level="records")
    assert [row for row in answer.findings.to_pylist() if row["level"] == "finding"] == []
    assert answer.findings.num_rows == 0 or case != "01-clean"
