"""docs/transactions.md and docs/producers.md show what the commands print, and their Python runs."""

import importlib
import re
from pathlib import Path

import pytest

from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.golden_cases import GOLDEN

DATA = GOLDEN / "modern" / "04-transactions-3.9.1" / "log-dir"
DOCUMENTS = {name: document(f"{name}.md") for name in ("producers", "transactions")}
SESSIONS = [session for text in DOCUMENTS.values() for session in blocks(text, "console")]


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_documents_show_what_is_printed(number: int, tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnish(tmp_path, {"data": DATA})) == SESSIONS[number]


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_their_python_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks(DOCUMENTS[name], "python")
    code = block.replace("/var/lib/kafka/data", str(DATA)).replace('topics="orders"', 'topics="tx"')
    exec(compile(code, name, "exec"), {})
    printed = capsys.readouterr().out
    assert ("hanging 0 2 " if name == "transactions" else "tx 0 5 2\n") in printed


@pytest.mark.parametrize(
    ("name", "room"),
    [("producers", "kafkafmt.topics.producer_state"), ("transactions", "kafkafmt.topics.transaction_state")],
)
def test_every_column_is_told(name: str, room: str) -> None:
    module = importlib.import_module(room)
    answer = module.Transactions if name == "transactions" else module.Producers
    # docs/lost_or_repeated.md describes the table check.
    schemas = [schema for table, schema in answer.schemas().items() if table != "check"]
    told = {
        column.strip()
        for line in re.findall(r"^\| ([\w, ]+) \|", DOCUMENTS[name].replace("`", ""), re.MULTILINE)
        for column in line.split(",")
    }
    assert told - {"column"} == {field for schema in schemas for field in schema.names}
