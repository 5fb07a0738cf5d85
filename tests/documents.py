"""Runs the shell sessions and the Python of documents, so that docs/ shows what the commands print today."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, environment
from tests.golden_cases import GOLDEN

DIRECTORIES = {
    "data": GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir",
    "damaged": GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged",
    "copies": GOLDEN / "modern" / "07-three-nodes-diverged-4.3.1" / "log-dir",
    "compacted": GOLDEN / "modern" / "05-compacted-4.3.1" / "log-dir",
    "transactions": GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir",
    "old": GOLDEN / "legacy" / "m1-codecs-0.10.2.2" / "log-dir",
}
"""Log directories that command_line.md and dump.md use, by the names they have there."""

NEEDS_SHELL = pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")


def document(name: str) -> str:
    """Return the text of a document in docs/."""
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Return a document's code blocks in a language: `console` for sessions."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def furnish(place: Path, directories: Mapping[str, Path]) -> Path:
    """Prepare a working directory for sessions: the command, and links to log directories by the document's names."""
    for name, target in directories.items():
        (place / name).symlink_to(target)
    program = place / "bin" / "kafkafmt"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m kafkafmt "$@"\n')
    program.chmod(0o755)
    return place


def played(session: str, place: Path) -> str:
    """Return a session as a terminal shows it when its commands are run; skip the test if a program is missing."""
    if "jq " in session and shutil.which("jq") is None:
        pytest.skip("install jq")
    for module in ("duckdb", "polars"):
        if f"import {module}" in session:
            pytest.importorskip(module, reason=f"pip install {module}")
    script = ["exec 2>&1", f"PATH={place / 'bin'}:{Path(sys.executable).parent}:$PATH", "s=0"]
    for line in session.splitlines():
        if line.startswith("$ "):
            command = line.removeprefix("$ ")
            script += [f"printf '%s\\n' {shlex.quote(line)}", "(exit $s)", command, "s=$?"]
    answer = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=place, env=environment(), check=False, capture_output=True
    )
    return answer.stdout.decode("utf-8")
