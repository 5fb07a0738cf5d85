"""`extract --redact value:FIELD` of Avro's JSON encoding, which Apicurio's serializer writes without marking it."""

import json
import shutil
from decimal import Decimal
from hashlib import shake_256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt as library
from kafkafmt.errors import CorruptError, DataError, LimitExceededError
from kafkafmt.repairing.avro_json_redaction import masked_avro_json
from kafkafmt.repairing.field_redaction import FieldMask
from kafkafmt.repairing.schema_redaction import SchemaRedaction
from kafkafmt.values.avro.json_encoding import binary_of_json
from kafkafmt.values.avro.reading import read_value, reading
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.framing import Framing
from kafkafmt.values.registry import Schemas
from kafkafmt.writing.write import write
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.golden_values import as_golden, raw, rows, text, unpack
from tests.values.test_avro import golden, json_encoding, node_of, value_of
from tests.values.test_schema_files import schema

APICURIO = "fx.apicurio"


@pytest.fixture(scope="module")
def framings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("framings", tmp_path_factory.mktemp("framings"))


def mask(*paths: str) -> FieldMask:
    return FieldMask(paths, lambda data, size: shake_256(data).digest(size), 8)


def values_of(source: Path, framings: Path, offsets: tuple[int, int]) -> list[Any]:
    """The values printed by cat, by offset."""
    scan = library.scan(source, topics=APICURIO, start_offset=offsets[0], end_offset=offsets[1]).without_warnings()
    known = library.values.schemas(framings)
    decoded = scan.decode(key="bytes", schemas=known, schema=f"{APICURIO}-value")
    return [*decoded.to_table()["value"].to_pylist()]


# Beside JSON values are some in Avro's binary encoding, with the same prefix bytes.
@pytest.mark.parametrize("offsets", [(7, 10), (13, 16), (19, 21)])
def test_values_of_apicurios_serializer(offsets: tuple[int, int], framings: Path, tmp_path: Path) -> None:
    out, fields = tmp_path / "out", ("value:city", "value:price")
    begin, end = offsets
    library.extract(framings, out, topics=APICURIO, start_offset=begin, end_offset=end, redact=fields, salt="some")
    wanted = [row for row in rows("framings", "values") if row["topic"] == APICURIO and row["part"] == "value"]
    stored = [row for row in wanted if begin <= row["offset"] < end]
    made = library.scan(out, topics=APICURIO).to_table()["value"].to_pylist()
    assert sum(row["framing"] == "apicurio-4-json" for row in stored) == 1
    for row, data, value in zip(stored, made, values_of(out, framings, offsets), strict=True):
        before = row["written"]
        assert len(data) == len(raw(row))
        assert data[:5] == raw(row)[:5] or "header" in row["framing"]
        assert value["colour"] == before["colour"]
        assert (value["price"] != before["price"], value["price"] < 0) == (True, before["price"] < 0)
        assert (value["city"] is None, value["city"] == "") == (before["city"] is None, before["city"] == "")
        assert value["city"] != before["city"] or not before["city"]
        assert b'"text"' not in data
        if row["framing"].endswith("-json"):
            # Unnamed fields keep their bytes.
            assert data.rpartition(b"}")[0].endswith(f'"colour":{before["colour"]}'.encode())


def test_equal_texts_stay_equal_in_both_encodings(framings: Path, tmp_path: Path) -> None:
    known = library.values.schemas(framings)
    values = [b"\0\0\0\0\4\2\2\6abc" + bytes(8), b'\0\0\0\0\4{"price":1,"city":{"string":"abc"},"colour":0.0}']
    write(pa.table({"value": values, "timestamp": [1, 1]}), tmp_path / "log", topic=APICURIO, partitions=1)
    shutil.copytree(framings / "_schemas-0", tmp_path / "log" / "_schemas-0")
    library.extract(tmp_path / "log", tmp_path / "out", topics=APICURIO, redact="value:city")
    scan = library.scan(tmp_path / "out", topics=APICURIO).decode(schemas=known)
    first, second = (value["city"] for value in scan.to_table()["value"].to_pylist())
    assert first == second != "abc"


def assert_alike(before: Any, after: Any) -> None:
    """Require that a value keeps its form: types, sizes, names and nulls; numbers do not grow."""
    assert type(before) is type(after)
    if isinstance(before, dict):
        assert before.keys() == after.keys()
        if "$decimal" in before:
            assert abs(Decimal(after["$decimal"])) <= abs(Decimal(before["$decimal"]))
        for name in before.keys() - {"$branch", "$decimal", "$float"}:
            assert_alike(before[name], after[name])
    elif isinstance(before, list):
        assert len(before) == len(after)
        for pair in zip(before, after, strict=True):
            assert_alike(*pair)
    elif not isinstance(before, str | bool | None):
        assert abs(after) <= abs(before)


@pytest.mark.parametrize("is_ascii", [True, False])
def test_values_of_all_types_stay_readable(is_ascii: bool) -> None:
    """Values read by Java, in the JSON encoding."""
    compared = changed = 0
    for row in golden("avro"):
        node = node_of("avro", row["subject"], row["version"])
        value, _ = value_of(row, node, None)
        if node.type != "record":
            continue
        data = json.dumps(json_encoding(node, value), ensure_ascii=is_ascii).encode()
        try:
            binary_of_json(node, data)
        except LimitExceededError:  # a tree of 200 levels
            continue
        names = [each.name for each in node.fields][::2]
        made = masked_avro_json(mask(*names), node, data, {})
        assert len(made) == len(data)
        before, after = (
            as_golden(node, read_value(reading(node), binary_of_json(node, each))[0]) for each in (data, made)
        )
        for name in before:
            if name in names:
                assert_alike(before[name], after[name])
            else:
                assert text(after[name]) == text(before[name])
        compared += 1
        changed += made != data
    assert compared > 200
    assert changed > 150


def fields(**kinds: Any) -> Node:
    return parse(
        json.dumps({"type": "record", "name": "R", "fields": [{"name": name, "type": kinds[name]} for name in kinds]})
    )


def redacted(node: Node, data: str, *paths: str) -> str:
    made = masked_avro_json(mask(*paths), node, data.encode(), {}).decode()
    assert len(made.encode()) == len(data.encode())
    assert binary_of_json(node, made.encode())
    return made


def test_texts_that_must_keep_their_form() -> None:
    enum = {"type": "enum", "name": "E", "symbols": ["LONGEST", "ON", "OFF"]}
    node = fields(e=enum, u={"type": "string", "logicalType": "uuid"}, b="boolean", d="double", s="string")
    found = redacted(
        node,
        '{"e":"OFF","u":"01234567-89ab-cdef-0123-456789abcdef","b":false,"d":"NaN","s":"\\u0041é"}',
        *"eubds",
    )
    made = json.loads(found)
    assert made["e"] in ("ON", "OFF")
    assert [len(part) for part in made["u"].split("-")] == [8, 4, 4, 4, 12]
    assert not made["u"].startswith("01234567")
    assert (made["b"], made["d"], len(made["s"])) == (True, "NaN", 8)
    assert redacted(node, found, "e").startswith('{"e":"O')
    assert json.loads(redacted(fields(e=enum), '{"e":"ON"}', "e")) == {"e": "ON"}  # the others are longer


def test_bytes_are_written_in_the_same_way() -> None:
    node = fields(
        f={"type": "fixed", "name": "F", "size": 5}, d={"type": "bytes", "logicalType": "decimal", "precision": 4}
    )
    assert json.loads(redacted(node, '{"f":"aé\\u00ff\\n\\u0000","d":"\'\\u000f"}', "f", "d"))
    for number in (9999, 0, -1, -9999, 127, -128):
        data = number.to_bytes(2, "big", signed=True)
        for ascii_only in (True, False):
            text_of = json.dumps({"f": "abcde", "d": data.decode("latin-1")}, ensure_ascii=ascii_only)
            made = json.loads(redacted(node, text_of, "d"))["d"].encode("latin-1")
            assert 0 <= int.from_bytes(made, "big", signed=True) * (1 if number >= 0 else -1) <= abs(number)


def test_paths_go_through_unions_arrays_maps_and_aliases() -> None:
    inner = {
        "type": "record",
        "name": "q.I",
        "fields": [{"name": "mail", "aliases": ["email"], "type": ["null", "string"]}],
    }
    many, named = {"type": "array", "items": [inner, "int"]}, {"type": "map", "values": "string"}
    whole = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "c", "type": ["null", many]}, {"name": "m", "type": named}],
    }
    items = b'[{"q.I":{"mail":{"string":"a@b.org"}}},{"int":7},{"q.I":{"mail":null}}]'
    data = b'{"c":{"array":' + items + b'},"m":{"k":"kept","x":"hide"}}'
    schemas = Schemas((schema("t-value", schema=json.dumps(whole)),), {}, {})
    made = SchemaRedaction(schemas).masked(found := mask("c.email", "m.x"), Framing("confluent", data, 1), "t-value")
    found.end_value()
    assert not found.without
    document = json.loads(made)
    assert b"a@b.org" not in made
    assert document["c"]["array"][1:] == [{"int": 7}, {"q.I": {"mail": None}}]
    assert document["m"]["k"] == "kept"
    assert document["m"]["x"] != "hide"


@pytest.mark.parametrize(
    ("kinds", "data", "says"),
    [
        ({"a": "string"}, '{"a":"x","b":"y"}', "a member is not of the schema (found b)"),
        ({"a": "string"}, '{"a":"x","a":"y"}', "a member comes twice (found a)"),
        ({"m": {"type": "map", "values": "int"}}, '{"m":{"k":1,"k":2}}', "a member comes twice (found k)"),
        ({"a": "double"}, f'{{"a":1.{"0" * 5000}}}', "a number has too many digits"),
    ],
)
def test_what_is_not_sure_is_refused(kinds: dict[str, Any], data: str, says: str) -> None:
    with pytest.raises(DataError) as refused:
        masked_avro_json(mask("a"), fields(**kinds), data.encode(), {})
    assert says in str(refused.value)


def by_schema(node: dict[str, Any], data: bytes) -> bytes:
    schemas = Schemas((schema("t-value", schema=json.dumps(node)),), {}, {})
    return SchemaRedaction(schemas).masked(mask("a"), Framing("confluent", data, 1), "t-value")


def test_a_value_of_both_encodings_is_refused() -> None:
    one = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "double"}]}
    with pytest.raises(CorruptError, match="a value both in Avro's binary encoding and in its JSON encoding"):
        by_schema(one, b'{"a":10}')  # eight bytes, as a double has
    assert by_schema(one, b'{"a":100}') != b'{"a":100}'
    assert json.loads(by_schema(one, b'{"a":-0.0100e1}'))["a"] < 0
    assert by_schema(one, b"{anybyte") != b"{anybyte"


def test_other_json_is_refused_where_the_schema_is_known(framings: Path, tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    values = [b'\0\0\0\0\4{"price":1,"city":"text","colour":0.0}']
    write(pa.table({"value": values, "timestamp": [1]}), tmp_path / "log", topic=APICURIO, partitions=1)
    shutil.copytree(framings / "_schemas-0", tmp_path / "log" / "_schemas-0")
    answer = kafkafmt(
        "extract", tmp_path / "log", "--topic", APICURIO, "--redact", "value:city", "--out", tmp_path / "o"
    )
    assert answer.status == 1
    assert "fields of this value cannot be redacted" in answer.stderr
    assert not (tmp_path / "o").exists()


NESTED = fields(
    a=[
        "null",
        {"type": "record", "name": "S", "fields": [{"name": "b", "type": "string"}, {"name": "n", "type": "long"}]},
    ],
    c={"type": "map", "values": "bytes"},
)
EVENT = b'{"a":{"S":{"b":"t\\u00e9xt","n":-4711}},"c":{"k":"\\u0000\\"a"}}'


@given(st.integers(0, len(EVENT)), st.binary(max_size=3), st.integers(0, 3))
def test_changed_json_is_redacted_or_refused(at: int, piece: bytes, size: int) -> None:
    data = EVENT[:at] + piece + EVENT[at + size :]
    try:
        binary_of_json(NESTED, data)
        made = masked_avro_json(mask("a", "c.k"), NESTED, data, {})
    except DataError:
        return
    assert len(made) == len(data)
    binary_of_json(NESTED, made)
    assert masked_avro_json(mask("nothing"), NESTED, made, {}) == made
