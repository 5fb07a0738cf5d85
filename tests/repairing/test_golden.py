"""Repair: every damaged case of golden/startup becomes directories that a broker loads without truncating anything."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.repairing.answer import Repaired
from tests.golden_cases import cases
from tests.startup.test_golden_starts import CASES, unpack

# Damage that no copy of these disks can repair, by the kind of the remaining findings.
STAYS = {
    "47-strays": {"stray"},  # partitions that the metadata log assigns to others are kept as well
    "48-killed-strays": {"stray"},
    "68-metadata-snapshots-missing": {"does not start"},  # the beginning of the metadata log is gone
    "72-metadata-missing": {"no_metadata_log", "stray"},  # there is no other node with a metadata log
}


def repair(case: str, path: Path, **arguments: Any) -> tuple[dict[str, Any], Repaired, list[Path]]:
    """Repair a case; return its description, the answer and the new directories."""
    info = unpack(case, path)
    log_dirs = [path / name for name in info["logDirs"] if (path / name).is_dir()]
    answer = kafkafmt.open(log_dirs).repair(path / "out", **arguments)
    return info, answer, [path / "out" / each.name for each in log_dirs] if len(log_dirs) > 1 else [path / "out"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_repaired_case_is_clean_and_starts(case: str, tmp_path: Path) -> None:
    info, answer, dirs = repair(case, tmp_path)
    again = kafkafmt.open(dirs).verify(level="records", node_id=info["nodeId"], cluster_id=info["clusterId"])
    found = again.findings.filter(pc.equal(again.findings["level"], "finding")).to_pylist()
    stays = STAYS.get(case, set())
    assert {each["kind"] for each in found} == stays, answer.notes
    if stays != {"does not start"}:
        assert again.verdict["starts"].to_pylist() == [True] * len(dirs)
        assert set(again.partitions["action"].to_pylist()) <= {"keep", "recover", *stays}
        assert not any(again.partitions["lostRecords"].to_pylist())
    else:
        assert any("no snapshot is sound" in str(note) for note in answer.notes)
    source = [tmp_path / each.name for each in dirs] if len(dirs) > 1 else [tmp_path / "d0"]
    dry = kafkafmt.open([path for path in source if path.is_dir()]).repair(None, dry_run=True)
    assert dry.partitions.equals(answer.partitions)
    assert dry.dropped.equals(answer.dropped)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["01-clean", "02-killed", "07-killed-flips", "79-killed-many"])
def test_every_sound_record_is_there(case: str, tmp_path: Path) -> None:
    _, answer, dirs = repair(case, tmp_path)
    columns = ["topic", "partition", "offset", "timestamp", "key", "value", "headers", "producerId", "sequence"]
    log_dirs = [tmp_path / "d0", tmp_path / "d1"]
    wanted = kafkafmt.scan(log_dirs, columns=columns, on_damage="skip", below_log_start=True)
    found = kafkafmt.scan(dirs, columns=columns, below_log_start=True)
    assert found.to_table().num_rows > 1000
    assert found.to_table().equals(wanted.to_table())
    kept = answer.partitions.to_pandas().set_index(["topic", "partition"])["keptRecords"]
    counts = found.to_pandas().groupby(["topic", "partition"], observed=True).size()
    for key, count in counts.items():
        assert kept[key] >= count  # control records count too


@pytest.mark.parametrize("name", ["m0-codecs-0.9.0.1", "m1-codecs-0.10.2.2"])
def test_records_in_wrappers_count(name: str) -> None:
    (case,) = [each for each in cases("legacy") if each.name == name]
    counts = Counter(row["file"].partition("/")[0] for row in case.jsonl("records.jsonl"))
    dry = kafkafmt.open(case.log_dir).repair(None, dry_run=True)
    kept = {f"{row['topic']}-{row['partition']}": row["keptRecords"] for row in dry.partitions.to_pylist()}
    assert {place: kept[place] for place in counts} == counts


def test_what_is_sound_stays_byte_for_byte(tmp_path: Path) -> None:
    repair("01-clean", tmp_path)
    logs = sorted(
        path for path in tmp_path.glob("d?/*-*/*.log") if not path.parent.name.endswith(("-delete", "-stray"))
    )
    assert len(logs) > 30
    for log in logs:
        copy = tmp_path / "out" / log.relative_to(tmp_path)
        assert copy.read_bytes() == log.read_bytes()
        epochs = Path("leader-epoch-checkpoint")
        assert (copy.parent / epochs).read_bytes() == (log.parent / epochs).read_bytes()


def test_a_target_in_the_source_is_refused(tmp_path: Path) -> None:
    unpack("01-clean", tmp_path)
    for target in (tmp_path / "d0" / "out", tmp_path / "d1"):
        with pytest.raises(SourceError, match=r"is inside a source|exists already"):
            kafkafmt.repair([tmp_path / "d0", tmp_path / "d1"], target)
