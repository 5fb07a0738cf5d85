"""docs/command_line.md and the pages of commands without a separate test show what the commands print today."""

import re
from pathlib import Path

import pytest

from kafkafmt.cli.main import COMMANDS
from tests.documents import DIRECTORIES, NEEDS_SHELL, blocks, document, furnish, played

PAGES = ("command_line", "ls", "cat", "batches", "find", "inspect", "extract", "state", "specs", "completion")
SESSIONS = [session for page in PAGES for session in blocks(document(f"{page}.md"), "console")]


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnish(tmp_path, DIRECTORIES)) == SESSIONS[number]


def test_the_table_has_a_row_for_every_command() -> None:
    rows = re.findall(r"^\| `kafkafmt ([\w-]+).*`? \| .+ \|$", document("command_line.md"), re.MULTILINE)
    assert rows == list(COMMANDS)
