"""--history of groups, metadata, transactions and producers, and reset files, as a user meets them."""

import csv
import html
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import kafkafmt as library
from kafkafmt.cli.groups.history import MOST_POINTS, OffsetGathering, OffsetLine, render_offsets
from kafkafmt.cli.groups.resetting import ResetOffset, reset_file
from kafkafmt.topics.consumer_groups.history import group_history
from kafkafmt.topics.history import History
from kafkafmt.topics.producer_state.history import producer_history
from kafkafmt.topics.transaction_state.answer import transaction_history
from tests.cli.conftest import ROOT, Call, on_terminal
from tests.topics.consumer_groups.coordinator_log import Log, commit_key, commit_value

RESET = ROOT / "docs" / "examples" / "reset" / "log-dir"
SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"


def _rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_when_was_this_group_reset_and_in_which_state(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", RESET, "--history", "--group", "billing", "--output", "jsonl")
    assert answer.status == 0
    resets = [row for row in _rows(answer.text) if row["event"] == "commit" and row["members"] == 0]
    assert [(row["partition"], row["previousOffset"], row["offset"], row["state"]) for row in resets] == [
        (0, 21, 0, "Empty"),
        (1, 21, 2, "Empty"),
        (2, 21, 4, "Empty"),
    ]
    (note,) = answer.stderr.splitlines()
    assert re.fullmatch(
        r"kafkafmt: note: group billing was reset at 2026-11-23T23:15:15\.\d{3}Z, while Empty \(generation 4\): "
        r"3 offsets, back by 57 in all",
        note,
    )


@pytest.mark.parametrize("command", ["groups", "metadata", "transactions", "producers"])
def test_both_options_show_one_table_in_all_forms(command: str, kafkafmt: Call, tmp_path: Path) -> None:
    table = kafkafmt(command, RESET, "--history")
    assert table.status == 0
    assert table.lines[0].startswith("timestamp")
    assert kafkafmt(command, RESET, "--show", "history").stdout == table.stdout
    out = tmp_path / "rows.parquet"
    assert kafkafmt(command, RESET, "--history", "--out", out).status == 0
    rows = pyarrow.parquet.read_table(out)
    assert rows.num_rows == len(table.lines) - 1
    assert rows.schema.equals(getattr(library.open(RESET), command)().history.schema)
    assert kafkafmt(command, RESET, "--history", "--columns", "event").text.split("\n")[0] == "event"
    assert kafkafmt(command, RESET, "--history", "--columns", "x").status == 2


HISTORIES: dict[str, Callable[[library.Disks], History[Any]]] = {
    "groups": group_history,
    "metadata": lambda disks: disks.metadata().history_answer,
    "transactions": transaction_history,
    "producers": producer_history,
}


@pytest.mark.slow
@pytest.mark.parametrize("command", HISTORIES)
def test_a_pass_tells_how_far_it_is(command: str, tmp_path: Path) -> None:
    history = HISTORIES[command](library.open(SHOP))
    passed: list[int] = []
    history.watch(passed.append)
    rows = list(history.rows())
    assert sum(passed) == history.size_in_bytes() > 0
    if command == "groups":
        shown = on_terminal(command, SHOP, "--history", "--out", tmp_path / "rows.csv", columns=120).text
        assert f"{len(rows)} rows" in shown
        assert "100%" in shown


def test_filters(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", RESET, "--history", "--group-regex", "aud.*", "--topic", "orders", "-o", "jsonl")
    assert [row["event"] for row in _rows(answer.text)] == ["commit"] * 3 + ["tombstone"] * 3
    deleted = kafkafmt("metadata", RESET, "--history", "--topic", "orders-test", "-o", "jsonl")
    assert [row["event"] for row in _rows(deleted.text)] == ["topic created", "partition created", "topic deleted"]
    expired = kafkafmt("transactions", RESET, "--history", "--transactional-id", "till-1", "-o", "jsonl")
    assert _rows(expired.text)[-1]["event"] == "expired"
    life = kafkafmt("producers", RESET, "--history", "--producer-id", 0, "--topic", "orders", "-o", "jsonl")
    assert {row["producerId"] for row in _rows(life.text)} == {0}


def test_what_is_nowhere(kafkafmt: Call) -> None:
    for arguments, text in (
        (("groups", "--group", "x"), "no event of group x. There are events of: audit, billing."),
        (("groups", "--group-regex", "x.*"), "no event of group x.*. There are events of: audit, billing."),
        (("metadata", "--topic", "x"), "no event of topic x. There are events of: __consumer_offsets, "),
        (("transactions", "--transactional-id", "x"), "no event of transactional id x. There are events of: till-1."),
        (("producers", "--producer-id", "77"), "no batch of producer 77 there."),
    ):
        command, *options = arguments
        answer = kafkafmt(command, RESET, "--history", *options)
        assert answer.status == 3
        assert f"kafkafmt: {text}" in answer.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("groups", "--members", "--report", "x.html"),
        ("groups", "--history", "--report", "x.html", "-o", "jsonl"),
        ("groups", "--history", "--where", "g"),
        ("groups", "--history", "--reset-file", "x.csv"),
        ("groups", "--translate-to", "x"),
        ("metadata", "--history", "--diff", "1", "2"),
        ("metadata", "--history", "--show", "topics"),
        ("transactions", "--history", "--open"),
        ("producers", "--history", "--from", "log"),
    ],
)
def test_wrong_usage(options: tuple[str, ...], kafkafmt: Call) -> None:
    command, *others = options
    assert kafkafmt(command, RESET, *others).status == 2


def test_damage_ends_the_rows_and_is_a_finding(kafkafmt: Call, tmp_path: Path) -> None:
    log = Log()
    for number in range(3):
        log.put((commit_key("g", "orders", 0), commit_value(number)))
    packed = bytearray(b"".join(log.batches))
    packed[len(log.batches[0]) + 40] ^= 1
    directory = log.write(tmp_path) / "__consumer_offsets-0"
    (directory / "00000000000000000000.log").write_bytes(packed)
    ended = kafkafmt("groups", tmp_path, "--history", "--on-damage", "raise", "--out", tmp_path / "x.jsonl")
    assert ended.status == 1
    assert not (tmp_path / "x.jsonl").exists()
    skipped = kafkafmt("groups", tmp_path, "--history", "-o", "jsonl")
    assert skipped.status == 1
    assert [row["offset"] for row in _rows(skipped.text)] == [0, 2]


def test_the_picture_has_a_line_a_partition_and_every_reset(kafkafmt: Call, tmp_path: Path) -> None:
    page = tmp_path / "offsets.html"
    answer = kafkafmt("groups", RESET, "--history", "--report", page)
    assert (answer.status, answer.text) == (0, "")
    text = page.read_text()
    assert text.count('<path d="M') - text.count('stroke="var(--line)"') == 6
    assert text.count('<rect class="f"') == 3
    assert text.count('<rect class="g"') >= 2
    assert "group billing was reset at" in html.unescape(text)
    assert "<script" not in text
    assert kafkafmt("groups", RESET, "--history", "--report", RESET / "x.html").status == 2


def test_a_picture_shows_names_literally_and_few_points(tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("<script>", "<b>", 0), commit_value(1)))
    gathering = OffsetGathering()
    for event in group_history(log.write(tmp_path)).rows():
        gathering.take(event)
    text = render_offsets(gathering, ("<i>",), ["<u>"], clock=lambda: 0)
    assert "<script" not in text
    assert not re.search("<[biu]>", text)
    line = OffsetLine()
    for number in range(5 * MOST_POINTS):
        line.add((number, number, number == 3 * MOST_POINTS))
    assert len(line.points) <= MOST_POINTS
    assert line.count == 5 * MOST_POINTS
    assert (3 * MOST_POINTS, 3 * MOST_POINTS, True) in line.points
    assert "No committed offset has a time" in render_offsets(OffsetGathering(), (), [])


def test_a_reset_file_for_one_group_and_for_several(kafkafmt: Call, tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    answer = kafkafmt("groups", RESET, "--group", "billing", "--reset-file", file)
    assert (answer.status, answer.text) == (0, "")
    assert file.read_text() == "orders,0,21\norders,1,21\norders,2,21\n"
    assert f"--group billing --reset-offsets --from-file {file} --execute\n" in answer.stderr
    assert kafkafmt("groups", SHOP, "--group-regex", "re.*", "--reset-file", file).status == 0
    assert file.read_text() == "refunds,payments,0,3\nreports,page-views,0,10\n"
    earlier = kafkafmt("groups", RESET, "--group", "billing", "--at-offset", 14, "--reset-file", file)
    assert (earlier.status, file.read_text()) == (0, "orders,0,0\norders,1,2\norders,2,4\n")


def test_a_reset_file_is_read_back_as_csv() -> None:
    offsets = [ResetOffset("plain", "orders", 0, 7), ResetOffset('a, "b" c ', "x", 12, 2**62)]
    rows = list(csv.reader(io.StringIO(reset_file(offsets, with_group=True))))
    assert rows == [["plain", "orders", "0", "7"], ['a, "b" c ', "x", "12", str(2**62)]]
    assert reset_file(offsets[:1], with_group=False) == "orders,0,7\n"
    with pytest.raises(ValueError, match="has a line end"):
        reset_file([ResetOffset("a\nb", "x", 0, 0)], with_group=True)


def test_a_reset_file_appears_only_when_it_is_complete(kafkafmt: Call, tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    assert kafkafmt("groups", RESET, "--group", "x", "--reset-file", file).status == 3
    assert kafkafmt("groups", tmp_path, "--reset-file", file).status == 3
    assert kafkafmt("groups", RESET, "--reset-file", RESET / "orders-0" / "x.csv").status == 2
    log = Log()
    log.put((commit_key("a\nb", "orders", 0), commit_value(1)))
    answer = kafkafmt("groups", log.write(tmp_path / "disk"), "--reset-file", file)
    assert answer.status == 2
    assert "has a line end" in answer.stderr
    assert not file.exists()


def test_offsets_that_no_record_of_the_copy_decides_are_listed(kafkafmt: Call, tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    same = kafkafmt("groups", RESET, "--group", "billing", "--reset-file", file, "--translate-to", RESET)
    assert same.status == 0
    assert file.read_text() == "orders,0,21\norders,1,21\norders,2,21\n"
    file.unlink()
    options = ("--group", "billing", "--reset-file", file, "--translate-to", SHOP, "-o", "jsonl")
    other = kafkafmt("groups", RESET, *options)
    assert other.status == 1
    assert {row["state"] for row in _rows(other.text)} == {"unmatched"}
    assert not file.exists()
