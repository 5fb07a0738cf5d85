"""`kafkafmt find --explain`: each step of a look-up in words."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call, on_terminal
from tests.cli.test_find import DAMAGED, QUESTIONS, RETENTION
from tests.logdir.builders import segment


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def test_padding_is_told(kafkafmt: Call) -> None:
    text = kafkafmt("find", DAMAGED, "--max-timestamp", "--explain").text
    assert "Index 00000000000000000051.timeindex: 3 entries of 12 bytes, then 338 slots of zeros." in text
    assert "Found: offset 67 with timestamp 2026-11-21T04:53:32.832Z, in the batch" in text


def test_ends_of_the_log_are_explained(kafkafmt: Call) -> None:
    text = kafkafmt("find", RETENTION / "trimmed-0", "--earliest", "--explain").text
    assert "  3 segments, starting at offsets 22, 47, 70 (by their names).\n" in text
    assert "  The log start offset is 33: log-start-offset-checkpoint says 33.\n" in text
    text = kafkafmt("find", RETENTION / "trimmed-0", "--latest", "--explain").text
    assert re.search(r"The last batch of 0{18}70.log ends at position \d+: the next offset is 78.\n", text)
    text = kafkafmt("find", RETENTION / "trimmed-0", "--offset=3", "--explain").text
    assert "Not found: no segment has a base offset at or below the offset.\n" in text


def test_many_segments_are_not_all_named(kafkafmt: Call, tmp_path: Path) -> None:
    for base in range(0, 100, 10):
        segment(tmp_path / "t-0", base)
    text = kafkafmt("find", tmp_path, "--offset=57", "--explain").text
    assert "  10 segments, starting at offsets 0, 10, 20, .., 80, 90 (by their names).\n" in text


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_line_is_wider_than_a_terminal(question: str) -> None:
    answer = on_terminal("find", DAMAGED, question, "--explain", columns=80)
    assert answer.status == 0
    paths = [line for line in answer.lines if str(DAMAGED) in line]
    assert [line for line in answer.lines if len(line) > 80 and line not in paths] == []


def test_names_cannot_move_the_cursor(kafkafmt: Call, tmp_path: Path) -> None:
    odd = tmp_path / "t\x1b[2J-0"
    segment(odd, 0)
    for arguments in (("--explain",), ("-o", "jsonl"), ("--offset=99",)):
        answer = kafkafmt("find", odd, *(("--offset=3",) if "--offset=99" not in arguments else ()), *arguments)
        assert b"\x1b" not in answer.stdout
        assert "\x1b" not in answer.stderr
