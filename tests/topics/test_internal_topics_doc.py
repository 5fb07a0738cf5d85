"""docs/internal_topics.md shows today's output, and all kinds with examples."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.reference.messages import message
from kafkafmt.topics import tables
from kafkafmt.topics.decoding import KINDS
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.golden_cases import GOLDEN, cases
from tests.topics.test_tables_golden import NEVER_SEEN, internal

DOCUMENT = document("internal_topics.md")
SESSIONS = blocks(DOCUMENT, "console")
PYTHON = [block for block in blocks(DOCUMENT, "python") if "spark" not in block]
EXAMPLES = re.findall(r"^\{\"kind\":.*\}$", DOCUMENT, re.MULTILINE)
DIRECTORIES = {"groups": "08-consumer-groups-4.3.1", "controllers": "10b-three-controllers-4.3.1"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory for the document's commands."""
    monkeypatch.chdir(
        furnish(tmp_path, {name: GOLDEN / "modern" / case / "log-dir" for name, case in DIRECTORIES.items()})
    )
    return tmp_path


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, here: Path) -> None:
    assert played(SESSIONS[number], here) == SESSIONS[number]


@pytest.mark.usefixtures("here")
def test_the_document_shows_python_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb", reason="pip install duckdb")
    names: dict[str, Any] = {}
    for block in PYTHON:
        exec(block, names)
    table, newest, _ = capsys.readouterr().out.split("\n")
    assert table == "16 {'group': 'g-upgraded', 'topic': 'orders', 'partition': 0} ()"
    assert newest.startswith("[('g-txn', 1795235702609), ")


def test_the_document_has_all_kinds() -> None:
    rows = []
    for kind in KINDS:
        value = message(kind.value)
        versions = [str(version) for version in sorted({value.first_version, value.last_version})]
        fields = [", ".join(field.name for field in message(name).fields) for name in (kind.key, kind.value) if name]
        of_key = fields[0] if kind.key else ""
        rows.append(f"| `{kind.name}` | {kind.type} | {' to '.join(versions)} | {of_key} | {fields[-1]} |")
    assert re.findall(r"^\| `[A-Z].* \|$", DOCUMENT, re.MULTILINE) == rows


def test_the_document_has_a_record_of_each_kind() -> None:
    missing = {example: json.loads(example) for example in EXAMPLES}
    assert [example["kind"] for example in missing.values()] == [k.name for k in KINDS if k.name not in NEVER_SEEN]
    for case in cases():
        for topic in internal(case):
            columns = ["kind", "key", "valueVersion", "value"]
            table = tables.read(case.log_dir, topic, columns=columns, on_damage="skip", replica="all").to_table()
            for row in table.to_pylist():
                key = {} if row["key"] is None else {"key": row["key"]}
                parts = {
                    "kind": json.dumps(row["kind"]),
                    **key,
                    "valueVersion": row["valueVersion"],
                    "value": row["value"],
                }
                missing.pop("{" + ",".join(f'"{name}":{part}' for name, part in parts.items()) + "}", None)
    assert list(missing) == []
