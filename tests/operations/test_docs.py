"""docs/retention.md and docs/compaction.md: sessions, Python, and that each reason and column is explained."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from kafkafmt.operations import Compaction, Retention
from kafkafmt.operations.cleanable import UncleanableReason
from kafkafmt.operations.deletion import Cause
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.operations.golden_operations import questions

SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"


@dataclass(frozen=True)
class _Document:
    operation: str
    cases: dict[str, str]
    answer: type[Compaction | Retention]
    reasons: list[str]
    title_of_reasons: str
    printed: list[str]

    @property
    def text(self) -> str:
        return document(f"{self.operation}.md")

    @property
    def sessions(self) -> list[str]:
        return blocks(self.text, "console")

    def furnished(self, place: Path) -> Path:
        """A directory with what the document names."""
        crafted = {question.case: question for question in questions(self.operation)}
        directories = {"log-dir": SHOP}
        for name, case in self.cases.items():
            (place / case).mkdir()
            directories[name] = crafted[case].unpack(place / case)
        return furnish(place, directories)


DOCUMENTS = [
    _Document(
        "retention",
        {"disk": "retention-crafted-4.3.1"},
        Retention,
        [str(cause) for cause in Cause],
        "## Reasons",
        [
            "('segments', 'topics', 'partitions') (4713, 4713, 4713)",
            "{'topic': '__transaction_state', 'deletableBytes': 0, 'heldBy': 'cleanup.policy'}",
        ],
    ),
    _Document(
        "compaction",
        {"disk": "compaction-plain-4.3.1", "transactions": "compaction-producers-4.3.1"},
        Compaction,
        [*get_args(UncleanableReason)],
        "| uncleanableReason |",
        [
            "('partitions', 'keys') (31, 1825)",
            "[{'topic': 'group', 'wouldClean': True, 'removableRecords': 31}]",
        ],
    ),
]
EACH = pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.operation)


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize(
    ("page", "number"),
    [
        pytest.param(page, number, id=f"{page.operation}-{number}")
        for page in DOCUMENTS
        for number in range(len(page.sessions))
    ],
)
def test_it_shows_what_is_printed(page: _Document, number: int, tmp_path: Path) -> None:
    assert played(page.sessions[number], page.furnished(tmp_path)) == page.sessions[number]


@EACH
def test_its_python_runs(
    page: _Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(page.furnished(tmp_path))
    (code,) = blocks(page.text, "python")
    exec(compile("import kafkafmt\n" + code, f"{page.operation}.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == page.printed


@EACH
def test_it_explains_each_reason_and_no_other(page: _Document) -> None:
    section = page.text.partition(page.title_of_reasons)[2]
    table = section[section.index("\n| `") :].partition("\n\n")[0]
    assert re.findall(r"^\| `([^`]*)`", table, re.MULTILINE) == page.reasons


@EACH
def test_it_names_each_column(page: _Document) -> None:
    table = page.text.partition("## Tables")[2]
    named = {name for row in re.findall(r"^\|(.*?)\|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert named == {name for schema in page.answer.schemas().values() for name in schema.names}
