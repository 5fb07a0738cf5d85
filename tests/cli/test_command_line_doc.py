"""docs/command_line.md: what it shows is what the commands print today."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, environment
from tests.golden_cases import GOLDEN

DOCUMENT = ROOT / "docs" / "command_line.md"
SESSIONS = re.findall(r"^```console\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
DIRECTORIES = {
    "data": "modern/01-codecs-4.3.1/log-dir",
    "damaged": "modern/12-crash-4.3.1/log-dir/damaged",
    "copies": "modern/07-three-nodes-diverged-4.3.1/log-dir",
    "transactions": "modern/04-transactions-4.3.1/log-dir",
    "old": "legacy/m1-codecs-0.10.2.2/log-dir",
}
"""What the document's directories are."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory to type the document's commands in."""
    for name, directory in DIRECTORIES.items():
        (tmp_path / name).symlink_to(GOLDEN / directory)
    program = tmp_path / "bin" / "kafkafmt"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m kafkafmt "$@"\n')
    program.chmod(0o755)
    return tmp_path


def played(session: str, place: Path) -> str:
    """What a terminal shows when the commands of a session are typed into a shell."""
    script = ["exec 2>&1", f"PATH={place / 'bin'}:{Path(sys.executable).parent}:$PATH", "s=0"]
    for line in session.splitlines():
        if line.startswith("$ "):
            command = line.removeprefix("$ ")
            script += [f"printf '%s\\n' {shlex.quote(line)}", "(exit $s)", command, "s=$?"]
    answer = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=place, env=environment(), check=False, capture_output=True
    )
    return answer.stdout.decode("utf-8")


@pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, place: Path) -> None:
    if "jq " in SESSIONS[number] and shutil.which("jq") is None:
        pytest.skip("install jq")
    for module in ("duckdb", "polars"):
        if f"import {module}" in SESSIONS[number]:
            pytest.importorskip(module, reason=f"pip install {module}")
    assert played(SESSIONS[number], place) == SESSIONS[number]
