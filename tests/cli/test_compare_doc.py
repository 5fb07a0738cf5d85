"""docs/compare.md: its sessions and its Python, run in the directory that it describes."""

import re
from pathlib import Path

import pytest

from kafkafmt.logdir.truncation import PROTOCOLS, RESPONSES
from kafkafmt.operations import ComparedCopies
from kafkafmt.operations.contents import REMARKS
from kafkafmt.operations.paired_records import DIFFERENCES
from kafkafmt.operations.pairs import RELATIONS
from tests.cli.conftest import ROOT
from tests.documents import DIRECTORIES, NEEDS_SHELL, blocks, document, furnish, played

TEXT = document("compare.md")
SESSIONS = blocks(TEXT, "console")
REPLICAS = DIRECTORIES["copies"]
PLACES = {
    "replicas": REPLICAS,
    "restored": REPLICAS / "node-3",
    "kip-101": ROOT / "docs" / "examples" / "kip-101",
}


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnish(tmp_path, PLACES)) == SESSIONS[number]


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    furnish(tmp_path, PLACES)
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(TEXT, "python")
    code = re.sub(r'"/copies/broker-(.)"', r'"replicas/node-\1"', code)
    exec(compile("import kafkafmt\n" + code, "compare.md", "exec"), {})
    relations, rows, records = capsys.readouterr().out.splitlines()
    assert relations == "{'diverged': 2}"
    assert rows.count("'firstDivergentOffset': 65") == 2
    assert records == "20"


def test_every_name_is_documented() -> None:
    names = [*RELATIONS, *DIFFERENCES, *REMARKS, *PROTOCOLS, *RESPONSES, *ComparedCopies.schemas()]
    names += [name for schema in ComparedCopies.schemas().values() for name in schema.names]
    both = {f"{which}{name}" for which in ("first", "second") for name in re.findall(r"`([A-Z]\w+)`", TEXT)}
    assert len(names) > 60
    assert [name for name in names if f"`{name}`" not in TEXT and name not in both] == []


def test_the_examples_are_what_the_tool_makes(tmp_path: Path) -> None:
    import runpy

    tool = runpy.run_path(str(ROOT / "tools" / "example_replicas"))
    assert tool["main"]([str(tmp_path)]) == 0
    bundled = PLACES["kip-101"]
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(made) > 40
    assert made == {
        path.relative_to(bundled): path.read_bytes()
        for path in bundled.rglob("*")
        if path.is_file() and path.name != "README.md"
    }
