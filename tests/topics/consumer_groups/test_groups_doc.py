"""docs/groups.md shows today's output."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.golden_cases import GOLDEN

DOCUMENT = document("groups.md")
SESSIONS = blocks(DOCUMENT, "console")
PYTHON = blocks(DOCUMENT, "python")
BEYOND = (
    "'committed beyond the log end, so auto.offset.reset decides where the group continues: g-simple on orders-1 "
    "(9223372036854775806, the log ends at 6)')"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory for the document's commands."""
    directories = {
        "data": GOLDEN / "modern" / "08-consumer-groups-4.3.1" / "log-dir",
        "reset": ROOT / "docs" / "examples" / "reset" / "log-dir",
    }
    monkeypatch.chdir(furnish(tmp_path, directories))
    return tmp_path


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, here: Path) -> None:
    assert played(SESSIONS[number], here) == SESSIONS[number]


@pytest.mark.usefixtures("here")
def test_the_document_shows_python_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, Any] = {}
    for block in PYTHON:
        exec(block, namespace)
    *lines, agreeing, _ = capsys.readouterr().out.split("\n")
    assert lines == [
        "{'values': 'metadata', 'counts': 7} 25",
        "Stable (0, 1)",
        "{'group': 'g-CooperativeStickyAssignor', 'topic': 'orders', 'lag': 0}",
        "['g-CooperativeStickyAssignor', 'g-RoundRobinAssignor']",
        "('ignored 1 offset that group g-txn committed in a transaction still open (producer 0)', " + BEYOND,
        "13 2",
    ]
    names = ["g-RangeAssignor", "g-StickyAssignor", "g-next", "g-next-regex", "g-next-static", "g-static", "g-upgraded"]
    assert agreeing == str(names)
