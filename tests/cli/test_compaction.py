"""`kafkafmt compaction`: its messages and output, wrong usage, and damage."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, on_terminal
from tests.golden_cases import GOLDEN, tier_case
from tests.operations.golden_operations import questions

POLICY = ("--config", "cleanup.policy=compact")
AT = ("--at", "1700036000000")
NODES = GOLDEN / "modern" / "07-three-nodes-diverged-4.3.1" / "log-dir"


@pytest.fixture(scope="module")
def producers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = next(each for each in questions("compaction") if each.case == "compaction-producers-4.3.1")
    return found.unpack(tmp_path_factory.mktemp("producers"))


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = next(each for each in questions("compaction") if each.case == "compaction-formats-4.3.1")
    return found.unpack(tmp_path_factory.mktemp("formats"))


def row(text: str) -> dict[str, Any]:
    (line,) = text.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


@pytest.mark.slow
def test_what_holds_a_log_is_said(kafkafmt: Call, producers: Path) -> None:
    answer = kafkafmt("compaction", producers, "--topic", "open", *POLICY, *AT)
    assert answer.status == 0
    assert "note: open-0: the transaction of producer 2 from offset 11 on has no marker\n" in answer.stderr
    assert f"\n  kafkafmt transactions {producers} --open\n" in answer.stderr
    assert "note: 0 of 1 compacted log would be picked" not in answer.stderr
    assert "a pass over each removes" in answer.stderr


def test_without_compact_it_says_what_to_do(kafkafmt: Call, producers: Path) -> None:
    answer = kafkafmt("compaction", producers, "--topic", "open", *AT)
    assert answer.status == 0
    assert "--config cleanup.policy=compact shows what compaction would do" in answer.stderr


@pytest.mark.slow
def test_a_policy_of_both(kafkafmt: Call, producers: Path) -> None:
    both = ("--config", "cleanup.policy=compact,delete")
    found = row(kafkafmt("compaction", producers, "--topic", "open", *both, *AT, "-o", "jsonl").text)
    assert found["cleanupPolicy"] == "compact,delete"
    assert "cleanup.policy has delete, too" in found["reason"]
    assert found["removableRecords"] is not None
    assert found["configSource"].startswith("cleanup.policy=option, min.cleanable.dirty.ratio=default")


def test_a_log_at_which_the_cleaner_fails_is_a_finding_and_stays(kafkafmt: Call, formats: Path, tmp_path: Path) -> None:
    out = tmp_path / "cleaned"
    answer = kafkafmt("compaction", formats, "--topic", "nokeyold", *POLICY, *AT, "-o", "jsonl", "--out", out)
    assert answer.status == 1
    found = row(answer.text)
    assert (found["wouldClean"], found["removableRecords"]) == (True, None)
    assert "but Kafka's cleaner fails: a batch of format 1 that ends the round loses all its records" in found["reason"]
    log = Path("nokeyold-0", "00000000000000000000.log")
    assert (out / log).read_bytes() == (formats / log).read_bytes()
    assert "cannot keep an empty batch" in answer.stderr


def test_what_is_written_is_for_a_broker(kafkafmt: Call, producers: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in producers.rglob("*") if path.is_file()}
    out = tmp_path / "cleaned"
    answer = kafkafmt("compaction", producers, *POLICY, *AT, "--out", out)
    assert answer.status == 0
    assert answer.stderr.endswith(f"note: {out} is written. To check it:\n  kafkafmt verify {out}\n")
    assert {path: path.read_bytes() for path in producers.rglob("*") if path.is_file()} == before
    assert sorted(each.name for each in out.iterdir()) == sorted(each.name for each in producers.iterdir())
    verdict = row(kafkafmt("verify", out, "--show", "verdict", "-o", "jsonl").text)
    assert (verdict["online"], verdict["recovered"], verdict["truncated"], verdict["blockers"]) == (True, 0, 0, [])
    again = kafkafmt("compaction", out, *POLICY, *AT, "-o", "jsonl")
    found = [json.loads(line) for line in again.text.splitlines()]
    assert {each["topic"]: each["dirtyBytes"] for each in found if each["uncleanableReason"] == "active segment"}
    assert not any(each["dirtyBytes"] for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["compaction", "repair", "extract"])
def test_a_copy_has_no_lock_and_nothing_that_is_not_kafkas(
    kafkafmt: Call, command: str, producers: Path, tmp_path: Path
) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    shutil.copytree(producers, source)
    strange = (".lock", "notes.txt", "checkpoint.tmp")
    for directory in (source, source / "open-0", source / "tx-0"):
        for name in strange:
            (directory / name).write_bytes(b"")
    assert kafkafmt(command, source, *(POLICY if command == "compaction" else ()), "--out", out).status == 0
    names = {each.name for each in out.rglob("*")}
    assert {"replication-offset-checkpoint", "leader-epoch-checkpoint", ".kafka_cleanshutdown"} <= names
    assert names.isdisjoint(strange)


def test_a_target_in_the_source_is_refused(kafkafmt: Call, producers: Path, tmp_path: Path) -> None:
    answer = kafkafmt("compaction", producers, *POLICY, *AT, "--out", producers / "cleaned")
    assert answer.status == 3
    assert "is inside a source" in answer.stderr
    answer = kafkafmt("compaction", producers, *POLICY, *AT, "--out", tmp_path)
    assert (answer.status, "exists already" in answer.stderr) == (3, True)
    answer = kafkafmt("compaction", producers / "open-0", *POLICY, *AT, "--out", tmp_path / "new")
    assert (answer.status, "its checkpoints are needed" in answer.stderr) == (3, True)


def test_several_log_directories_get_a_folder_each(
    kafkafmt: Call, producers: Path, formats: Path, tmp_path: Path
) -> None:
    first, second = (Path(shutil.copytree(each, tmp_path / each.parent.name)) for each in (producers, formats))
    answer = kafkafmt(
        "compaction", first, second, "--topic", "open", "--topic", "format0", *POLICY, "--out", tmp_path / "o"
    )
    assert answer.status == 0
    assert sorted(str(each.relative_to(tmp_path / "o")) for each in tmp_path.glob("o/*/*-0")) == sorted(
        (f"{first.name}/open-0", f"{second.name}/format0-0")
    )


@pytest.mark.parametrize("skips", [False, True])
def test_a_damaged_log(kafkafmt: Call, producers: Path, tmp_path: Path, skips: bool) -> None:
    place = Path(shutil.copytree(producers, tmp_path / "damaged"))
    log = place / "tx-0" / "00000000000000000000.log"
    data = bytearray(log.read_bytes())
    data[70] ^= 1
    log.write_bytes(data)
    options = ("--on-damage", "skip") if skips else ()
    out = tmp_path / "cleaned"
    answer = kafkafmt("compaction", place, "--topic", "tx", *POLICY, *AT, *options, "-o", "jsonl", "--out", out)
    assert answer.status == 1
    assert "00000000000000000000.log" in answer.stderr
    assert out.exists() == skips
    asked = kafkafmt("compaction", place, "--topic", "tx", *POLICY, *AT, "-o", "jsonl")
    assert (asked.status, row(asked.text)["removableRecords"]) == (1, None)
    if skips:
        assert row(answer.text)["removableRecords"] is None
        assert "the log is damaged" in row(answer.text)["reason"]
        assert (out / "tx-0" / log.name).read_bytes() == bytes(data)


@pytest.mark.slow
def test_damage_of_keys_does_not_hide_what_was_written(kafkafmt: Call, producers: Path, tmp_path: Path) -> None:
    """The active segment is copied unchanged; its records are needed only for the keys."""
    place = Path(shutil.copytree(producers, tmp_path / "damaged"))
    log = max((place / "open-0").glob("*.log"))
    data = bytearray(log.read_bytes())
    data[-1] ^= 1
    log.write_bytes(data)
    out = tmp_path / "cleaned"
    options = ("--topic", "open", *POLICY, *AT, "--show", "keys", "-o", "jsonl", "--out", out)
    answer = kafkafmt("compaction", place, *options)
    assert (answer.status, answer.text) == (1, "")
    assert (out / "open-0" / log.name).read_bytes() == bytes(data)
    written, _, damage = answer.stderr.partition(f"  kafkafmt verify {out}\n")
    assert written == f"kafkafmt: note: {out} is written. To check it:\n"
    assert log.name in damage


def test_a_table_of_no_keys_has_names(kafkafmt: Call, producers: Path) -> None:
    answer = kafkafmt("compaction", producers, "--topic", "open", *POLICY, *AT, "--show", "keys", "--top", 0)
    assert answer.text.split()[:3] == ["topic", "partition", "key"]


def test_a_tier_is_not_compacted(kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt("compaction", tier_case(1).tier, *POLICY)
    assert (answer.status, answer.text) == (0, "")
    assert "no log here is subject to compaction" in answer.stderr
    assert "note: remote storage is not compacted: Kafka does not allow compact" in answer.stderr
    answer = kafkafmt("compaction", tier_case(1).tier, "--out", tmp_path / "new")
    assert (answer.status, "remote storage is not compacted" in answer.stderr) == (3, True)
    assert not (tmp_path / "new").exists()
    both = kafkafmt("compaction", tier_case(1).tier, tier_case(1).log_dir, *POLICY, "-o", "jsonl")
    assert both.text
    assert "remote storage" not in both.stderr


@pytest.mark.slow
def test_a_table_tells_copies_apart(kafkafmt: Call) -> None:
    answer = kafkafmt("compaction", NODES / "node-1", NODES / "node-2", "--partition", 0)
    assert answer.lines[0].split()[:3] == ["topic", "partition", "path"]
    assert [line.split()[2] for line in answer.lines[1:]] == [str(NODES / f"node-{n}" / "rep-0") for n in (1, 2)]
    assert "path" not in kafkafmt("compaction", NODES / "node-1").lines[0].split()
    terminal = on_terminal("compaction", NODES / "node-1", NODES / "node-2", columns=80)
    assert terminal.text.count("node-1/rep-0") == terminal.text.count("node-2/rep-0") == 1


@pytest.mark.parametrize("command", ["compaction", "extract", "repair", "write"])
@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv", "jsonl"])
def test_a_directory_is_not_called_like_a_file(
    kafkafmt: Call, producers: Path, tmp_path: Path, command: str, suffix: str
) -> None:
    answer = kafkafmt(command, producers, "--out", tmp_path / f"x.{suffix}", "-o", "csv")
    assert (answer.status, answer.text) == (2, "")
    assert f"x.{suffix} looks like the name of a file, but --out is a directory here" in answer.stderr
    assert f"--output {suffix} > FILE" in answer.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_keys(kafkafmt: Call, producers: Path) -> None:
    answer = kafkafmt(
        "compaction", producers, "--topic", "open", *POLICY, *AT, "--show", "keys", "--top", "2", "-o", "jsonl"
    )
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert len(found) == 2
    assert found[0]["storedBytes"] >= found[1]["storedBytes"]


def test_wrong_usage(kafkafmt: Call, producers: Path) -> None:
    assert kafkafmt("compaction", producers, "--config", "min.cleanable.ratio=0.1").status == 2
    assert kafkafmt("compaction", producers, "--columns", "nonsense").status == 2
    assert kafkafmt("compaction", producers, "--topic", "nowhere").status == 3


def test_a_table_shows_four_digits_of_a_ratio(kafkafmt: Call, producers: Path) -> None:
    columns = ("--columns", "topic,dirtyRatio")
    shown = kafkafmt("compaction", producers, "--topic", "open", *POLICY, *AT, *columns).text.split()[-1]
    exact = row(kafkafmt("compaction", producers, "--topic", "open", *POLICY, *AT, *columns, "-o", "jsonl").text)
    assert shown == str(round(exact["dirtyRatio"], 4))
