"""docs/metadata.md: what it shows is what is printed today, and its columns are all there are."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.topics.cluster_metadata.difference import DIFFERENCE_SCHEMA
from kafkafmt.topics.cluster_metadata.sections import SECTIONS
from tests.cli.conftest import ROOT
from tests.cli.test_command_line_doc import place, played
from tests.golden_cases import GOLDEN

__all__ = ["place"]

DOCUMENT = (ROOT / "docs" / "metadata.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^```console\n(.*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)
PYTHON = re.findall(r"^```python\n(.*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)
DIRECTORIES = {"data": "10-cluster-metadata-4.3.1", "copies": "10b-three-controllers-4.3.1"}


@pytest.fixture
def here(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to type the document's commands in."""
    for name, case in DIRECTORIES.items():
        (place / name).unlink()
        (place / name).symlink_to(GOLDEN / "modern" / case / "log-dir")
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
    names: dict[str, Any] = {}
    for block in PYTHON:
        exec(block, names)
    assert capsys.readouterr().out.splitlines() == [
        "4.3-IV0 73 [1, 2, 3]",
        "Jvwr2_hMRu-T6qlp-vlFPQ (1, 2, 3)",
        "rep 1",
        "{'topic': 'rep', 'partition': 1, 'elr': [2]}",
        "73 0 0",
        "50 []",
        "m-one True None",
        "bulk-5 False belongs to no topic of this cluster (topic id sKiV3TZVQuC7NTqtoyW6nw)",
    ]


def test_the_document_has_all_columns() -> None:
    told = set(re.findall(r"`(\w+)`", DOCUMENT.partition("## Columns")[2]))
    for name, section in SECTIONS.items():
        assert f"`--show {name}`" in DOCUMENT
        assert set(section.schema.names) <= told
    assert set(DIFFERENCE_SCHEMA.names) <= told
