"""`--schema` and `--record`: values without a schema id or with a foreign one; topics of several record types."""

import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt as library
from kafkafmt.errors import DataError, KafkafmtWarning, NotFoundError, SourceError
from kafkafmt.values import schemas as schemas_of
from kafkafmt.values.avro.fingerprint import fingerprint
from kafkafmt.values.avro.schema import parse
from kafkafmt.values.record_names import record_name, record_names
from kafkafmt.values.registry import Schemas
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.golden_values import rows, unpack
from tests.values.test_schema_files import schema

ORDER = (
    '{"type":"record","name":"Order","namespace":"x",'
    '"fields":[{"name":"id","type":"long"},{"name":"a","type":["null","string"]}]}'
)


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {case: unpack(case, tmp_path_factory.mktemp(case)) for case in ("framings", "registry", "avro")}


def golden(case: str, topic: str) -> dict[tuple[int, int], dict[str, Any]]:
    return {
        (row["partition"], row["offset"]): row
        for row in rows(case, "values")
        if (row["topic"], row["part"]) == (topic, "value")
    }


def written(directory: Path, values: Sequence[bytes | None], topic: str = "orders") -> Path:
    """Write a log directory with these values."""
    count = len(values)
    columns = {"topic": [topic] * count, "partition": [0] * count, "timestamp": [0] * count}
    table = pa.table({**columns, "value": pa.array(values, pa.binary())})
    library.write(table, directory)
    return directory


def values(scan: Any, **arguments: Any) -> list[Any]:
    return scan.decode(columns=["value"], **arguments).to_table()["value"].to_pylist()  # type: ignore[no-any-return]


def file_of(tmp_path: Path, text: str = ORDER, name: str = "orders.avsc") -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


@pytest.mark.parametrize("topic", ["fx.glue", "fx.apicurio"])
def test_schemas_of_other_registries_are_named(topic: str, log_dirs: dict[str, Path]) -> None:
    decoded = library.scan(log_dirs["framings"], topics=topic).decode(
        schema="fx.apicurio-value", on_damage="skip", columns=["partition", "offset", "value", "valueError"]
    )
    with pytest.warns(KafkafmtWarning):
        found = {(row["partition"], row["offset"]): row for row in decoded.to_table().to_pylist()}
    read = 0
    for offset, row in golden("framings", topic).items():
        if row["format"] == "avro":
            assert found[offset]["value"] == row.get("written"), offset
            assert (found[offset]["valueError"] is None) == ("error" not in row), offset
            read += "error" not in row
    assert read >= {"fx.glue": 8, "fx.apicurio": 18}[topic]


def test_without_a_name_they_are_refused_with_advice(log_dirs: dict[str, Path]) -> None:
    with pytest.raises(DataError, match=r"not in _schemas: name it by schema= \(found glue "):
        values(library.scan(log_dirs["framings"], topics="fx.glue"), value="avro")


def test_the_readers_schema_is_chosen(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    scan = library.scan(log_dirs["registry"], topics="crm.people")
    latest = scan.decode().schema.field("value").type
    first = scan.decode(schema="crm.people-value:1").schema.field("value").type
    assert (latest.num_fields, first) == (3, pa.struct([("price", pa.string())]))
    assert len(values(scan, schema="crm.people-value:1")) == 13
    answer = kafkafmt(
        *("cat", log_dirs["registry"], "--topic", "crm.people", "--value-format", "auto", "-o", "jsonl"),
        *("--schema", "crm.people-value:1", "--columns", "value", "--limit", 1),
    )
    assert (answer.status, answer.lines) == (0, ['{"value":{"price":"price 0"}}'])
    for wrong, says in (
        ("crm.peoples", "no schema crm.peoples: neither"),
        ("x.avsc", "x.avsc: no such schema file"),
    ):
        refused = kafkafmt(
            "cat", log_dirs["registry"], "--topic", "crm.people", "--value-format", "auto", "--schema", wrong
        )
        assert refused.status == 3
        assert says in refused.stderr
    assert kafkafmt("cat", log_dirs["registry"], "--schema", "crm.people-value").status == 2
    with pytest.raises(NotFoundError, match=r"crm.people-value has no version 9; there are: 1, 2, 3, 4$"):
        scan.decode(schema="crm.people-value:9")
    with pytest.raises(SourceError, match="no such schema file"):
        scan.decode(schema="absent.avsc")


@pytest.mark.parametrize(
    "payloads",
    [
        [b"\x02\x00", b"\x04\x02\x02b", None],
        # They look like values with Confluent ids, but are not.
        [b"\x00\x02\x06abc", b"\x00\x02\x08abcd", b"\x00\x02\x06xyz"],
        [b"\xc3\x01\x02\x10abcdefgh", b"\x01\x02\x20" + b"q" * 16],
    ],
)
def test_raw_values_by_a_file(payloads: list[bytes | None], tmp_path: Path) -> None:
    scan = library.scan(written(tmp_path / "log", payloads))
    decoded = scan.decode(schema=file_of(tmp_path), columns=["value", "valueSchemaId"])
    table = pickle.loads(pickle.dumps(decoded)).to_table()
    assert table.schema.field("value").type == pa.struct([("id", pa.int64()), ("a", pa.string())])
    read = {b"\x02\x00": (1, None), b"\x04\x02\x02b": (2, "b"), b"\x00\x02\x06abc": (0, "abc"), None: None}
    for payload, value in zip(payloads, table["value"].to_pylist(), strict=True):
        assert (value is None) == (payload is None)
        if payload in read and value is not None:
            assert (value["id"], value["a"]) == read[payload]
    assert table["valueSchemaId"].null_count == len(payloads)


def test_a_schema_that_needs_other_files(tmp_path: Path) -> None:
    scan = library.scan(written(tmp_path / "log", [b"\x02"]))
    text = '{"type":"record","name":"Order","fields":[{"name":"item","type":"x.Item"}]}'
    alone = file_of(tmp_path, text, "order.avsc")
    with pytest.raises(DataError, match=r"^the schema order version 1: the Avro schema has no type 'x.Item'"):
        scan.decode(schema=alone)
    file_of(tmp_path, '{"type":"record","name":"x.Item","fields":[{"name":"n","type":"int"}]}', "item.avsc")
    (tmp_path / "schemas").mkdir()
    for name in ("order.avsc", "item.avsc"):
        (tmp_path / name).rename(tmp_path / "schemas" / name)
    assert values(scan, schemas=schemas_of(tmp_path / "schemas"), schema="order") == [{"item": {"n": 1}}]


def test_framed_values_by_a_file_keep_their_framing(tmp_path: Path) -> None:
    framed = [b"\0\0\0\0\x05" + payload for payload in (b"\x02\x00", b"\x04\x02\x02b")]
    scan = library.scan(written(tmp_path / "log", framed))
    expected = [{"id": 1, "a": None}, {"id": 2, "a": "b"}]
    assert values(scan, schema=file_of(tmp_path)) == expected
    # A folder without ids can only mean a single schema.
    file_of(tmp_path, name="orders-value.avsc")
    assert values(scan, schemas=schemas_of(tmp_path / "orders-value.avsc")) == expected
    (tmp_path / "others").mkdir()
    file_of(tmp_path / "others", '"int"', "other.avsc")
    file_of(tmp_path / "others", name="orders-value.avsc")
    assert values(scan, schemas=schemas_of(tmp_path / "others")) == expected


def test_an_unknown_id_of_a_known_registry_is_not_guessed(log_dirs: dict[str, Path]) -> None:
    scan = library.scan(log_dirs["registry"], topics="crm.gone")
    with pytest.raises(DataError, match="no known schema has this id"):
        values(scan, schema="crm.people-value")


def test_json_by_a_file(tmp_path: Path) -> None:
    scan = library.scan(written(tmp_path / "log", [b'{"a":1}', b"{", b'{"a":2}']))
    chosen = file_of(tmp_path, '{"type":"object","properties":{"a":{"type":"integer"}}}', "a.json")
    with pytest.raises(DataError, match="offset 1: the value cannot be decoded"):
        values(scan, schema=chosen)


def test_single_objects_by_their_fingerprint(tmp_path: Path) -> None:
    known = Schemas((schema("a-value", schema=ORDER), schema("b-value", schema='"int"', schema_id=2)), {}, {})
    mark = b"\xc3\x01" + fingerprint(parse(ORDER)).to_bytes(8, "little")
    scan = library.scan(written(tmp_path / "log", [mark + b"\x02\x00", mark + b"\x04\x02\x02b", None]))
    decoded = scan.decode(schemas=known, columns=["value", "valueSchemaId"]).to_table()
    assert decoded["value"].to_pylist() == [{"id": 1, "a": None}, {"id": 2, "a": "b"}, None]
    assert decoded["valueSchemaId"].to_pylist() == [1, 1, None]
    unknown = library.scan(written(tmp_path / "other", [b"\xc3\x01" + bytes(8) + b"\x02"]))
    with pytest.raises(DataError, match=r"no known schema has this fingerprint \(found 0000000000000000\)"):
        values(unknown, schemas=known, value="avro")


def types_of(case: str, topic: str) -> dict[str, int]:
    """Number of values of each record type, by the subjects in the golden values."""
    counts: dict[str, int] = {}
    texts = {(row["subject"], row["version"]): row["schema"] for row in rows(case, "schemas")}
    for row in golden(case, topic).values():
        if not row.get("null"):
            content = json.loads(texts[row["subject"], row["version"]])
            name = f"{content['namespace']}.{content['name']}"
            counts[name] = counts.get(name, 0) + 1
    return counts


def test_one_record_type_of_several(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    counts = types_of("avro", "events")
    assert len(counts) >= 3
    scan = library.scan(log_dirs["avro"], topics="events")
    nulls = sum(row.get("null", False) for row in golden("avro", "events").values())
    for name, count in counts.items():
        found = scan.decode(record=name, columns=["partition", "offset", "value", "valueError"])
        whole = found.to_table()
        table = whole.filter(whole["value"].is_valid())
        # Tombstones have no type.
        assert len(whole) - len(table) == nulls > 0
        expected = {
            place: row["resolved"]
            for place, row in golden("avro", "events").items()
            if not row.get("null") and str(row["subject"]).endswith(name)
        }
        assert len(table) == count == len(expected)
        assert set(zip(table["partition"].to_pylist(), table["offset"].to_pylist(), strict=True)) == set(expected)
        assert {each.name for each in table.schema.field("value").type} == set(next(iter(expected.values())))
        (note,) = found.notes
        assert not note.is_finding
        others = sum(counts.values()) - count
        assert str(note).startswith(f"events: left out {others} records of other types: ")
        # It is also excluded where no value is needed.
        assert len(scan.decode(record=name, columns=["offset"]).to_table()) == count + nulls
    answer = kafkafmt(
        *("cat", log_dirs["avro"], "--topic", "events", "--value-format", "auto", "--record", name, "-o", "jsonl"),
    )
    assert (answer.status, len(answer.lines)) == (0, count + nulls)
    assert f"note: events: left out {others} records of other types" in answer.stderr


def test_the_first_records_of_a_type(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    options = ("cat", log_dirs["avro"], "--topic", "events", "--value-format", "auto", "-o", "jsonl")
    name = "com.example.shop.events.Recbatch_16"
    first = kafkafmt(*options, "--record", name, "--limit", 5)
    assert (first.status, first.lines) == (0, kafkafmt(*options, "--record", name).lines[:5])
    refused = kafkafmt(*options, "--record", name, "--last", 2)
    assert refused.status == 2
    assert "--record cannot be combined with --last" in refused.stderr
    unknown = kafkafmt(*options, "--record", "com.example.Recbatch")
    assert unknown.status == 3
    assert "no schema of the record type com.example.Recbatch; there are: com.example.shop." in unknown.stderr
    short = kafkafmt(*options, "--record", "Recbatch_16")
    assert f"no schema of the record type Recbatch_16; there are: {name}, " in short.stderr
    near = kafkafmt(*options, "--schema", "order-value")
    assert "there are: orders-value, " in near.stderr
    mixed = kafkafmt(*options)
    assert mixed.status == 1
    assert "the topic has several record types: choose one by --record" in mixed.stderr


def test_a_type_that_the_first_records_do_not_have(tmp_path: Path) -> None:
    other = ORDER.replace("Order", "Payment")
    known = Schemas((schema("x.Order", schema=ORDER), schema("x.Payment", schema=other, schema_id=2)), {}, {})
    values = [b"\0\0\0\0\1\2\0"] * 5000 + [b"\0\0\0\0\2\4\0"]
    decoded = library.scan(written(tmp_path / "log", values)).decode(record="x.Payment", schemas=known)
    assert decoded.to_table()["value"].to_pylist() == [{"id": 2, "a": None}]


def test_topics_list_their_record_types(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("schemas", log_dirs["avro"], "--show", "topics", "-o", "jsonl")
    found = {(row["topic"], row["part"]): row["recordTypes"] for row in map(json.loads, answer.lines)}
    assert {each["name"]: each["records"] for each in found["events", "value"]} == types_of("avro", "events")
    assert [each["records"] for each in found["events", "value"]] == sorted(
        types_of("avro", "events").values(), reverse=True
    )


@pytest.mark.parametrize(
    ("kind", "text", "names"),
    [
        ("AVRO", ORDER, ("x.Order",)),
        ("AVRO", '{"type":"record","name":"a.B","namespace":"c"}', ("a.B",)),
        ("AVRO", '"int"', ()),
        ("AVRO", "{", ()),
        ("AVRO", "[" * 100_000, ()),
        ("JSON", '{"title":"Bill"}', ("Bill",)),
        ("JSON", "true", ()),
        (
            "PROTOBUF",
            """syntax = "proto3"; // message No {}
            package a.b; message One { message In {} string s = 1; }
            option x = "message Two {"; enum E { A = 0; } message Three {}""",
            ("a.b.One", "a.b.One.In", "a.b.Three"),
        ),
    ],
    ids=range(8),
)
def test_names_of_record_types(kind: str, text: str, names: tuple[str, ...]) -> None:
    each = schema("s", type=kind, schema=text)
    assert record_names(each) == names
    assert record_name(each) == (names[0] if names else None)


LOCAL = '{"type":"long","logicalType":"local-timestamp-micros"}'


@pytest.mark.parametrize(
    ("text", "data", "shown"),
    [
        ('{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}', b"\4\xd2", "12.34"),
        ('{"type":"long","logicalType":"timestamp-micros"}', b"\xc2\x8d\xb7\x01", "1970-01-01T00:00:01.500001Z"),
        ('{"type":"long","logicalType":"timestamp-millis"}', b"\2", "1970-01-01T00:00:00.001Z"),
        (LOCAL, b"\xc2\x8d\xb7\x01", "1970-01-01T00:00:01.500001"),
    ],
)
def test_values_that_are_decimals_or_times(
    text: str,
    data: bytes,
    shown: str,
    tmp_path: Path,
    kafkafmt: Call,  # noqa: F811
) -> None:
    log_dir = written(tmp_path / "log", [data, None])
    options = ("--value-format", "avro", "--schema", file_of(tmp_path, text), "--columns", "timestamp,value", "-o")
    rows_of = {form: kafkafmt("cat", log_dir, *options, form).lines[-2:] for form in ("jsonl", "csv", "table")}
    assert [json.loads(line) for line in rows_of["jsonl"]] == [
        {"timestamp": 0, "value": shown},
        {"timestamp": 0, "value": None},
    ]
    assert rows_of["csv"] == [f"0,{shown}", "0,"]
    assert [line.split() for line in rows_of["table"]] == [
        ["1970-01-01T00:00:00.000Z", shown],
        ["1970-01-01T00:00:00.000Z", "null"],
    ]


def test_fields_that_are_local_times(tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    log_dir = written(tmp_path / "log", [b"\xc2\x8d\xb7\x01"])
    text = f'{{"type":"record","name":"R","fields":[{{"name":"at","type":{LOCAL}}}]}}'
    answer = kafkafmt("cat", log_dir, "--value-format", "avro", "--schema", file_of(tmp_path, text))
    assert answer.lines[-1].endswith(" 1970-01-01T00:00:01.500001")


PROTO = """syntax = "proto3"; package p;
message First { string a = 1; message Item { int64 n = 1; } map<string, Item> items = 2;
  message Last { int64 c = 1; } message End {} }
message Second { int64 b = 1; }
"""


@pytest.mark.parametrize(
    ("record", "value", "expected", "shown"),
    [
        (None, b"\x0a\1x", {"a": "x", "items": []}, {"a": "x", "items": {}}),
        ("p.Second", b"\x08\7", {"b": 7}, {"b": "7"}),
        ("p.First.Item", b"\x08\x09", {"n": 9}, {"n": "9"}),
        # Its message indexes mean another message if map entries are counted.
        ("p.First.Last", b"", {"c": 0}, {"c": "0"}),
    ],
)
def test_raw_protobuf_of_any_message(
    record: str | None, value: bytes, expected: dict[str, Any], shown: dict[str, Any], tmp_path: Path
) -> None:
    scan = library.scan(written(tmp_path / "log", [value, None, value]))
    chosen = file_of(tmp_path, PROTO, "p.proto")
    assert values(scan, schema=chosen, record=record) == [expected, None, expected]
    as_written = values(scan, schema=chosen, record=record, resolve=False)
    assert [each and json.loads(each) for each in as_written] == [shown, None, shown]
