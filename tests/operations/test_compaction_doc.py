"""docs/compaction.md: its sessions and its Python, and that it explains each reason and column."""

import re
from pathlib import Path
from typing import get_args

import pytest

from kafkafmt.operations import Compaction
from kafkafmt.operations.cleanable import UncleanableReason
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.operations.golden_operations import questions

TEXT = document("compaction.md")
SESSIONS = blocks(TEXT, "console")
SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"
CASES = {"disk": "compaction-plain-4.3.1", "transactions": "compaction-producers-4.3.1"}


def furnished(place: Path) -> Path:
    """A directory with what the document names."""
    crafted = {question.case: question for question in questions("compaction")}
    directories = {"log-dir": SHOP}
    for name, case in CASES.items():
        (place / case).mkdir()
        directories[name] = crafted[case].unpack(place / case)
    return furnish(place, directories)


@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnished(tmp_path)) == SESSIONS[number]


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(furnished(tmp_path))
    (code,) = blocks(TEXT, "python")
    exec(compile("import kafkafmt\n" + code, "compaction.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "('partitions', 'keys') (31, 1825)",
        "[{'topic': 'group', 'wouldClean': True, 'removableRecords': 31}]",
    ]


def test_it_explains_each_reason() -> None:
    table = TEXT.partition("| uncleanableReason |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([^`]*)`", table, re.MULTILINE) == [*get_args(UncleanableReason)]


def test_it_names_each_column() -> None:
    table = TEXT.partition("## Tables")[2]
    named = {name for row in re.findall(r"^\|(.*?)\|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert named == {name for schema in Compaction.schemas().values() for name in schema.names}
