"""docs/sql.md: its sessions print what it shows, and its Python runs."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT
from tests.documents import DIRECTORIES, NEEDS_SHELL, blocks, document, furnish, played

SESSIONS = blocks(document("sql.md"), "console")
PLACES = {**DIRECTORIES, "shop": ROOT / "docs" / "examples" / "shop" / "log-dir"}


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnish(tmp_path, PLACES)) == SESSIONS[number]


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(furnish(tmp_path, PLACES))
    names: dict[str, Any] = {}
    (code,) = blocks(document("sql.md"), "python")
    exec(compile(code, "docs/sql.md", "exec"), names)
    assert names["largest"]["n"] > 100
    assert capsys.readouterr().out.endswith("[]\n")
