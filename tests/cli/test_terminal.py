"""On a real terminal: tables fit, data cannot control it, and progress stays on stderr."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.cells import cell_len

from tests.cli.conftest import on_terminal
from tests.golden_cases import cases

CODECS = next(case for case in cases("modern") if case.name == "01-codecs-4.3.1").log_dir
LARGE = next(case for case in cases("modern") if case.name == "15-large-4.3.1").log_dir
CRASH = next(case for case in cases("modern") if case.name == "12-crash-4.3.1").log_dir
HANGING = next(case for case in cases("modern") if case.name == "04-transactions-3.9.1").log_dir
NAMES = next(case for case in cases("modern") if case.name == "13-names-4.3.1").log_dir


def acts(text: str) -> set[str]:
    """Whether a terminal would act on these characters instead of showing them."""
    return {
        character
        for character in text
        if (ord(character) < 0x20 and character != "\n") or 0x7F <= ord(character) < 0xA0
    }


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80, 133])
@pytest.mark.parametrize("command", ["cat", "batches"])
def test_a_table_fits_the_terminal(command: str, columns: int) -> None:
    answer = on_terminal(command, CODECS, "--topic", "shapes", columns=columns)
    rows = [line for line in answer.lines if not line.startswith("kafkafmt: ")]
    assert answer.status == 0
    assert len(rows) >= 20
    assert all(cell_len(line) <= columns for line in rows)
    assert acts(answer.text) == set()


@pytest.mark.slow
def test_a_dump_does_not_act_on_the_terminal(tmp_path: Path) -> None:
    log = CODECS / "shapes-0" / "00000000000000000000.log"
    answer = on_terminal("dump", log, "--print-data-log")
    assert (answer.status, acts(answer.text)) == (0, set())
    printed = tmp_path / "dump.txt"
    on_terminal("dump", log, "--print-data-log", out=printed)
    assert acts(printed.read_text("utf-8", "replace")) != set()


def test_a_command_to_paste_is_one_line_however_narrow_the_terminal(tmp_path: Path) -> None:
    place = tmp_path / "my logs\x1b[2J" / "t-0"
    shutil.copytree(CRASH / "damaged" / "crash-flip-record-0", place)
    answer = on_terminal("cat", place.parent, columns=40)
    command = answer.lines[-1]
    assert command.startswith("  kafkafmt inspect $'")
    assert acts(answer.text) == set()
    read = subprocess.run(["bash", "-c", f"printf '%s\\n' {command}"], check=True, capture_output=True).stdout
    log = place / "00000000000000000000.log"
    assert read.decode().splitlines() == ["kafkafmt", "inspect", str(log), "--position", "1665"]


@pytest.mark.slow
def test_a_narrow_table_keeps_what_answers_the_question_and_says_what_it_left_out() -> None:
    answer = on_terminal("transactions", HANGING, "--hanging", columns=60)
    assert answer.lines[0].split() == ["topic", "partition", "firstOffset", "reason"]
    (hidden,) = [line for line in answer.lines if line.startswith("kafkafmt: note: hidden on this terminal: ")]
    assert "durationMs" in hidden
    assert "reason" not in hidden
    rows = answer.lines[: answer.lines.index(hidden)]
    assert len(rows) > 2
    assert all(len(line) <= 60 for line in rows)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_text_forms_do_not_act_on_the_terminal(form: str) -> None:
    answer = on_terminal("cat", CODECS, "--output", form)
    assert answer.status == 0
    assert acts(answer.text) == set()


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_binary_forms_do_not_go_to_the_terminal(form: str) -> None:
    answer = on_terminal("cat", CODECS, "--output", form)
    assert answer.status == 2
    assert (
        f"{form} cannot be shown on a terminal. Name a file (--out rows.{form}), or pipe it to a program."
        in answer.text
    )
    assert acts(answer.text) == set()


@pytest.mark.slow
def test_progress_is_shown_on_stderr_while_a_file_is_written(tmp_path: Path) -> None:
    target = tmp_path / "rows.parquet"
    answer = on_terminal("cat", LARGE, "--out", target)
    assert answer.status == 0
    assert "22,991 records" in answer.text
    assert pq.read_table(target).num_rows == 22_991


@pytest.mark.slow
def test_progress_of_sql_is_shown_until_there_are_rows(tmp_path: Path) -> None:
    [segment] = sorted(LARGE.glob("*-0/*.log"), key=lambda path: path.stat().st_size)[-1:]
    count = (64 << 20) // segment.stat().st_size + 1
    for number in range(count):
        (tmp_path / f"t-{number}").mkdir()
        os.link(segment, tmp_path / f"t-{number}" / segment.name)
    query = "select topic, count(*), 'a row' as name from records group by topic"
    answer = on_terminal("sql", query, tmp_path, columns=100)
    assert answer.status == 0
    before, _, after = answer.text.partition("name")
    assert "100%" in before
    assert re.search(r"\d [KMG]iB/s", before)  # in the units of all sizes
    assert "%" not in after
    assert "a row" in after
    assert "%" not in on_terminal("sql", query, tmp_path / "t-0", columns=100).text


def test_no_progress_where_a_pipe_may_end_on_the_same_terminal(tmp_path: Path) -> None:
    # A pager or head writes there as well: the bar used to stay in its first line.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    answer = on_terminal("ls", CODECS, "--topic", "shapes", out=pipe)
    assert answer.text == ""
    assert b"shapes-0" in os.read(reader, 65536)
    os.close(reader)


@pytest.mark.slow
def test_no_progress_while_rows_go_elsewhere(tmp_path: Path) -> None:
    target = tmp_path / "rows.jsonl"
    answer = on_terminal("cat", LARGE, "--output", "jsonl", out=target)
    assert (answer.status, answer.text) == (0, "")
    assert target.read_bytes().count(b"\n") == 22_991


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("ls", CRASH), ("verify", CRASH), ("grep", "codec", CODECS, "--limit", 1)])
def test_a_terminal_that_takes_no_control_sequences_gets_none(arguments: tuple[object, ...]) -> None:
    shown = on_terminal(*arguments, TERM="dumb").text
    assert "\x1b" not in shown
    assert "\n\n\n" not in shown
    assert "\n\n  " not in shown


def test_text_is_utf_8_in_every_locale() -> None:
    """Python would fail to encode an ellipsis in Latin-1."""
    shown = on_terminal("ls", CODECS, columns=24, PYTHONIOENCODING="latin-1")
    assert shown.status == 0
    assert "…" in shown.text


def test_verify_shows_bytes_rate_and_time_left(tmp_path: Path) -> None:
    answer = on_terminal("verify", LARGE, "--output", "jsonl", out=tmp_path / "rows.jsonl", columns=133)
    plain = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", answer.text)
    assert re.search(r" (\d+\.\d)/\1 MiB .*\d:\d\d:\d\d", plain), plain


def test_file_names_of_a_narrow_terminal_still_differ() -> None:
    answer = on_terminal("batches", CODECS, columns=60)
    names = {line.split()[0] for line in answer.lines[1:] if line.split()}
    assert "…/…0.log" not in names
    assert len({name for name in names if name.endswith(".log")}) >= 8
