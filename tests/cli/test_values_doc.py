"""docs/values.md: its sessions and its Python, played in the directory that it is about."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kafkafmt.values import schemas as schemas_of
from kafkafmt.values.schema_export import write_schemas
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.values.change_events import written
from tests.values.golden_values import unpack
from tests.values.registry_stub import Registry, served

TEXT = document("values.md")
SESSIONS = blocks(TEXT, "console")
PLACES = {"crm": "registry", "market": "protobuf", "shop": "json-schema", "mixed": "avro", "aws": "framings"}
"""The directories of the document, and the golden cases that they are."""


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, tmp_path: Path) -> None:
    sources = {
        name: unpack(case, tmp_path / "golden" / case)
        for name, case in PLACES.items()
        if f" {name} " in SESSIONS[number]
    }
    if " inventory " in SESSIONS[number]:
        sources["inventory"] = written(tmp_path / "events", "avro")
    assert played(SESSIONS[number], furnish(tmp_path, sources)) == SESSIONS[number]


@pytest.mark.slow
@NEEDS_SHELL
def test_its_loop_imports_schemas(tmp_path: Path) -> None:
    if shutil.which("jq") is None or shutil.which("curl") is None:
        pytest.skip("install jq and curl")
    (loop,) = blocks(TEXT, "sh")
    found = schemas_of(unpack("registry", tmp_path))
    write_schemas(found, tmp_path / "schemas")
    registry = Registry()
    with served(registry) as url:
        run = subprocess.run(
            ["bash", "-c", loop], cwd=tmp_path, env={**os.environ, "REGISTRY": url}, capture_output=True, check=True
        )
    assert run.stderr == b""
    wanted = [each for each in found.all if each.state != "hard-deleted" and not each.is_superseded]
    assert {key: (each["id"], each["deleted"]) for key, each in registry.versions.items()} == {
        (each.subject, each.version): (each.schema_id, each.state == "soft-deleted")
        for each in wanted
        if each.schema_id is not None and each.schema_id >= 0
    }
    assert registry.configs == found.configs
    # A second import finds schemas, and stops at once.
    with served(registry) as url:
        again = subprocess.run(
            ["bash", "-c", loop], cwd=tmp_path, env={**os.environ, "REGISTRY": url}, capture_output=True, check=False
        )
    assert b"Cannot import since found existing subjects" in again.stdout
    assert len(again.stdout.splitlines()) <= 1


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    furnish(tmp_path, {"crm": unpack("registry", tmp_path / "golden")})
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(TEXT, "python")
    exec(compile("import kafkafmt\n" + code, "values.md", "exec"), {})
    assert capsys.readouterr().out == "struct<price: string, colour: string, weight: int32>\n5 hard-deleted\n"
