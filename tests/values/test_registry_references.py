"""Schemas of several subjects from a URL: aliases, contexts, references across subjects, and cycles."""

import json
import pickle
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt as library
from kafkafmt.errors import KafkafmtError, LimitExceededError, SourceError
from kafkafmt.values import registry_url
from kafkafmt.values import schemas as schemas_of
from kafkafmt.values.registry import Schemas
from kafkafmt.values.schema_export import write_schemas
from kafkafmt.values.stored_schema import Reference
from kafkafmt.writing.write import write
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.golden_values import unpack
from tests.values.registry_stub import Registry, served

RECORD = '{"type":"record","name":"shop.Order","fields":[{"name":"to","type":"shop.Address"}]}'
ADDRESS = '{"type":"record","name":"shop.Address","fields":[{"name":"city","type":"string"}]}'
PROTO = 'syntax = "proto3"; import "shop/address.proto"; message Order { shop.Address to = 1; }'
PROTO_ADDRESS = 'syntax = "proto3"; package shop; message Address { string city = 1; }'
JSON = '{"type":"object","properties":{"to":{"$ref":"address.json"}}}'
JSON_ADDRESS = '{"type":"object","properties":{"city":{"type":"string"}}}'

TEXTS = {
    "AVRO": (RECORD, ADDRESS, "shop.Address", b"\x0eUtrecht"),
    "PROTOBUF": (PROTO, PROTO_ADDRESS, "shop/address.proto", b"\0\x0a\x09\x0a\x07Utrecht"),
    "JSON": (JSON, JSON_ADDRESS, "address.json", b'{"to":{"city":"Utrecht"}}'),
}


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    registry_url.read_url.cache_clear()


def add(
    registry: Registry, subject: str, text: str, kind: str, schema_id: int, *references: tuple[str, str, int]
) -> None:
    registry.versions[subject, 1] = {
        "subject": subject,
        "version": 1,
        "id": schema_id,
        "schemaType": kind,
        "references": [{"name": name, "subject": of, "version": version} for name, of, version in references] or None,
        "metadata": None,
        "ruleSet": None,
        "schema": text,
        "deleted": False,
    }


def topic(path: Path, value: bytes, schema_id: int = 1) -> Path:
    framed = b"\0" + schema_id.to_bytes(4, "big") + value
    table = pa.table({"topic": ["orders"], "value": [framed], "timestamp": [0]})
    write(table, path / "log-dir", partitions=1)
    return path / "log-dir"


def values(source: Path, known: Schemas) -> list[Any]:
    found: list[Any] = library.scan(source).decode(key="bytes", schemas=known).to_table()["value"].to_pylist()
    return found


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("context", ["", ":.east:"])
@pytest.mark.parametrize("version", [1, -1])
def test_references_across_subjects(kind: str, context: str, version: int, tmp_path: Path) -> None:
    text, address, name, value = TEXTS[kind]
    registry = Registry()
    # The same name exists in the default context with another type: an unqualified name is in the schema's context.
    add(registry, "address", address.replace("city", "town"), kind, 2)
    add(registry, f"{context}address", address, kind, 3)
    add(registry, f"{context}orders-value", text, kind, 1, (name, "address", version))
    registry.configs["orders-value"] = {"alias": f"{context}orders-value"} if context else {}
    with served(registry) as url:
        known = schemas_of(url)
        found = known.latest("orders-value")
        assert found is not None
        assert [each.subject for each in known.references(found)] == [f"{context}address"]
        assert values(topic(tmp_path, value), known) == [{"to": {"city": "Utrecht"}}]


def test_an_alias_is_asked_for_when_it_is_needed(tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    registry = Registry(configs={"orders-value": {"alias": "everything", "compatibilityLevel": "FULL"}})
    add(registry, "everything", '"string"', "AVRO", 7)
    source = topic(tmp_path, b"\x0eUtrecht", 7)
    with served(registry) as url:
        known = schemas_of(url)
        assert not any("config" in path for path, _ in registry.requests)
        assert values(source, known) == ["Utrecht"]
        assert values(source, known) == ["Utrecht"]
        asked = [path for path, _ in registry.requests if "config" in path]
        assert sorted(asked) == ["/config/orders-key", "/config/orders-value"] or asked == ["/config/orders-value"]
        answer = kafkafmt("cat", source, "--value-format", "auto", "--schemas", url, "--columns", "value")
        assert answer.stdout.split() == [b"value", b"Utrecht"]
    # It is known from now on, also in other processes.
    latest = pickle.loads(pickle.dumps(known)).latest("orders-value")
    assert latest is not None
    assert latest.subject == "everything"


def test_an_alias_may_be_in_the_context_of_its_subject() -> None:
    registry = Registry(configs={":.east:a": {"alias": "b"}, "a": {"alias": ":.east:b"}, "c": {"alias": ""}})
    for number, subject in enumerate(("a", "b", "c", ":.east:b"), 1):
        add(registry, subject, '"int"', "AVRO", number)
    with served(registry) as url:
        known = schemas_of(url)
        latest = {name: known.latest(name) for name in ("a", ":.east:a", "b", "c", "none")}
    assert {name: each and each.subject for name, each in latest.items()} == {
        "a": ":.east:b",
        ":.east:a": ":.east:b",
        "b": "b",
        "c": "c",
        "none": None,
    }


def test_a_registry_without_a_list_gives_an_aliased_subject_once() -> None:
    registry = Registry(has_list=False, configs={"a": {"alias": "b"}})
    add(registry, "a", '"int"', "AVRO", 1)
    add(registry, "b", '"long"', "AVRO", 2)
    with served(registry) as url:
        assert [(each.subject, each.schema_id) for each in schemas_of(url).all] == [("b", 2)]


def test_settings_of_all_subjects_are_exported(tmp_path: Path) -> None:
    registry = Registry(
        configs={None: {"compatibilityLevel": "FULL"}, ":.east:": {"normalize": True}, "a": {"alias": "b"}},
        modes={None: "READWRITE", "b": "READONLY"},
    )
    for number, subject in enumerate(("a", "b", ":.east:a"), 1):
        add(registry, subject, '"int"', "AVRO", number)
    with served(registry) as url:
        write_schemas(schemas_of(url), tmp_path / "out")
    known = schemas_of(tmp_path / "out")
    assert known.configs == registry.configs
    assert known.modes == registry.modes


def test_a_registry_that_is_gone_is_an_error_where_it_is_needed() -> None:
    registry = Registry()
    add(registry, "a", '"int"', "AVRO", 1)
    with served(registry) as url:
        known = schemas_of(url)
    with pytest.raises(SourceError, match="cannot be reached"):
        known.latest("a")


def circle(kind: str) -> AbstractContextManager[str]:
    registry = Registry()
    if kind == "AVRO":
        other = ADDRESS.replace('"string"', '"shop.Order"')
    elif kind == "PROTOBUF":
        other = PROTO_ADDRESS.replace("package shop;", 'package shop; import "order.proto";')
    else:
        other = JSON_ADDRESS.replace('"city"', '"back":{"$ref":"order.json"},"city"')
    text, _, name, _ = TEXTS[kind]
    back = {"AVRO": "shop.Order", "PROTOBUF": "order.proto", "JSON": "order.json"}[kind]
    add(registry, "address", other, kind, 2, (back, "orders-value", 1))
    add(registry, "orders-value", text, kind, 1, (name, "address", 1))
    return served(registry)


@pytest.mark.parametrize("kind", ["AVRO", "PROTOBUF"])
def test_a_circle_of_subjects_is_an_error_that_names_it(kind: str, tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    source = topic(tmp_path, TEXTS[kind][3])
    with circle(kind) as url:
        answer = kafkafmt("cat", source, "--value-format", "auto", "--schemas", url)
    assert answer.status == 1
    path = "orders-value version 1 -> address version 1 -> orders-value version 1"
    assert f"schemas refer to one another in a circle: {path}" in answer.stderr


def test_a_circle_of_json_schemas_is_text_where_it_closes(tmp_path: Path) -> None:
    value = b'{"to":{"city":"Utrecht","back":{"to":{"city":"Gent"}}}}'
    with circle("JSON") as url:
        (found,) = values(topic(tmp_path, value), schemas_of(url))
    assert found["to"]["city"] == "Utrecht"
    assert json.loads(found["to"]["back"]) == {"to": {"city": "Gent"}}


def test_a_missing_reference_of_json_costs_no_other_one(tmp_path: Path) -> None:
    registry = Registry()
    text = '{"type":"object","properties":{"to":{"$ref":"address.json"},"lost":{"$ref":"lost.json"}}}'
    add(registry, "address", JSON_ADDRESS, "JSON", 2)
    add(registry, "broken", "{", "JSON", 3)
    references = [("address.json", "address", 1), ("lost.json", "lost", 1), ("b", "broken", 1)]
    add(registry, "orders-value", text, "JSON", 1, *references)
    with served(registry) as url:
        found = values(topic(tmp_path, b'{"to":{"city":"Utrecht"},"lost":[1]}'), schemas_of(url))
    assert found == [{"to": {"city": "Utrecht"}, "lost": "[1]"}]


@pytest.mark.parametrize("kind", TEXTS)
def test_long_chains_of_references_are_bounded(kind: str) -> None:
    registry = Registry()
    for number in range(150):
        add(registry, f"s{number}", TEXTS[kind][1], kind, number + 1, ("next", f"s{number + 1}", 1))
    add(registry, "s150", TEXTS[kind][1], kind, 151)
    with served(registry) as url:
        known = schemas_of(url)
        last, first = known.version("s60", 1), known.version("s0", 1)
    assert last is not None
    assert first is not None
    assert len(known.references(last)) == 90
    with pytest.raises(LimitExceededError, match="references of schemas are nested too deeply"):
        known.references(first)


def test_many_references_to_the_same_schemas_take_no_time() -> None:
    registry = Registry()
    for number in range(60):  # each refers to all later ones: 2**60 paths
        references = [(f"n{other}", f"s{other}", 1) for other in range(number + 1, 60)]
        add(registry, f"s{number}", JSON_ADDRESS, "JSON", number + 1, *references)
    with served(registry) as url:
        known = schemas_of(url)
        first = known.version("s0", 1)
        assert first is not None
        assert len(known.references(first)) == 59


def test_the_schemas_of_a_disk_have_contexts_too(tmp_path: Path) -> None:
    known = schemas_of(unpack("registry", tmp_path))
    configs = {**known.configs, ":.east:x-value": {"alias": "crm.contexts-value"}}
    found = Schemas(known.all, configs, known.modes).latest(":.east:x-value")
    assert found is not None
    assert found.subject == ":.east:crm.contexts-value"
    lost = replace(found, references=(Reference("x", "nowhere", 1),))
    with pytest.raises(
        KafkafmtError, match=r"no schema :\.east:nowhere version 1, to which :\.east:crm\.contexts-value"
    ):
        known.references(lost)
