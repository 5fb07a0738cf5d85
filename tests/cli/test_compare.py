"""`kafkafmt compare`: tables, exit statuses, messages on stderr, invalid arguments."""

import json
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Call, on_terminal
from tests.cli.test_unreadable import forbidden
from tests.golden_cases import GOLDEN

REPLICAS = GOLDEN / "modern" / "07-three-nodes-diverged-4.3.1" / "log-dir"
RECONCILED = GOLDEN / "modern" / "07b-three-nodes-reconciled-4.3.1" / "log-dir"
KIP_101 = ROOT / "docs" / "examples" / "kip-101"
NODES = [REPLICAS / f"node-{number}" for number in (1, 2, 3)]


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A copy of the first node with one damaged batch."""
    copy = Path(shutil.copytree(NODES[0], tmp_path / "copy"))
    log = min(copy.glob("rep-0/*.log"))
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)
    return copy


def test_equal_copies_have_status_0(kafkafmt: Call) -> None:
    answer = kafkafmt("compare", RECONCILED / "node-1", RECONCILED / "node-2")
    assert (answer.status, answer.stderr) == (0, "kafkafmt: note: 2 equal\n")
    assert answer.lines[0] == "topic  partition  relation  logEndOffsets  lostIfFirstLeads  lostIfSecondLeads"


@pytest.mark.parametrize("show", ["partitions", "records", "following"])
def test_diverged_copies_have_status_1_and_it_is_said_why(kafkafmt: Call, show: str) -> None:
    answer = kafkafmt("compare", *NODES[:2], "--show", show, "--output", "jsonl")
    assert (answer.status, answer.stderr) == (1, "kafkafmt: 2 diverged\n")


@pytest.mark.parametrize("show", ["truncation", "ranges"])
def test_other_tables_judge_nothing(kafkafmt: Call, show: str) -> None:
    answer = kafkafmt("compare", *NODES[:2], "--show", show)
    assert (answer.status, answer.stderr) == (0, "")


def test_three_copies_are_named_in_the_table(kafkafmt: Call) -> None:
    answer = kafkafmt("compare", *NODES, "--partition", "0")
    assert answer.lines[0].split()[:5] == ["topic", "partition", "first", "second", "relation"]
    assert [line.split()[2:5] for line in answer.lines[1:]] == [
        [str(NODES[0]), str(NODES[1]), "diverged"],
        [str(NODES[0]), str(NODES[2]), "prefix"],
        [str(NODES[1]), str(NODES[2]), "prefix"],
    ]
    note, summary = answer.stderr.splitlines()
    # The first broker was not shut down cleanly; the third one's shorter copy may be an earlier one.
    assert note.startswith(f"kafkafmt: note: no .kafka_cleanshutdown in {NODES[0]}: if the brokers ran while they were")
    assert summary == "kafkafmt: 2 prefix, 1 diverged"


@pytest.mark.slow
def test_what_matters_has_room_on_a_terminal(damaged: Path) -> None:
    answer = on_terminal("compare", NODES[1], damaged, "--on-damage", "skip", columns=80)
    lines = [re.sub("\r|\x1b\\[[0-9;?]*[A-Za-z]", "", line) for line in answer.lines]
    header = next(number for number, line in enumerate(lines) if "relation" in line)
    assert lines[header : header + 3] == [
        "topic  partition  relation  firstDivergentOffset  logEndOffsets  remarks",
        "rep            0  diverged                    65  85, 75         first is whole…",
        "rep            1  diverged                    65  85, 75",
    ]
    assert "hidden on this terminal: lostIfFirstLeads, lostIfSecondLeads" in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("copies", [2, 3])
def test_where_logs_stay_different_has_room_on_a_terminal(copies: int) -> None:
    answer = on_terminal("compare", *NODES[:copies], "--partition", "0", "--show", "following", columns=80)
    lines = [re.sub("\r|\x1b\\[[0-9;?]*[A-Za-z]", "", line) for line in answer.lines]
    header = next(number for number, line in enumerate(lines) if "protocol" in line)
    assert {"leader", "protocol", "lostRecords", "divergedFrom"} <= set(lines[header].split())
    assert ("follower" in lines[header].split()) == (copies == 3)
    rows = [line.split() for line in lines[header + 1 :] if line.startswith("rep ")]
    assert [row[-1] for row in rows[:4]] == ["null", "null", "65", "null"]
    assert [row[2][-6:] for row in rows[:2]] == ["node-1", "node-2"]


@pytest.mark.slow
def test_names_of_copies_still_differ_in_a_narrow_terminal() -> None:
    answer = on_terminal("compare", *NODES, "--partition", "0", columns=80)
    rows = [line.split()[2:4] for line in answer.lines if line.startswith("rep ")]
    assert [[name[-6:] for name in row] for row in rows] == [
        ["node-1", "node-2"],
        ["node-1", "node-3"],
        ["node-2", "node-3"],
    ]


def test_hashes_cost_only_who_asks_for_them(kafkafmt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("hashed")

    monkeypatch.setattr("kafkafmt.operations.copies.ContentHash.update", refuse)
    assert kafkafmt("compare", *NODES[:2]).status == 1
    assert kafkafmt("compare", *NODES[:2], "-o", "jsonl", "--columns", "topic,relation").status == 1
    with pytest.raises(AssertionError, match="hashed"):
        kafkafmt("compare", *NODES[:2], "-o", "jsonl")


def test_damage_ends_it_or_is_reported(kafkafmt: Call, damaged: Path) -> None:
    log = min(damaged.glob("rep-0/*.log"))
    answer = kafkafmt("compare", NODES[0], damaged, "--on-damage", "raise")
    assert (answer.status, answer.text) == (1, "")
    assert f"kafkafmt: {log}: position " in answer.stderr
    assert "continue past it with --on-damage skip" in answer.stderr
    answer = kafkafmt("compare", NODES[0], damaged, "-o", "jsonl", "--columns", "relation,damaged,remarks")
    assert answer.status == 1
    assert [json.loads(line) for line in answer.lines] == [
        {"relation": "equal", "damaged": [0, 3], "remarks": ["first is whole; second lacks 21-23 (damaged)"]},
        {"relation": "equal", "damaged": [0, 0], "remarks": []},
    ]
    of_records = kafkafmt("compare", NODES[0], damaged, "--records", "-o", "jsonl", "--columns", "offset,differs")
    assert [json.loads(line) for line in of_records.lines] == [
        {"offset": offset, "differs": ["only in first"]} for offset in (21, 22, 23)
    ]
    assert "checksum, " in answer.stderr
    on_screen = kafkafmt("compare", NODES[0], damaged, "--on-damage", "skip", "-o", "table")
    assert on_screen.lines[1].split()[:3] == ["rep", "0", "equal"]


def test_a_copy_that_is_named_twice_is_no_second_copy(kafkafmt: Call) -> None:
    answer = kafkafmt("compare", NODES[0], f"{NODES[0]}/")
    assert answer.stderr.startswith(f"kafkafmt: note: {NODES[0]} and {NODES[0]}/ are the same place, not two copies\n")
    assert answer.status == 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["node-1"], 2, "name two copies or more; only --show ranges takes a single one."),
        (["node-1", "node-2", "--records", "--show", "ranges"], 2, "--records and --show ranges exclude each other."),
        (["node-1", "node-2", "--range-size", "5"], 2, "--range-size is for --show ranges."),
        (["node-1", "node-2", "--columns", "nope"], 2, "no column 'nope'."),
        (["node-1", "nowhere"], 3, "No such file or directory"),
        (["node-1", "node-2", "--topic", "nope"], 3, "no topic nope. There are: rep."),
    ],
    ids=["one copy", "two tables", "range size", "column", "missing", "topic"],
)
def test_what_makes_no_sense(kafkafmt: Call, arguments: list[str], status: int, said: str) -> None:
    paths = [str(REPLICAS / each) if each.startswith("no") and each != "nope" else each for each in arguments]
    answer = kafkafmt("compare", *paths)
    assert answer.status == status
    assert said in answer.stderr
    assert answer.text == ""


def test_the_example_of_a_restart(kafkafmt: Call) -> None:
    """KIP-101, scenario 1: a follower cuts a committed record by its high watermark, and by leader epochs does not."""
    answer = kafkafmt(
        "compare",
        KIP_101 / "restart" / "broker-b",
        KIP_101 / "restart" / "broker-a",
        "--show",
        "following",
        "-o",
        "jsonl",
    )
    rows = [json.loads(line) for line in answer.lines]
    cut = {(row["protocol"], Path(row["follower"]).name): row["cutCommittedRecords"] for row in rows}
    assert cut == {
        ("leader epochs", "broker-a"): 0,
        ("leader epochs", "broker-b"): 0,
        ("high watermark", "broker-a"): 1,
        ("high watermark", "broker-b"): 0,
    }


def test_a_directory_that_cannot_be_listed_is_named_and_the_others_are_compared(
    kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Path(shutil.copytree(RECONCILED / "node-1", tmp_path / "copy"))
    forbidden(copy / "rep-0", monkeypatch)
    answer = kafkafmt("compare", copy, RECONCILED / "node-2", "--columns", "partition,relation", "--output", "csv")
    assert (answer.status, answer.lines) == (1, ["partition,relation", "0,missing", "1,equal"])
    assert answer.stderr.count(f"{copy / 'rep-0'}: ") == 1


@pytest.mark.parametrize("which", [min, max])
@pytest.mark.parametrize("show", ["partitions", "following", "truncation", "ranges"])
def test_a_file_that_cannot_be_read_leaves_its_partition_undecided(
    kafkafmt: Call,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    show: str,
    which: Callable[[Iterable[Path]], Path],
) -> None:
    copy = Path(shutil.copytree(RECONCILED / "node-1", tmp_path / "copy"))
    log = which((copy / "rep-0").glob("*.log"))
    forbidden(log, monkeypatch)
    answer = kafkafmt("compare", copy, RECONCILED / "node-2", "--show", show, "--output", "jsonl")
    rows = [json.loads(line) for line in answer.lines]
    # Only log ends decide where a follower truncates, and a readable copy has ranges of its own.
    needs_it = (show, which) not in (("truncation", min), ("ranges", max))
    known = {row["partition"] for row in rows if row.get("relation", "") is not None}
    assert known == ({1} if needs_it else {0, 1})
    assert show != "ranges" or {row["records"][0] for row in rows if row["partition"] == 0} <= {None}
    assert [row["partition"] for row in rows if "relation" in row and row["relation"] is None] == [0] * (
        show == "partitions"
    )
    is_read = (show, which) != ("truncation", min)
    assert (answer.status, answer.stderr.count(f"{log}: ")) == ((1, 1) if is_read else (0, 0))
