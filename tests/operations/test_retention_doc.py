"""docs/retention.md: its sessions and its Python, and that it explains each reason and column."""

import re
from pathlib import Path

import pytest

from kafkafmt.operations.deletion import Cause
from kafkafmt.operations.retention import SCHEMAS
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.operations.golden_operations import questions

TEXT = document("retention.md")
SESSIONS = blocks(TEXT, "console")
SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"


def furnished(place: Path) -> Path:
    crafted = next(each for each in questions("retention") if each.case == "retention-crafted-4.3.1")
    (place / "crafted").mkdir()
    return furnish(place, {"log-dir": SHOP, "disk": crafted.unpack(place / "crafted")})


@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnished(tmp_path)) == SESSIONS[number]


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(furnished(tmp_path))
    (code,) = blocks(TEXT, "python")
    exec(compile("import kafkafmt\n" + code, "retention.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "('segments', 'topics', 'partitions') (4713, 4713, 4713)",
        "{'topic': '__transaction_state', 'deletableBytes': 0, 'heldBy': 'cleanup.policy'}",
    ]


def test_it_explains_each_reason_and_no_other() -> None:
    table = TEXT.partition("## Reasons")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([^`]*)`", table, re.MULTILINE) == [str(cause) for cause in Cause]


def test_it_names_each_column() -> None:
    table = TEXT.partition("## Tables")[2]
    named = {name for row in re.findall(r"^\|(.*?)\|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert named == {name for schema in SCHEMAS.values() for name in schema.names}
