"""docs/grep.md: its sessions and its Python, run in the directory that it describes."""

import re
from pathlib import Path

import pytest

from tests.documents import NEEDS_SHELL, blocks, document, furnish, played

TEXT = document("grep.md")
SESSIONS = blocks(TEXT, "console")
SHOP = {"log-dir": Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"}


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnish(tmp_path, SHOP)) == SESSIONS[number]


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    furnish(tmp_path, SHOP)
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(TEXT, "python")
    exec(compile("import kafkafmt\n" + code, "grep.md", "exec"), {})
    first, second, third, fourth = capsys.readouterr().out.splitlines()
    assert first == "[{'topic': 'customers', 'offset': 3, 'matchedIn': ['key']}]"
    assert re.fullmatch(r"\[\{'topic': 'payments', 'partition': 0, 'records': \d+\}.*\]", second)
    assert re.fullmatch(r"[1-9]\d* found \[\]", third)
    assert fourth == "[{'group': 'reports', 'topic': 'page-views', 'partition': 0}]"
