"""docs/dump.md shows what the command prints today, and every option."""

from pathlib import Path

import pytest

from kafkafmt.cli.dump import command
from tests.documents import DIRECTORIES, NEEDS_SHELL, blocks, document, furnish, played

TEXT = document("dump.md")
SESSIONS = blocks(TEXT, "console")


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnish(tmp_path, DIRECTORIES)) == SESSIONS[number]


def test_every_option_is_in_the_document() -> None:
    options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
    assert len(options) > 10
    assert not [option for option in options if f"`{option}" not in TEXT]
