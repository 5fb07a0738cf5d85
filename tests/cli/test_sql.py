"""`kafkafmt sql`: a query, statements from stdin, and the prompt."""

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kafkafmt.cli.main import run
from kafkafmt.cli.sql import _calling_at_interrupts, divided
from tests.cli.conftest import COMMAND, Call, environment
from tests.golden_cases import GOLDEN

DATA = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"
DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged"
FLIPPED = DAMAGED / "crash-flip-record-0"


def test_a_query_prints_rows_in_every_form(kafkafmt: Call, tmp_path: Path) -> None:
    query = "select topic, count(*) as n, max(timestamp) as latest from records where topic like 'shap%' group by 1"
    answer = kafkafmt("sql", query, DATA)
    assert answer.text == ("topic    n  latest\nshapes  84  2026-11-21T04:16:24.143Z\n")
    assert (answer.status, answer.stderr) == (0, "")
    assert kafkafmt("sql", query, DATA, "-o", "jsonl").text == '{"topic":"shapes","n":84,"latest":1795234584143}\n'
    assert kafkafmt("sql", query, DATA, "-o", "csv", "--no-header").text == "shapes,84,1795234584143\n"
    assert kafkafmt("sql", query, DATA, "--out", tmp_path / "n.parquet").status == 0
    assert pq.read_table(tmp_path / "n.parquet").column("n").to_pylist() == [84]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_rows_are_those_of_other_commands(kafkafmt: Call, form: str) -> None:
    assert kafkafmt("sql", "select * from records", DATA, "-o", form).text == kafkafmt("cat", DATA, "-o", form).text
    for name in ("segments", "findings"):
        expected = kafkafmt("ls", DAMAGED, "--rows", name, "-o", form).text
        assert kafkafmt("sql", f"from {name}", DAMAGED, "-o", form).text == expected


def test_types_that_only_queries_have_are_written(kafkafmt: Call) -> None:
    query = "select 0.50 d, sum(2::hugeint) h, date '2026-01-02' a, time '10:00' t, [1.5] l, {'x': date '2026-01-02'} s"
    assert kafkafmt("sql", query, DATA, "-o", "jsonl").text == (
        '{"d":0.50,"h":2,"a":"2026-01-02","t":"10:00:00","l":["1.5"],"s":{"x":"2026-01-02"}}\n'
    )
    assert kafkafmt("sql", query, DATA).lines[1].split() == [
        "0.50",
        "2",
        "2026-01-02",
        "10:00:00",
        "1.5",
        '{"x":',
        '"2026-01-02"}',
    ]
    answer = kafkafmt("sql", "select union_value(a := 1) u", DATA, "-o", "parquet")
    assert answer.status == 2
    assert answer.stderr.startswith("kafkafmt: parquet cannot hold these columns: ")


def test_what_was_not_delivered_is_said(kafkafmt: Call) -> None:
    query = 'select "offset" from records where "offset" between 24 and 28'
    answer = kafkafmt("sql", query, FLIPPED, "--on-damage", "raise")
    assert (answer.status, answer.text) == (1, "")
    assert "position 1665: CRC mismatch" in answer.stderr
    assert "continue past it with --on-damage skip" in answer.stderr
    answer = kafkafmt("sql", query, FLIPPED)
    assert (answer.status, answer.text) == (1, "offset\n    24\n    28\n")
    assert answer.stderr.endswith("checksum, 173 bytes skipped (offsets 25 to 27, 3 records)\n")
    twice = f'select count(*) from ({query}) a join ({query}) b using ("offset")'
    assert kafkafmt("sql", twice, FLIPPED).stderr == answer.stderr
    assert kafkafmt("sql", "select count(*) from segments", FLIPPED).stderr == ""


def test_headers_with_errors_are_rows_and_findings(kafkafmt: Call) -> None:
    bad = DAMAGED / "crash-bad-magic-0"
    answer = kafkafmt("sql", "select count(*) from batches where magic > 2", bad, "-o", "csv", "--no-header")
    listed = kafkafmt("batches", bad, "-o", "csv")
    assert (answer.status, answer.text, answer.stderr) == (listed.status, "1\n", listed.stderr)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["select offset from records", DATA], 2, 'write the column as "offset", in double quotes'),
        (["select 1"], 2, "name a PATH after the QUERY."),
        ([DATA, "--out", "x.csv"], 2, "--out needs a QUERY."),
        (["select * from commits", DATA], 3, "no partition of __consumer_offsets"),
        (["select 1", DATA / "nix"], 3, "No such file"),
        (["select 1", DATA, "--on-damage", "ignore"], 2, "--on-damage"),
    ],
)
def test_wrong_usage_and_what_is_not_there(kafkafmt: Call, arguments: list[object], status: int, said: str) -> None:
    answer = kafkafmt("sql", *arguments)
    assert answer.status == status
    assert said in answer.stderr


def test_duckdb_is_asked_for(kafkafmt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    answer = kafkafmt("sql", "select 1", DATA)
    assert (answer.status, answer.stderr) == (2, "kafkafmt: SQL needs DuckDB: pip install 'kafkafmt[sql]'\n")


def test_statements_from_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "create table few as from records limit 2;\nselect count(*) n\nfrom few; select ';' as s -- ;\n;\nselect 7 as x"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert run(["sql", str(DATA), "-o", "jsonl"]) == 0
    assert [*map(json.loads, capsys.readouterr().out.splitlines())] == [{"n": 2}, {"s": ";"}, {"x": 7}]
    monkeypatch.setattr("sys.stdin", io.StringIO("select 1 as a; select; select 2 as a;"))
    assert run(["sql", str(DATA), "-o", "jsonl"]) == 2
    assert capsys.readouterr().out == '{"a":1}\n'


@pytest.mark.parametrize(
    ("text", "complete", "rest"),
    [
        ("select 1;", ["select 1;"], ""),
        ("select 1; select 2", ["select 1;"], "select 2"),
        ("select ';", [], "select ';"),
        ("select ';' \"a;b\" /* ; */ -- ;\n;x", ["select ';' \"a;b\" /* ; */ -- ;\n;"], "x"),
        ("select /* ;", [], "select /* ;"),
    ],
)
def test_where_statements_end(text: str, complete: list[str], rest: str) -> None:
    assert divided(text) == (complete, rest)


def test_an_interrupt_reaches_a_statement_whatever_the_main_thread_waits_for() -> None:
    """DuckDB may wait where it does not look for signals: a statement of minutes could not be interrupted."""
    called = threading.Event()
    with pytest.raises(KeyboardInterrupt), _calling_at_interrupts(called.set):
        signal.raise_signal(signal.SIGINT)
    assert called.wait(30)
    assert signal.set_wakeup_fd(-1) == -1


def test_there_is_no_statement_where_stdin_is_closed(kafkafmt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    answer = kafkafmt("sql", DATA)
    assert (answer.status, answer.text) == (2, "")
    assert "there is no QUERY, and standard input is closed." in answer.stderr


class Terminal:
    """The prompt on a terminal."""

    def __init__(self, *arguments: object) -> None:
        self._ours, theirs = pty.openpty()
        # It needs a separate session, in which Ctrl-C is a signal.
        code = "import os, sys; os.login_tty(0); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
        command = [sys.executable, "-c", code, *COMMAND[1:], *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment())
        os.close(theirs)

    def until(self, text: str, seconds: float = 60) -> str:
        seen = ""
        end = time.monotonic() + seconds
        while text not in seen:
            assert time.monotonic() < end, seen
            if select.select([self._ours], [], [], 1)[0]:
                seen += os.read(self._ours, 65536).decode().replace("\r\n", "\n")
        return seen

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())


@pytest.mark.slow
def test_the_prompt_goes_on_after_errors() -> None:
    terminal = Terminal("sql", DATA)
    assert ".help helps" in terminal.until("sql> ")
    terminal.type("select count(*) as n\n")
    terminal.until("...> ")
    terminal.type("from records where topic = 'shapes';\n")
    assert "n\n84\n" in terminal.until("sql> ")
    terminal.type("select foo from records;\n")
    assert 'kafkafmt: Binder Error: Referenced column "foo" not found' in terminal.until("sql> ")
    terminal.type("from commits;\n")
    assert "no partition of __consumer_offsets" in terminal.until("sql> ")
    terminal.type(".tables\n")
    listed = terminal.until("sql> ")
    assert "batches\ncommits\nfindings\n" in listed
    assert "typed topics: topic." in listed
    terminal.type("\\d producers\n")
    assert "producerId" in terminal.until("sql> ")
    terminal.type(".nix\n")
    assert "no command .nix" in terminal.until("sql> ")
    terminal.type("select 8 as a; select 9 as b;\n")
    assert "a\n8\nb\n9\n" in terminal.until("sql> ")
    terminal.type("\x04")
    assert terminal.process.wait(30) == 0
