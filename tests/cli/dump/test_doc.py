"""docs/dump.md: what it shows is what the command prints today, and no option is missing there."""

import re
import shutil
from pathlib import Path

import pytest

from kafkafmt.cli.dump import command
from tests.cli.conftest import ROOT
from tests.cli.test_command_line_doc import place, played

__all__ = ["place"]

TEXT = (ROOT / "docs" / "dump.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^```console\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


@pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, place: Path) -> None:
    assert played(SESSIONS[number], place) == SESSIONS[number]


def test_every_option_is_in_the_document() -> None:
    options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
    assert len(options) > 10
    assert not [option for option in options if f"`{option}" not in TEXT]
