"""docs/transactions.md and docs/producers.md: what they show is what the commands print, and their Python runs."""

import importlib
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT
from tests.cli.test_command_line_doc import played
from tests.golden_cases import GOLDEN

DATA = GOLDEN / "modern" / "04-transactions-3.9.1" / "log-dir"
DOCUMENTS = {name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("producers", "transactions")}
SESSIONS = [
    session
    for text in DOCUMENTS.values()
    for session in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory to type the documents' commands in."""
    (tmp_path / "data").symlink_to(DATA)
    program = tmp_path / "bin" / "kafkafmt"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m kafkafmt "$@"\n')
    program.chmod(0o755)
    return tmp_path


@pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_documents_show_what_is_printed(number: int, place: Path) -> None:
    assert played(SESSIONS[number], place) == SESSIONS[number]


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_their_python_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", DOCUMENTS[name], re.DOTALL)
    code = block.replace("/var/lib/kafka/data", str(DATA)).replace('topics="orders"', 'topics="tx"')
    exec(compile(code, name, "exec"), {})
    printed = capsys.readouterr().out
    assert ("hanging 0 2 " if name == "transactions" else "tx 0 5 2\n") in printed


@pytest.mark.parametrize(
    ("name", "table"),
    [("producers", "kafkafmt.topics.producer_state"), ("transactions", "kafkafmt.topics.transaction_state")],
)
def test_every_column_is_told(name: str, table: str) -> None:
    module = importlib.import_module(table)
    schemas = [module.SCHEMA] + ([module.DATA_SCHEMA] if name == "transactions" else [])
    told = {
        column.strip()
        for line in re.findall(r"^\| ([\w, ]+) \|", DOCUMENTS[name], re.MULTILINE)
        for column in line.split(",")
    }
    assert told - {"column"} == {field for schema in schemas for field in schema.names}
