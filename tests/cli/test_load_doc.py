"""docs/load.md: its sessions, run in order, and its Python."""

import textwrap
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played

TEXT = textwrap.dedent(document("load.md"))
SESSIONS = [textwrap.dedent(each) for each in blocks(TEXT.replace("\n   ", "\n"), "console")]
PLACES = {
    "log-dir": ROOT / "docs" / "examples" / "shop" / "log-dir",
    "typed": ROOT / "docs" / "examples" / "typed" / "log-dir",
}


@pytest.mark.slow
@NEEDS_SHELL
def test_the_document_shows_what_is_printed(tmp_path: Path) -> None:
    assert len(SESSIONS) == 3
    assert played("".join(SESSIONS), furnish(tmp_path, PLACES)) == "".join(SESSIONS)


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    furnish(tmp_path, PLACES)
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(TEXT, "python")
    exec(compile(code, "load.md", "exec"), {})
    assert capsys.readouterr().out == "12 version 1\n0\n"
