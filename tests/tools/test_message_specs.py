"""tools/message_specs: generated specs and rejected schemas; those of Kafka's own schemas are checked with its jars."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from class_path import KAFKA
from message_specs import frames, making
from message_specs.fields import fields_of_messages
from message_specs.schemas import MODULES, SchemaError, Source, common, read_all, versions
from message_specs.spec import MessageSpec, paragraph, snake_case, where

SCHEMA: dict[str, Any] = {
    "type": "coordinator-value",
    "name": "HouseValue",
    "apiKey": 5,
    "validVersions": "1-4",
    "flexibleVersions": "3+",
    "fields": [
        {"name": "Street", "type": "string", "versions": "1+", "nullableVersions": "2+"},
        {"name": "Number", "type": "int16", "versions": "2-3"},
        {"name": "Colour", "type": "uuid", "versions": "4+", "taggedVersions": "4+", "tag": 2},
        {"name": "Rooms", "type": "[]Room", "versions": "1+", "nullableVersions": "1+"},
        {"name": "Garden", "type": "Garden", "versions": "2+", "nullableVersions": "2+"},
        {
            "name": "Shed",
            "type": "Garden",
            "versions": "3+",
            "nullableVersions": "3+",
            "taggedVersions": "3+",
            "tag": 0,
        },
    ],
    "commonStructs": [
        {"name": "Room", "versions": "1+", "fields": [{"name": "Warm", "type": "bool", "versions": "1+"}]},
        {"name": "Garden", "versions": "2+", "fields": [{"name": "Size", "type": "float64", "versions": "2+"}]},
    ],
}
COMMON = {
    name: f"the {name}" for name in ("street", "number", "colour", "rooms", "garden", "shed", "room", "warm", "size")
}


def spec_of(schema: dict[str, Any], texts: dict[str, Any] | None = None) -> dict[str, Any]:
    text = MessageSpec(Source(schema, "https://example.org/x", "m"), texts or {}, COMMON).text()
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def fields(schema: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = fields_of_messages([spec_of(schema)])[schema["name"]]["fields"]
    return found


@pytest.mark.parametrize(
    ("text", "expected"), [("2+", (2, 0x7FFF)), ("0-4", (0, 4)), ("3", (3, 3)), ("none", None), (None, None)]
)
def test_versions(text: str | None, expected: tuple[int, int] | None) -> None:
    assert versions(text) == expected


@pytest.mark.parametrize("text", ["", "x", "1-", "-1"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(SchemaError):
        versions(text)


def test_ranges_in_common() -> None:
    assert common((0, 3), (2, 5)) == (2, 3)
    assert common((0, 1), (2, 5)) is None
    assert common(None, (2, 5)) is None


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ((0, 9), "true"),
        ((7, 9), "false"),
        ((3, 9), "v >= 3"),
        ((0, 3), "v <= 3"),
        ((3, 3), "v == 3"),
        ((2, 4), "v >= 2 and v <= 4"),
    ],
)
def test_conditions(wanted: tuple[int, int], expected: str) -> None:
    assert where(wanted, (1, 5), "v") == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("KRaftVersionFeature", "kraft_version_feature"),
        ("groupInstanceId", "group_instance_id"),
        ("NoOpRecord", "no_op_record"),
    ],
)
def test_names(name: str, expected: str) -> None:
    assert snake_case(name) == expected


def test_a_text_is_yaml_whatever_is_in_it() -> None:
    for text in (
        "plain",
        "0: none; 1: some",
        "`code` first",
        "ends with: ",
        "a # b",
        "long " * 40,
        "two\n\nparagraphs",
    ):
        loaded = yaml.safe_load("\n".join(paragraph("doc", text, 0)))["doc"]
        assert loaded.split() == text.split()


def test_conditions_of_fields_follow_their_versions() -> None:
    seq = {field["id"]: field for field in spec_of(SCHEMA)["seq"]}
    assert seq["message_version"]["valid"] == {"min": 1, "max": 4}
    assert seq["street"]["type"] == "kafka_string(message_version >= 3, message_version >= 2)"
    assert seq["number"]["if"] == "message_version >= 2 and message_version <= 3"
    assert seq["is_garden_present"]["if"] == "message_version >= 2"
    assert seq["garden"]["if"] == "message_version >= 2 and is_garden_present >= 0"
    assert seq["tagged_fields"]["if"] == "message_version >= 3"
    assert "colour" not in seq


def test_fields_are_told_by_the_spec_alone() -> None:
    size = {"name": "size", "type": "float64", "id": "size", "versions": (2, 4)}
    warm = {"name": "warm", "type": "bool", "id": "warm"}
    assert fields(SCHEMA) == [
        {"name": "street", "type": "string", "id": "street", "nullable": True},
        {"name": "number", "type": "int16", "id": "number", "versions": (2, 3)},
        {"name": "colour", "type": "uuid", "id": "colour", "versions": (4, 4), "tag": 2},
        {"name": "rooms", "id": "rooms", "array": True, "nullable": True} | structure("room", warm),
        {"name": "garden", "id": "garden", "nullable": True, "versions": (2, 4)} | structure("garden", size),
        {"name": "shed", "id": "shed", "nullable": True, "versions": (3, 4), "tag": 0} | structure("garden", size),
    ]


def structure(name: str, *inner: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "structure": name, "fields": list(inner)}


def test_a_tag_that_only_later_versions_have_ends_with_an_error_before() -> None:
    data = spec_of(SCHEMA)["types"]["tagged_field"]["seq"][2]
    assert data["size"].strip() == "(tag.value != 2 or _root.message_version >= 4) ? len_data.value : -1"
    assert data["type"]["cases"] == {0: "shed_tag", 2: "colour_tag"}


def test_texts_replace_what_is_common() -> None:
    spec = spec_of(SCHEMA, {"": "A house", "Street": "Where", "Room": "A room", "Room.Warm": "Heated", "title": "T"})
    assert (spec["meta"]["title"], spec["doc"]) == ("T", "A house")
    assert next(field["doc"] for field in spec["seq"] if field["id"] == "street") == "Where"
    assert spec["types"]["room"]["doc"] == "A room"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": "Street", "type": "int128", "versions": "1+"}, "unknown type int128"),
        ({"name": "Unheard", "type": "int8", "versions": "1+"}, "has nothing about HouseValue: Unheard"),
    ],
)
def test_what_it_does_not_know_is_refused(change: dict[str, str], complaint: str) -> None:
    with pytest.raises(SchemaError, match=complaint):
        spec_of({**SCHEMA, "fields": [change]})


REQUEST: dict[str, Any] = {
    "type": "request",
    "name": "PaintHouseRequest",
    "apiKey": 7,
    "validVersions": "2-4",
    "flexibleVersions": "3+",
    "latestVersionUnstable": True,
    "fields": [
        {"name": "Street", "type": "string", "versions": "0+", "flexibleVersions": "none"},
        {"name": "Unheard", "type": "string", "versions": "0+"},
        {"name": "Records", "type": "records", "versions": "0+", "nullableVersions": "0+"},
        {"name": "UnalignedRecords", "type": "records", "versions": "0+"},
    ],
}
RESPONSE = {**REQUEST, "type": "response", "name": "PaintHouseResponse"}


def test_the_version_of_a_request_is_a_parameter_and_its_fields_need_no_docs() -> None:
    spec = spec_of(REQUEST)
    assert [each["id"] for each in spec["params"]] == ["message_version"]
    seq = {field["id"]: field for field in spec["seq"]}
    assert [field.get("doc") for field in seq.values()] == ["the street", None, None, None, "None is known"]
    assert "key 7" in spec["doc"]
    assert "Version 4 may still change" in " ".join(spec["doc"].split())


def test_a_field_may_be_compact_in_other_versions_than_its_message() -> None:
    seq = {field["id"]: field for field in spec_of(REQUEST)["seq"]}
    assert seq["street"]["type"] == "kafka_string(false, false)"
    assert seq["unheard"]["type"] == "kafka_string(message_version >= 3, false)"


def test_records_are_batches_but_where_they_begin_anywhere() -> None:
    seq = {field["id"]: field for field in spec_of(REQUEST)["seq"]}
    assert seq["records"]["type"] == "kafka_record_set(message_version >= 3, true)"
    assert seq["unaligned_records"]["type"] == "kafka_bytes(message_version >= 3, false)"


def framed(*schemas: dict[str, Any]) -> dict[str, Any]:
    versioned = {**REQUEST, "name": "ApiVersionsRequest", "apiKey": 18, "validVersions": "0-5"}
    all_schemas = (*schemas, versioned, {**versioned, "type": "response", "name": "ApiVersionsResponse"})
    made = frames.texts([Source(schema, "https://example.org/x", "clients") for schema in all_schemas])
    return {name: yaml.safe_load(text) for name, text in made.items()}


def test_the_key_and_version_in_a_frame_choose_header_and_body() -> None:
    made = framed(REQUEST, RESPONSE)
    assert made["kafka_api"]["seq"][0]["type"]["cases"] == {
        7: "version_range(2, 4, 3)",
        18: "version_range(0, 5, 3)",
        "_": "version_range(0, -1, 32767)",
    }
    assert made["kafka_api"]["enums"]["key"][7]["id"] == "paint_house"
    for kind, version in (("request", "api_version"), ("response", "response_version")):
        (body,) = (field for field in made[f"kafka_{kind}"]["types"][kind]["seq"] if field["id"] == "body")
        assert body["type"]["cases"][7] == f"kafka_paint_house_{kind}({version})"
    version = made["kafka_response"]["types"]["response"]["instances"]["response_version"]["value"]
    assert version == "_root.api_key == 18 and _root.api_version > 5 ? (0).as<s2> : _root.api_version"


def test_a_request_needs_a_response_of_the_same_versions() -> None:
    with pytest.raises(SchemaError, match="API 7"):
        framed(REQUEST)
    with pytest.raises(SchemaError, match="API 7"):
        framed(REQUEST, {**RESPONSE, "validVersions": "2-5"})


def jar(directory: Path, module: str, version: str, schema: dict[str, Any] | None = None) -> None:
    with zipfile.ZipFile(directory / f"kafka-{module}-{version}.jar", "w") as archive:
        if schema is not None:
            archive.writestr(f"common/message/{schema['name']}.json", f"// A comment\n{json.dumps(schema, indent=1)}")


def test_schemas_are_read_from_jars_of_one_release(tmp_path: Path) -> None:
    for module in MODULES:
        jar(tmp_path, module, "9.9.9", SCHEMA if module == "group-coordinator" else None)
    jar(tmp_path, "group-coordinator-api", "9.9.9")
    (source,) = read_all(tmp_path)
    assert source.schema == SCHEMA
    assert source.url.endswith("/9.9.9/group-coordinator/src/main/resources/common/message/HouseValue.json")
    jar(tmp_path, "clients", "9.9.8")
    with pytest.raises(SchemaError, match="2 jars of kafka-clients"):
        read_all(tmp_path)
    (tmp_path / "kafka-clients-9.9.9.jar").unlink()
    with pytest.raises(SchemaError, match="several versions"):
        read_all(tmp_path)


def test_texts_about_nothing_are_refused(tmp_path: Path) -> None:
    for module in MODULES:
        jar(tmp_path, module, "9.9.9", SCHEMA if module == "group-coordinator" else None)
    dispatchers = yaml.safe_load(making.TEXTS.read_text(encoding="utf-8"))["dispatchers"]
    assert "kafka_house_value" in making.make(tmp_path, {"common": COMMON, "messages": {}, "dispatchers": dispatchers})
    for texts in ({"HouseValue": {"Roof": "Red"}}, {"Tree": {"": "Green"}}):
        with pytest.raises(SchemaError, match="unknown fields or structures"):
            making.make(tmp_path, {"common": COMMON, "messages": texts, "dispatchers": dispatchers})


def test_all_missing_texts_are_listed_at_once(tmp_path: Path) -> None:
    new = [{"name": name, "type": "int8", "versions": "1+"} for name in ("Cellar", "Attic")]
    for module in MODULES:
        house = {**SCHEMA, "fields": new}
        schema = {"group-coordinator": house, "share-coordinator": {**house, "name": "HutValue"}}.get(module)
        jar(tmp_path, module, "9.9.9", schema)
    texts: dict[str, Any] = {"common": COMMON, "messages": {}, "dispatchers": {}}
    with pytest.raises(SchemaError) as raised:
        making.make(tmp_path, texts)
    assert str(raised.value) == "texts.yaml has nothing about HouseValue: Cellar, Attic; HutValue: Cellar, Attic"


def test_each_made_spec_names_its_release() -> None:
    found = (path for out in (making.OUT, making.OUT_PROTOCOL) for path in out.glob("*.ksy"))
    made = [path for path in found if path.stem not in making.HAND_WRITTEN]
    pinned = (KAFKA / "pom.xml").read_text(encoding="utf-8").split("<version>")[2].split("<")[0]
    assert len(made) > 270
    for path in made:
        text = path.read_text(encoding="utf-8")
        assert "-orig-id" not in text.split("title")[0] or f"/blob/{pinned}/" in text


def test_copies_are_the_same() -> None:
    for name in making.COPIED:
        copy = making.OUT_PROTOCOL / f"{Path(name).name}.ksy"
        assert copy.read_bytes() == (making.FORMATS / f"{name}.ksy").read_bytes(), name
