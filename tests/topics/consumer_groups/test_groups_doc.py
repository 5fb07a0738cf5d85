"""docs/groups.md: what it shows is what is printed today, and its columns are all there are."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.topics.consumer_groups import tables
from tests.cli.conftest import ROOT
from tests.cli.test_command_line_doc import place, played
from tests.golden_cases import GOLDEN

__all__ = ["place"]

DOCUMENT = (ROOT / "docs" / "groups.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^```console\n(.*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)
PYTHON = re.findall(r"^```python\n(.*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)


@pytest.fixture
def here(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to type the document's commands in."""
    (place / "data").unlink()
    (place / "data").symlink_to(GOLDEN / "modern" / "08-consumer-groups-4.3.1" / "log-dir")
    monkeypatch.chdir(place)
    return place


@pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, here: Path) -> None:
    if "jq " in SESSIONS[number] and shutil.which("jq") is None:
        pytest.skip("install jq")
    assert played(SESSIONS[number], here) == SESSIONS[number]


@pytest.mark.usefixtures("here")
def test_the_document_shows_python_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, Any] = {}
    for block in PYTHON:
        exec(block, namespace)
    *lines, agreeing, _ = capsys.readouterr().out.split("\n")
    assert lines == [
        "Stable (0, 1)",
        "{'group': 'g-CooperativeStickyAssignor', 'topic': 'orders', 'lag': 0}",
        "['g-CooperativeStickyAssignor', 'g-RoundRobinAssignor']",
        "('1 offset committed in transactions that have not ended, of g-txn, does not count (producer id 0)',)",
        "13 2",
    ]
    names = ["g-RangeAssignor", "g-StickyAssignor", "g-next", "g-next-regex", "g-next-static", "g-static", "g-upgraded"]
    assert agreeing == str(names)


def test_the_document_has_all_columns() -> None:
    named = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\|.*\|$", DOCUMENT, re.MULTILINE))))
    shapes = (tables.OFFSETS, tables.GROUPS, tables.MEMBERS)
    assert {name for shape in shapes for name in shape.names} <= named
    last = DOCUMENT.rpartition("`--check-assignment` has")[2]
    assert {*tables.CHECKS.names, *tables.HOMES.names} <= set(re.findall(r"`(\w+)`", last))
