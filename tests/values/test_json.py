"""JSON values typed by their schemas, compared with real parsers (golden/values)."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt as library
from kafkafmt.errors import DataError, LimitExceededError
from kafkafmt.values.json import columns
from kafkafmt.values.json.reading import Doubts, JsonReader
from kafkafmt.values.json.schema import parse, type_of
from kafkafmt.values.json.types import ANY, JsonType, arrow_type
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.golden_values import rows, unpack

TYPES = {
    "invoices": "struct<id: double, price: string, when: string, extra: bool>",
    "json-references": "struct<parts: list<element: struct<sku: string, inner: struct<w: double, h: double>>>>",
    "json-headers": "struct<id: int64, price: string, city: double>",
    "json-odd": "struct<n: double>",
    "json-union": "string",
    "json-several": "string",
    **{
        f"draft-{number}": "struct<n: int64, kind: string, part: struct<x: double, again: string>, any: string, "
        f"list: list<element: string>{', pair: string' if number == 4 else ''}>"
        for number in range(6)
    },
}
# Their column type cannot hold these values.
REFUSED = {
    ("json-odd", 4): "beyond a double",
    ("json-odd", 7): "of another type",
    ("json-odd", 8): "of another type",
    ("json-odd", 11): "NaN is not a JSON number",
}


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("json-schema", tmp_path_factory.mktemp("json"))


def fits(kind: pa.DataType, made: Any, written: Any) -> bool:
    """Whether a column's value equals the stored one in all fields that the column has."""
    if made is None or written is None:
        return written is None and made in (None, "null")
    if pa.types.is_struct(kind):
        return all(fits(each.type, made[each.name], written.get(each.name)) for each in kind)
    if pa.types.is_list(kind):
        return len(made) == len(written) and all(map(fits, [kind.value_type] * len(made), made, written))
    if pa.types.is_string(kind):
        return bool(made == written) or bool(json.loads(made) == written)
    return bool(made == written) or (isinstance(made, float) and made == float(written))


@pytest.mark.parametrize("worth_it", [0, 1 << 60])
@pytest.mark.parametrize("topic", TYPES)
def test_values_by_the_latest_schema(topic: str, worth_it: int, log_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_WORTH_IT", worth_it)  # with kernels, and one by one
    decoded = library.scan(log_dir, topics=topic).without_warnings().decode(on_damage="skip", key="bytes")
    kind = decoded.schema.field("value").type
    assert str(kind) == TYPES[topic]
    found = {row["offset"]: row for row in decoded.to_table().to_pylist()}
    golden = [row for row in rows("json-schema", "values") if row["topic"] == topic and row["part"] == "value"]
    assert len(golden) >= 3
    for row in golden:
        made, place = found[row["offset"]], (topic, row["offset"])
        assert made["valueSchemaId"] == row.get("schemaId")
        if place in REFUSED:
            assert REFUSED[place] in made["valueError"], place
        elif "error" in row:
            assert made["value"] is None
            assert made["valueError"], place
        else:
            assert made["valueError"] is None, place
            assert row.get("null") or fits(kind, made["value"], row["written"]), place


@pytest.mark.parametrize("topic", TYPES)
def test_values_as_written_are_their_text(topic: str, log_dir: Path) -> None:
    scan = library.scan(log_dir, topics=topic).without_warnings()
    found = {
        row["offset"]: row for row in scan.decode(resolve=False, on_damage="skip", key="bytes").to_table().to_pylist()
    }
    for row in rows("json-schema", "values"):
        if row["topic"] != topic or row["part"] != "value" or row.get("null"):
            continue
        made = found[row["offset"]]
        if "error" in row or (topic, row["offset"]) == ("json-odd", 11):
            assert made["valueError"], row["offset"]
        elif (topic, row["offset"]) == ("json-odd", 4):
            assert made["value"] == '{"n": 1e400}'
        else:
            assert json.loads(made["value"]) == row["written"]


def test_what_a_schema_does_not_name_is_noted(log_dir: Path) -> None:
    decoded = library.scan(log_dir, topics="invoices").without_warnings().decode()
    decoded.to_table()
    text, note = decoded.notes
    assert str(text) == "invoices: JSON text, as no single type fits: price"
    assert not note.is_finding
    assert not text.is_finding
    assert str(note) == (
        "invoices: 10 values with properties that the schema does not name (resolve=False shows them): "
        "'city', 'undeclared', 'colour', 'weight'"
    )


def test_columns_of_text_are_noted(log_dir: Path) -> None:
    def notes(topic: str, **arguments: Any) -> list[str]:
        decoded = library.scan(log_dir, topics=topic).without_warnings().decode(**arguments)
        decoded.to_table()
        return [str(note).partition(": ")[2] for note in decoded.notes]

    says = "JSON text, as no single type fits: "
    assert notes("draft-4") == [f"{says}kind, part.again, any, list[], pair"]
    assert notes("json-union") == [f"{says}each value"]
    assert notes("json-union", resolve=False) == notes("json-union", columns=["offset"]) == []
    assert notes("json-references") == []
    # The schemas of several subjects.
    assert notes("json-several") == [f"{says}each value"]
    assert notes("json-several", resolve=False) == []


def type_in(schema: object) -> JsonType:
    return type_of(parse(json.dumps(schema)))


def kind_of(schema: object) -> str:
    return str(arrow_type(type_in(schema)))


STRING, NUMBER, NULL = {"type": "string"}, {"type": "number"}, {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": ["integer", "null"]}, "int64"),
        ({"type": ["integer", "number"]}, "double"),
        ({"type": ["integer", "string"]}, None),
        ({"type": "null"}, None),
        ({"oneOf": [NULL, STRING]}, "string"),
        ({"anyOf": [{"type": "string", "format": "uuid"}, {"type": "string", "maxLength": 3}]}, "string"),
        ({"anyOf": [STRING, NUMBER]}, None),
        ({"anyOf": [{"minimum": 3}, STRING]}, None),
        ({"type": "string", "format": "date-time"}, "string"),
        ({"enum": ["a", "b", None]}, "string"),
        ({"enum": [1, 2.5]}, "double"),
        ({"enum": ["a", 1]}, None),
        ({"const": True}, "bool"),
        ({"type": "object"}, None),
        ({"type": "object", "properties": {}}, None),
        ({"properties": {"a": STRING}}, "struct<a: string>"),
        ({"type": "object", "additionalProperties": NUMBER}, "map<string, double>"),
        ({"type": "object", "additionalProperties": True}, None),
        ({"type": "object", "properties": {"a": NUMBER}, "additionalProperties": STRING}, "struct<a: double>"),
        ({"type": "array", "items": STRING}, "list<element: string>"),
        ({"type": "array"}, None),
        ({"type": "array", "items": [STRING, NUMBER]}, None),
        ({"type": "array", "prefixItems": [STRING], "items": STRING}, None),
        ({"type": "object", "properties": {"a": STRING}, "anyOf": [{"required": ["a"]}]}, "struct<a: string>"),
        ({"properties": {"a": STRING}, "oneOf": [{"properties": {"b": STRING}}, {"properties": {"c": STRING}}]}, None),
        (
            {"allOf": [{"properties": {"a": STRING}}, {"type": "object", "properties": {"b": NUMBER}}]},
            "struct<a: string, b: double>",
        ),
        ({"allOf": [STRING, NUMBER]}, None),
        ({"allOf": [{"type": "object"}, {"additionalProperties": NUMBER, "type": "object"}]}, "map<string, double>"),
        ({"type": "integer", "if": {"minimum": 3}, "then": {"multipleOf": 2}}, "int64"),
        ({"if": {}, "then": STRING}, None),
        ({"$ref": "#/definitions/A~1b", "definitions": {"A/b": STRING}}, "string"),
        ({"$ref": "#/$defs/a%20b", "$defs": {"a b": STRING}}, "string"),
        ({"$ref": "#here", "$defs": {"a": {"$anchor": "here", "type": "number"}}}, "double"),
        ({"$ref": "#here", "definitions": {"a": {"$id": "#here", "type": "number"}}}, "double"),
        ({"$id": "http://x/a.json", "$ref": "b.json", "$defs": {"b": {"$id": "b.json", "type": "string"}}}, "string"),
        (
            {
                "$id": "http://x/a",
                "$ref": "b",
                "$defs": {"b": {"$id": "b", "$ref": "#/$defs/c", "$defs": {"c": NUMBER}}},
            },
            "double",
        ),
        ({"$ref": "elsewhere.json"}, None),
        ({"$ref": "#/nowhere"}, None),
        ({"$ref": "#"}, None),
        ({"$dynamicRef": "#a"}, None),
        ({"$ref": "http://[/"}, None),
        (True, None),
        (False, None),
        ({"type": "any"}, None),
        ({"type": "object", "properties": {"\ud800": STRING}}, None),
    ],
)
def test_types_of_schemas(schema: object, kind: str | None) -> None:
    assert type_in(schema) == ANY if kind is None else kind_of(schema) == kind


def test_schemas_of_many_parts_are_text() -> None:
    wide = {"type": "object", "properties": {str(number): STRING for number in range(10_001)}}
    assert type_in(wide) == ANY
    doubling = {"$defs": {str(n): {"properties": {c: {"$ref": f"#/$defs/{n + 1}"} for c in "ab"}} for n in range(40)}}
    assert type_in({**doubling, "$ref": "#/$defs/0"}) == ANY
    merged = {"allOf": [{"properties": {str(number): STRING}} for number in range(4000)]}
    assert len(type_in(merged).fields) == 4000
    deep: dict[str, Any] = STRING
    for _ in range(150):
        deep = {"type": "array", "items": deep}
    assert type_in(deep) == ANY
    with pytest.raises(LimitExceededError):
        parse("[" * 100_000)
    for text in ("[]", "3", "nothing"):
        with pytest.raises(DataError):
            parse(text)


def read(schema: object, text: str | bytes) -> Any:
    data = text.encode() if isinstance(text, str) else text
    return JsonReader(type_in(schema)).read(data, Doubts())


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "integer"}, "1.0", 1),
        ({"type": "integer"}, "12e2", 1200),
        ({"type": "integer"}, "-9223372036854775808", -(2**63)),
        ({"type": "integer"}, "0e99999999999999999999999", None),
        ({"type": "integer"}, "-0", 0),
        (NUMBER, "1e-400", 0.0),
        (NUMBER, "null", None),
        (STRING, r'"\u00e4\ud83e\udd80\n"', "ä🦀\n"),
        (STRING, ' \t\r\n""\n', ""),
        ({"additionalProperties": STRING, "type": "object"}, '{"b":"1","a":"2","b":"3"}', [("b", "3"), ("a", "2")]),
        ({"items": {}}, '[ 1 ,{"a" : [1e400]}, null]', ["1", '{"a" : [1e400]}', None]),
        ({"items": True}, '[ 1 ,{"a" : [1e400]}, null]', ["1", '{"a" : [1e400]}', None]),
        ({}, ' {"a": 1, "a": 2} ', '{"a": 1, "a": 2}'),
        ({}, "null", "null"),
        ({}, "9" * 5000, "9" * 5000),
        ({"properties": {"a": STRING}}, r'{"\u0061":"x","a":"y"}', {"a": "y"}),
    ],
)
def test_values_of_types(schema: object, text: str, value: Any) -> None:
    if value is None and "e9" in text:
        with pytest.raises(DataError):
            read(schema, text)
    else:
        assert read(schema, text) == value


@pytest.mark.parametrize(
    ("schema", "text", "says"),
    [
        ({"type": "integer"}, "9223372036854775808", "more than 64 bits"),
        ({"type": "integer"}, "1e400", "more than 64 bits"),
        ({"type": "integer"}, "1.5", "of another type"),
        ({"type": "integer"}, "1e99999999999999999999999", "of another type"),
        ({"type": "integer"}, "true", "expected an integer, found true"),
        ({"type": "integer"}, "01", "more after the value"),
        (NUMBER, "1e400", "beyond a double"),
        (NUMBER, "Infinity", "not a JSON number"),
        (NUMBER, '"1"', "of another type"),
        (STRING, "1", "of another type"),
        (STRING, r'"\ud800"', "lone surrogate"),
        (STRING, '"\x01"', "control character"),
        ({"type": "boolean"}, "0", "of another type"),
        ({"items": STRING}, '["a",]', "a value is expected"),
        ({"items": STRING}, '["a" "b"]', ", or ] is expected"),
        ({"properties": {"a": {"items": NUMBER}}}, '{"a":[1,"x"]}', r"\$.a\[\] is of another type"),
        ({"properties": {"a": STRING}}, '{"a":"x",}', "a name in double quotes"),
        ({"properties": {"a": STRING}}, '{"a" "x"}', ": is expected"),
        ({"properties": {"a": STRING}}, '{"b":nope}', "not JSON"),
        ({"type": "object", "additionalProperties": STRING}, r'{"\ud800":"x"}', "lone surrogate"),
        ({}, "[" * 100_000, "nested too deeply"),
        ({}, "", "a value is expected"),
    ],
)
def test_values_that_do_not_fit(schema: object, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read(schema, text)


def test_many_empty_items_of_wide_types_are_bounded() -> None:
    wide = {"items": {"type": "object", "properties": {str(number): STRING for number in range(9_000)}}}
    assert len(read(wide, "[" + ",".join(["{}"] * 100) + "]")) == 100
    with pytest.raises(LimitExceededError, match="too many items"):
        read(wide, "[" + ",".join(["{}"] * 10_000) + "]")
