"""docs/values.md, docs/values_schemas.md: their sessions and Python, run beside their log directories."""

import os
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.values import schemas as schemas_of
from kafkafmt.values.schema_export import write_schemas
from tests.cli.conftest import ROOT
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.values.change_events import written
from tests.values.golden_values import unpack
from tests.values.registry_stub import Registry, served, serving

PAGES = ("values.md", "values_schemas.md")
SESSIONS = [(page, number) for page in PAGES for number in range(len(blocks(document(page), "console")))]
PLACES = {"market": "protobuf", "billing": "json-schema", "mixed": "avro", "aws": "framings"}
"""The directories of the documents, with their golden cases; docs/examples/typed is used directly."""


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize(("page", "number"), SESSIONS)
def test_the_document_shows_what_is_printed(page: str, number: int, tmp_path: Path) -> None:
    session = blocks(document(page), "console")[number]
    sources = {
        name: unpack(case, tmp_path / "golden" / case) for name, case in PLACES.items() if f" {name} " in session
    }
    if " inventory " in session:
        sources["inventory"] = written(tmp_path / "events", "avro")
    place = furnish(tmp_path, {"docs": ROOT / "docs", **sources})
    assert played(session, place) == session


@pytest.mark.slow
@NEEDS_SHELL
def test_its_loop_imports_schemas(tmp_path: Path) -> None:
    if shutil.which("jq") is None or shutil.which("curl") is None:
        pytest.skip("install jq and curl")
    loop, _ = blocks(document("values_schemas.md"), "sh")
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
    # A second import finds schemas and stops at once.
    with served(registry) as url:
        again = subprocess.run(
            ["bash", "-c", loop], cwd=tmp_path, env={**os.environ, "REGISTRY": url}, capture_output=True, check=False
        )
    assert b"Cannot import since found existing subjects" in again.stdout
    assert len(again.stdout.splitlines()) <= 1


@NEEDS_SHELL
def test_its_curl_sends_the_archive(tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("install curl")
    _, curl = blocks(document("values_schemas.md"), "sh")
    write_schemas(schemas_of(ROOT / "docs" / "examples" / "typed" / "log-dir"), tmp_path / "schemas")
    sent = []

    class Apicurio(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            sent.append((self.path, self.headers["Content-Type"], data))
            self.send_response(204)
            self.end_headers()

    with serving(Apicurio) as url:
        subprocess.run(["bash", "-c", curl], cwd=tmp_path, env={**os.environ, "REGISTRY": url}, check=True)
    archive = (tmp_path / "schemas" / "import.apicurio.zip").read_bytes()
    assert sent == [("/apis/registry/v3/admin/import", "application/zip", archive)]


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    furnish(tmp_path, {"docs": ROOT / "docs", "inventory": written(tmp_path / "events", "avro")})
    monkeypatch.chdir(tmp_path)
    typed, unwrapped = blocks(document("values.md"), "python")
    names: dict[str, Any] = {"kafkafmt": kafkafmt}
    exec(compile(typed, "values.md", "exec"), names)
    assert capsys.readouterr().out.splitlines() == [
        "struct<id: int64, customer: string, total: decimal128(10, 2), placed: timestamp[ms, tz=UTC], channel: string>",
        "{'currency': 'EUR', 'cents': 5525}",
        "12",
        "2 hard-deleted",
    ]
    exec(compile(unwrapped, "values.md", "exec"), names)
    assert names["table"].column("op").to_pylist() == ["r", "r", "u"]
