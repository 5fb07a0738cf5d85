"""docs/values.md: its sessions and its Python, played in the directory that it is about."""

from pathlib import Path

import pytest

from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.values.change_events import written
from tests.values.golden_values import unpack

TEXT = document("values.md")
CASES = {"crm": "registry", "market": "protobuf", "shop": "json-schema"}
SESSIONS = blocks(TEXT, "console")


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    sources = {
        name: unpack(case, tmp_path / "golden" / case)
        for name, case in CASES.items()
        if f" {name} " in SESSIONS[number]
    }
    if " inventory " in SESSIONS[number]:
        sources["inventory"] = written(tmp_path / "events", "avro")
    assert played(SESSIONS[number], furnish(tmp_path, sources)) == SESSIONS[number]


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    furnish(tmp_path, {"crm": unpack("registry", tmp_path / "golden")})
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(TEXT, "python")
    exec(compile("import kafkafmt\n" + code, "values.md", "exec"), {})
    assert capsys.readouterr().out == "struct<price: string, colour: string, weight: int32>\n5 hard-deleted\n"
