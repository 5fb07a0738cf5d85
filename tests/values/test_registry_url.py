"""The schemas of a registry at a URL, and errors for answers of other servers."""

import json
import re
import threading
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.errors import KafkafmtError, LimitExceededError, SourceError
from kafkafmt.values import registry_url
from kafkafmt.values import schemas as schemas_of
from kafkafmt.values.registry import Schemas
from kafkafmt.values.schema_export import IMPORT, write_schemas
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.golden_values import unpack
from tests.values.registry_stub import Registry, served, serving


def imported(registry: Registry, folder: Path) -> None:
    """Send the requests of an import; each must be accepted."""
    for line in (folder / IMPORT).read_text().splitlines():
        request = json.loads(line)
        path, _, query = request["path"].partition("?")
        answer = registry.answer(request["method"], path, {"force": ["true"]} if query else {}, request["body"])
        assert answer[0] == 200, (request, answer)


def of_contexts(found: Schemas) -> dict[str | None, str]:
    """The modes of the schemas' contexts after an import."""
    return {f":{each.context}:": "READWRITE" for each in found.all if each.context != "."}


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    registry_url.read_url.cache_clear()


@pytest.mark.parametrize("case", ["avro", "protobuf", "json-schema", "registry", "damaged"])
@pytest.mark.parametrize(
    "kind",
    [Registry(), Registry(has_list=False), Registry(has_pages=False), Registry(lists_subjects=False)],
    ids=["", "old", "whole", "apicurio"],
)
def test_an_imported_registry_has_the_same_schemas(case: str, kind: Registry, tmp_path: Path) -> None:
    found = schemas_of(unpack(case, tmp_path))
    write_schemas(found, tmp_path / "out")
    registry = replace(kind, versions={}, configs={}, modes={}, requests=[])
    imported(registry, tmp_path / "out")
    with served(registry) as url:
        there = schemas_of(url)
    # The registry does not return hard-deleted or replaced texts, and accepts no negative ids.
    wanted = [
        each
        for each in found.all
        if each.state != "hard-deleted" and not each.is_superseded and (each.schema_id or 0) >= 0
    ]
    assert len(wanted) > 15
    expected = {
        (each.subject, each.version): (each.schema_id, each.guid, each.state, each.type, each.references, each.schema)
        for each in wanted
    }
    assert {
        (each.subject, each.version): (each.schema_id, each.guid, each.state, each.type, each.references, each.schema)
        for each in there.all
    } == expected
    assert registry.configs == found.configs
    assert registry.modes == {None: "READWRITE", **of_contexts(found), **found.modes}


def filled(registry: Registry, subjects: int) -> Registry:
    """A registry with a number of subjects, the last of which is deleted."""
    for number in range(subjects):
        version = {"subject": f"s{number:04}", "version": 1, "id": number, "schemaType": "AVRO", "schema": '"int"'}
        registry.versions[f"s{number:04}", 1] = {**version, "deleted": number == subjects - 1}
    return registry


def test_a_deleted_subject_that_is_listed_and_not_given(kafkafmt: Call) -> None:  # noqa: F811
    """As Apicurio Registry 3.0.9 and 3.3.3 do (`tools/proof registry`)."""
    with served(filled(Registry(lists_subjects=False, gives_deleted=False), 2)) as url:
        shown = kafkafmt("schemas", url, "--columns", "subject,schemaId", "-o", "jsonl")
    assert (shown.status, shown.lines) == (0, ['{"subject":"s0000","schemaId":0}'])
    assert "lists 1 schema that it does not return" in shown.stderr
    assert "s0001 version 1" in shown.stderr


@pytest.mark.parametrize("has_pages", [True, False])
def test_subjects_are_listed_in_pages(has_pages: bool) -> None:
    """Apicurio Registry lists 1,000 subjects per page; version 3.0 has no second page."""
    registry = filled(Registry(lists_subjects=False, has_pages=has_pages, most_subjects=1000), 1003)
    with served(registry) as url:
        found = schemas_of(url)
    assert len(found.all) == (1003 if has_pages else 1000)
    assert sum(path.endswith("/versions/1") for path, _ in registry.requests) == len(found.all)  # each text once
    assert found.notes == (() if has_pages else (f"{url} lists 1,000 subjects, and may have more",))


def test_an_answer_without_content() -> None:
    """Apicurio Registry 3.0.9 answers so to GET /mode/SUBJECT."""
    with serving(replying(204, b"")) as url:
        asked = registry_url._Registry(url)
        assert asked.mode("orders-value") is None
        assert asked.config("orders-value") is None


def test_it_is_asked_once_in_a_process_and_only_read() -> None:
    registry = Registry()
    with served(registry) as url:
        first = schemas_of(url)
        count = len(registry.requests)
        assert schemas_of(url) is first
    assert len(registry.requests) == count


@pytest.mark.parametrize("in_url", [True, False])
def test_a_login_is_sent_and_not_shown(
    in_url: bool,
    monkeypatch: pytest.MonkeyPatch,
    kafkafmt: Call,  # noqa: F811
) -> None:
    registry = Registry(login="reader:s3cret/ä")
    with served(registry) as url:
        refused = kafkafmt("schemas", url)
        assert refused.status == 3
        assert "with 401 Unauthorized; give user and password in the URL, or in SCHEMA_REGISTRY" in refused.stderr
        with_login = url.replace("//", "//reader:s3cret%2F%C3%A4@") if in_url else url
        if not in_url:
            monkeypatch.setenv(registry_url.LOGIN, "reader:s3cret/ä")
        assert kafkafmt("schemas", with_login).status == 0
        registry.login = "another"
        registry_url.read_url.cache_clear()
        wrong = kafkafmt("schemas", with_login)
        assert wrong.status == 3
        assert "s3cret" not in wrong.stderr
        assert "reader" not in wrong.stderr
    registry_url.read_url.cache_clear()
    gone = kafkafmt("schemas", with_login)
    assert gone.status == 3
    assert "cannot be reached" in gone.stderr
    assert "s3cret" not in gone.stderr


class Replies(BaseHTTPRequestHandler):
    """Gives the same answer to every request."""

    status: int
    headers_sent: Mapping[str, str]
    data: bytes
    seen: list[str | None]

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Authorization"))
        self.send_response(self.status)
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.data)

    def log_message(self, *_: object) -> None:
        pass


def replying(status: int, data: bytes, **headers: str) -> type[Replies]:
    names = {"status": status, "data": data, "headers_sent": headers, "seen": []}
    return type("Replying", (Replies,), names)


def schema(**changes: Any) -> bytes:
    whole = {"subject": "s", "version": 1, "id": 1, "schema": '"int"', **changes}
    return json.dumps([{name: value for name, value in whole.items() if value is not None}]).encode()


@pytest.mark.parametrize(
    ("status", "data", "says"),
    [
        (200, b"<html>", "the answer to GET /schemas?deleted=false&offset=0&limit=1000 is not JSON"),
        pytest.param(200, b"[" * 100_000, "is not JSON", id="deep"),
        (200, b"\xff", "is not JSON"),
        (200, b"{}", "not a list of schemas"),
        (200, b"[1]", "not a schema"),
        (200, schema(subject=None), "is not an answer of a schema registry: GET /subjects?deleted=false&offset=0"),
        (200, schema(subject=7), "'subject' is missing or not a string"),
        (200, schema(version="1"), "'version' is not an int32"),
        (200, schema(id=2**31), "'id' is not an int32"),
        (200, schema(schema=7), "'schema' is missing or not a string"),
        (200, schema(references=[7]), "'references' is not a list of objects"),
        (500, b"", "with 500 Internal Server Error"),
        (404, b"", "not a schema registry: GET /subjects?deleted=false&offset=0&limit=1000 is not known"),
        (302, b"", "302"),
    ],
)
def test_answers_that_no_registry_gives(status: int, data: bytes, says: str) -> None:
    with serving(replying(status, data)) as url, pytest.raises(SourceError, match=re.escape(says)) as raised:
        registry_url.read_url(url)
    assert str(raised.value).startswith(url)


def test_answers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_url, "_MOST_BYTES", 1000)
    with serving(replying(200, schema(schema="x" * 1000))) as url, pytest.raises(LimitExceededError, match="too large"):
        registry_url.read_url(url)
    monkeypatch.undo()
    monkeypatch.setattr(registry_url, "_MOST_BYTES_OF_ALL", 1500)
    with serving(replying(200, schema(schema="x" * 800))) as url, pytest.raises(LimitExceededError, match="too large"):
        registry_url.read_url(url)
    monkeypatch.setattr(registry_url, "_SECONDS", 0.2)

    class Silent(Replies):
        def do_GET(self) -> None:
            answered.wait(1)

    answered = threading.Event()
    with serving(Silent) as url:
        with pytest.raises(SourceError, match="timed out"):
            registry_url.read_url(url)
        answered.set()


def test_redirects_are_few_and_keep_the_login_at_home() -> None:
    there = replying(200, b"[]")
    with serving(there) as other:
        here = replying(307, b"", Location=f"{other}/x")
        with serving(here) as url:
            registry_url.read_url(url.replace("//", "//u:p@"))
    assert set(here.seen) == {f"Basic {b64encode(b'u:p').decode()}"}
    assert set(there.seen) == {None}
    with serving(replying(302, b"", Location="/again")) as url, pytest.raises(SourceError, match="infinite loop"):
        registry_url.read_url(url)
    with serving(replying(302, b"", Location="file:///etc/passwd")) as url, pytest.raises(KafkafmtError, match="302"):
        registry_url.read_url(url)
    with serving(replying(302, b"", Location="ftp://127.0.0.1/x")) as url, pytest.raises(KafkafmtError, match="302"):
        registry_url.read_url(url)


@pytest.mark.parametrize("url", ["http://", "http://[::1", "https://host:99999"])
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(SourceError, match="is not a URL"):
        registry_url.read_url(url)
