"""Output streams of text and complaints, and pairs of numbers under one title."""

import io

import pytest

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.index import Pairs


def test_of_too_many_only_the_number_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.cli.dump.index.MAX_KEPT", 2)
    found = Pairs()
    for number in range(5):
        found.add(number, -number)
    stderr = io.BytesIO()
    found.print(Console(io.BytesIO(), stderr), "Title", "  {} and {}")
    assert stderr.getvalue() == b"Title\n  0 and 0\n  1 and -1\n  ... and 3 more\n"
    assert len(found) == 5


def test_none_have_no_title() -> None:
    stderr = io.BytesIO()
    Pairs().print(Console(io.BytesIO(), stderr), "Title", "{} {}")
    assert stderr.getvalue() == b""


def test_text_is_written_in_large_pieces_and_in_order() -> None:
    stdout, stderr = io.BytesIO(), io.BytesIO()
    console = Console(stdout, stderr)
    console.line("one")
    assert stdout.getvalue() == b""
    console.error_line("wrong\x07")
    assert (stdout.getvalue(), stderr.getvalue()) == (b"one\n", b"wrong\\x07\n")
    console.line("x" * 300_000)
    assert len(stdout.getvalue()) == 4 + 300_001


def test_hints_are_for_who_reads_along_and_come_once_at_the_end() -> None:
    for hints, said in ((True, b"wrong\nkafkafmt: one\nkafkafmt: two\n"), (False, b"wrong\n")):
        stderr = io.BytesIO()
        console = Console(io.BytesIO(), stderr, hints=hints)
        for text in ("one", "two", "one"):
            console.hint(text)
        console.error_line("wrong")
        console.print_hints()
        assert stderr.getvalue() == said
        assert console.status == 0


def test_only_a_terminal_gets_escapes() -> None:
    for is_terminal, written in ((True, b"a\\x1b[2J\\u061c\\nb\n"), (False, b"a\x1b[2J\xd8\x9c\nb\n")):
        stdout = io.BytesIO()
        console = Console(stdout, io.BytesIO(), is_terminal=is_terminal)
        console.line("a\x1b[2J\u061c\nb")
        console.flush()
        assert stdout.getvalue() == written
