"""docs/daily_loads.md: its sessions, run in order, and its Python."""

from pathlib import Path

import pytest

from tests.documents import NEEDS_SHELL, blocks, document, furnish, played

TEXT = document("daily_loads.md")
SESSIONS = blocks(TEXT, "console")
SHOP = {"log-dir": Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"}


@pytest.mark.slow
@NEEDS_SHELL
def test_the_document_shows_what_is_printed(tmp_path: Path) -> None:
    assert played("".join(SESSIONS), furnish(tmp_path, SHOP)) == "".join(SESSIONS)


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    furnish(tmp_path, SHOP)
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(TEXT, "python")
    exec(compile("import kafkafmt\n" + code, "daily_loads.md", "exec"), {})
    assert capsys.readouterr().out == "[(20, 20)]\n"
