"""docs/metadata.md shows today's output and lists all columns."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.topics.cluster_metadata import changes
from kafkafmt.topics.cluster_metadata.difference import DIFFERENCE
from kafkafmt.topics.cluster_metadata.history import METADATA_HISTORY
from kafkafmt.topics.cluster_metadata.sections import SECTIONS
from tests.cli.conftest import ROOT
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.golden_cases import GOLDEN

DOCUMENT = document("metadata.md")
SESSIONS = blocks(DOCUMENT, "console")
PYTHON = blocks(DOCUMENT, "python")
DIRECTORIES = {"data": "10-cluster-metadata-4.3.1", "copies": "10b-three-controllers-4.3.1"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory for the document's commands."""
    directories = {name: GOLDEN / "modern" / case / "log-dir" for name, case in DIRECTORIES.items()}
    monkeypatch.chdir(furnish(tmp_path, {**directories, "reset": ROOT / "docs" / "examples" / "reset" / "log-dir"}))
    return tmp_path


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, here: Path) -> None:
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
    assert set(DIFFERENCE.schema.names) <= told
    assert set(METADATA_HISTORY.schema.names) <= told


def test_the_document_has_all_events() -> None:
    """The events of changes.py; an event that ends in two dots continues with its noun."""
    told = DOCUMENT.partition("## What happened to it?")[2].partition("## What is read")[0].replace(", ..", ", ")
    source = inspect.getsource(changes)
    events = set(re.findall(r'(?:MetadataChange\(|change\(|event = )\s*"([^"]+)"', source))
    assert len(events) > 20
    missing = {event for event in events if event not in told}
    assert not missing - {"SCRAM credential removed", "delegation token renewed", "delegation token deleted"}
