"""Logs that end before their checkpoints, in `producers --check`, `groups` and `ls` (golden cluster 25, 30, 37)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.files import clean_shutdown
from tests.cli.conftest import ROOT, Answer, Call
from tests.golden_cases import cluster_case

SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"


@pytest.fixture(scope="module")
def shorter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Node 1 after a clean shutdown; the last segments of three logs are gone, and the rest is sound."""
    top = tmp_path_factory.mktemp("shorter")
    cluster_case(30).unpack(top)
    return top / "n1"


def _rows(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.lines]


def test_the_end_of_a_log_is_missing(kafkafmt: Call, shorter: Path) -> None:
    """The broker of node 2 had these offsets, and served them before (expected/sound.jsonl.gz)."""
    answer = kafkafmt("producers", shorter, "--check", "-o", "jsonl")
    lost = [row for row in _rows(answer) if row["cause"] != "compaction"]
    assert [(row["topic"], row["partition"], row["cause"], row["firstOffset"], row["lastOffset"]) for row in lost] == [
        ("orders", 0, "lost end", 53, 65),
        ("orders", 2, "lost end", 27, 60),
        ("payments", 0, "lost end", 62, 71),
    ]
    assert lost[0]["detail"] == "13 offsets: the high watermark 66 is beyond the log end offset 53"
    assert f"{shorter}/d0/orders-0: offset gap (lost end): 1" in answer.stderr
    assert answer.status == 1


@pytest.mark.parametrize("arguments", [("--at-offset", "53"), ("--producer-id", "0")], ids=" ".join)
def test_it_is_not_asked_for(kafkafmt: Call, shorter: Path, arguments: tuple[str, ...]) -> None:
    answer = kafkafmt("producers", shorter / "d0" / "orders-0", "--check", *arguments)
    assert "lost end" not in answer.text


def test_a_damaged_end_is_damage_up_to_the_checkpoint(kafkafmt: Call, tmp_path: Path) -> None:
    paths = cluster_case(37).unpack(tmp_path)[1]
    answer = kafkafmt("producers", *paths, "--check", "--topic", "orders", "-o", "jsonl")
    assert [(row["partition"], row["cause"], row["firstOffset"], row["lastOffset"]) for row in _rows(answer)] == [
        (0, "damage", 60, 65),
        (1, "damage", 54, 61),
    ]


def test_after_a_kill_the_checkpoint_may_be_newer(kafkafmt: Call, shorter: Path, tmp_path: Path) -> None:
    """A log that lost its end looks like a copy of a running broker: neither a finding nor an all-clear."""
    log_dir = tmp_path / "d0"
    shutil.copytree(shorter / "d0", log_dir)
    (log_dir / clean_shutdown.FILE_NAME).unlink(missing_ok=True)
    either = (
        "the high watermark 66 is beyond the log end offset 53: the end of the log is missing, or the checkpoint is "
        "newer than the log, as in a copy of a running broker; without a clean shutdown file it is unknown which"
    )
    checked = kafkafmt("producers", log_dir, "--check", "--topic", "orders")
    assert f"note: {log_dir}/orders-0: {either}" in checked.stderr
    assert "lost end" not in checked.text
    shown = kafkafmt("ls", log_dir, "--topic", "orders", "--show", "findings", "-o", "jsonl")
    (row,) = [row for row in _rows(shown) if "high watermark" in row["message"]]
    assert (row["level"], row["message"]) == ("note", "the high watermark 66 is beyond the log end offset 53")
    assert "without a clean shutdown file it is unknown which" in row["advice"]


def test_a_copy_without_some_offsets(kafkafmt: Call, tmp_path: Path) -> None:
    """golden cluster 25: repair leaves damaged batches out, and nothing in the copy shows that they held records."""
    paths = cluster_case(25).unpack(tmp_path)[1]
    repaired = tmp_path / "out"
    kafkafmt("repair", *paths, "--out", repaired, "--topic", "solo")
    answer = kafkafmt("producers", repaired, "--check", "--topic", "solo")
    assert "left out of this copy" in answer.text
    (note,) = [line for line in answer.stderr.splitlines() if "without some offsets" in line]
    assert "check the source to see whether records were lost: " in note
    assert note.endswith("solo-0")


def test_lags_to_a_log_whose_end_is_missing(kafkafmt: Call, shorter: Path) -> None:
    answer = kafkafmt("groups", shorter, "--show", "offsets")
    (line,) = [line for line in answer.stderr.splitlines() if "lags" in line]
    assert line == (
        "kafkafmt: lags are too small: the end of the log is missing (orders-0 ends at 53, its high watermark is 66; "
        "orders-2 ends at 27, its high watermark is 61)"
    )
    assert answer.status == 1
    assert "lags" not in kafkafmt("groups", shorter, "--topic", "payments").stderr


@pytest.mark.parametrize("mark", [True, False])
def test_offsets_that_were_committed_beyond_the_end(kafkafmt: Call, tmp_path: Path, mark: bool) -> None:
    disk = Path(shutil.copytree(SHOP, tmp_path / "disk"))
    (disk / "orders-2" / "00000000000000000000.log").write_bytes(b"")
    if not mark:
        (disk / clean_shutdown.FILE_NAME).unlink()
    (disk / "replication-offset-checkpoint").write_text("0\n1\norders 2 10\n")
    answer = kafkafmt("groups", disk)
    beyond = "committed beyond the log end, so auto.offset.reset decides where the group continues"
    assert f"note: {beyond}: billing on orders-2 (4, the log ends at 0)" in answer.stderr
    assert (f"lags {'are' if mark else 'may be'} too small: the end of the log is missing") in answer.stderr
    assert answer.status == int(mark)
