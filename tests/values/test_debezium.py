"""Debezium's change events as table rows, in each form that Kafka Connect's converters write."""

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt as library
from kafkafmt.errors import DataError
from kafkafmt.values.debezium import ChangeEvents
from kafkafmt.writing.write import write
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.change_events import FORMS, TOPIC, events, tables, written


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("debezium")
    return {form: written(directory, form) for form in FORMS}


def plain(value: Any) -> Any:
    """Parse a value that may be JSON text."""
    return json.loads(value) if isinstance(value, str) and value.startswith("{") else value


def scan(log_dir: Path, **options: Any) -> library.Scan:
    return library.scan(log_dir, topics=TOPIC, **options).without_warnings()


@pytest.mark.parametrize("form", FORMS)
def test_each_event_is_its_row(form: str, log_dirs: dict[str, Path]) -> None:
    table = scan(log_dirs[form]).decode(unwrap="debezium").to_table()
    assert table.schema.names[-7:] == [
        "op",
        "ts_ms",
        "source",
        "keySchemaId",
        "valueSchemaId",
        "keyError",
        "valueError",
    ]
    for made, event in zip(table.to_pylist(), events(), strict=True):
        value = event["value"] or {}
        assert plain(made["value"]) == event["row"]
        assert (made["op"], made["ts_ms"]) == (value.get("op"), value.get("ts_ms"))
        assert plain(made["source"]) == value.get("source")
        assert plain(made["key"]) == event["key"]
        assert made["valueSchemaId"] == (7 if value and form in ("avro", "json-schema") else None)


@pytest.mark.parametrize("form", FORMS)
def test_rows_have_the_types_of_the_table(form: str, log_dirs: dict[str, Path]) -> None:
    kind = scan(log_dirs[form]).decode(unwrap="debezium").schema.field("value").type
    number = "int32" if form == "avro" else "int64"
    texts = "first_name: string, last_name: string, email: string"
    assert str(kind) == ("string" if form == "json" else f"struct<id: {number}, {texts}>")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("moment", tables())
def test_compacted_events_are_the_table(form: str, moment: str, log_dirs: dict[str, Path]) -> None:
    log = scan(log_dirs[form], compacted=True)
    decoded = (log if moment == "end" else log.as_of(int(moment))).decode(unwrap="debezium", columns=["value", "op"])
    found = sorted((plain(row["value"]) for row in decoded.to_table().to_pylist()), key=lambda row: row["id"])
    assert found == sorted(tables()[moment], key=lambda row: row["id"])


def test_the_first_rows_of_a_table_are_not_of_deleted_ones(log_dirs: dict[str, Path]) -> None:
    decoded = scan(log_dirs["json"], compacted=True).decode(unwrap="debezium")
    whole = decoded.to_table()
    assert decoded.head(2).read_all() == whole
    assert decoded.head(1).read_all() == whole.slice(0, 1)
    assert decoded.head(0).read_all().num_rows == 0
    with pytest.raises(ValueError, match="once all are decoded"):
        decoded.tail(1)


def test_events_pickle_after_a_pass(log_dirs: dict[str, Path]) -> None:
    decoded = scan(log_dirs["json"]).decode(unwrap="debezium")
    table = decoded.to_table()
    assert pickle.loads(pickle.dumps(decoded)).to_table() == table


def test_values_as_written_are_unwrapped_too(log_dirs: dict[str, Path]) -> None:
    for form in ("json-schema", "avro"):
        rows = (
            scan(log_dirs[form]).decode(unwrap="debezium", resolve=False, key="bytes").to_table()["value"].to_pylist()
        )
        assert [plain(row) for row in rows] == [event["row"] for event in events()]


def test_other_values_are_no_events(tmp_path: Path) -> None:
    values = ['{"op":"c","after":{"a":1}}', '{"payload":{"op":"u","after":null}}', '{"a":1}', "null", '{"op":3}', "[]"]
    rows = pa.table({"key": [b"k"] * 6, "value": [each.encode() for each in values], "timestamp": [1] * 6})
    write(rows, tmp_path / "log", topic="t", partitions=1)
    log = library.scan(tmp_path / "log").without_warnings()
    with pytest.raises(DataError, match="t-0, offset 2: the value cannot be decoded: not a change event of Debezium"):
        log.decode(unwrap="debezium", value="json").to_table()
    found = log.decode(unwrap="debezium", value="json", on_damage="skip").to_table()
    assert found["value"].to_pylist() == ['{"a":1}', *[None] * 5]
    assert [error and error.partition(" (")[0] for error in found["valueError"].to_pylist()] == [
        None,
        None,
        "not a change event of Debezium: it has no op",
        "not a change event of Debezium: it has no op",
        "$.op is of another type",
        "$ is of another type",
    ]
    with pytest.raises(ValueError, match="not change events of Debezium: they are binary"):
        log.decode(unwrap="debezium", value="bytes")
    with pytest.raises(ValueError, match="unwrap"):
        log.decode(unwrap="other")


def connect(fields: list[dict[str, Any]], payload: dict[str, Any]) -> bytes:
    row = {"type": "struct", "fields": fields}
    named = [{**row, "field": "before"}, {**row, "field": "after"}, {"type": "string", "field": "op"}]
    return json.dumps({"schema": {"type": "struct", "fields": named}, "payload": payload}).encode()


def test_connects_schemas_give_the_types_of_rows(tmp_path: Path) -> None:
    fields: list[dict[str, Any]] = [
        {"type": "int64", "field": "id"},
        {"type": "double", "field": "weight"},
        {"type": "boolean", "field": "ok"},
        {"type": "bytes", "field": "data", "name": "org.apache.kafka.connect.data.Decimal"},
        {"type": "array", "items": {"type": "int32"}, "field": "numbers"},
        {"type": "map", "keys": {"type": "string"}, "values": {"type": "int16"}, "field": "counts"},
        {"type": "map", "keys": {"type": "int32"}, "values": {"type": "int16"}, "field": "pairs"},
        {"type": "struct", "fields": [], "field": "empty"},
    ]
    row = {"id": 1, "weight": 0.5, "ok": True, "data": "AA==", "numbers": [1], "counts": {"a": 1}, "pairs": [[1, 2]]}
    values = [
        connect(fields[:3], {"op": "c", "after": {"id": 1, "weight": 2, "ok": False}}),
        connect(fields, {"op": "c", "after": row}),
        b'{"op":"u","after":{"id":2,"added":1}}',
        b'{"op":"u","after":{"id":"x"}}',
    ]
    table = pa.table({"key": [b"k"] * 4, "value": values, "timestamp": [1] * 4})
    write(table, tmp_path / "log", topic="t", partitions=1)
    decoded = library.scan(tmp_path / "log").without_warnings().decode(unwrap="debezium", on_damage="skip")
    assert str(decoded.schema.field("value").type) == (
        "struct<id: int64, weight: double, ok: bool, data: string, numbers: list<element: int64>, "
        "counts: map<string, int64>, pairs: string, empty: string>"
    )
    rows = decoded.to_table()
    assert rows["value"][1].as_py() == {**row, "counts": [("a", 1)], "pairs": "[[1, 2]]", "empty": None}
    assert rows["value"].to_pylist()[2]["id"] == 2
    assert rows["valueError"].to_pylist()[3] == '$.after.id is of another type (expected an integer, found "x")'
    assert str(decoded.notes[-1]).endswith("does not name (resolve=False shows them): 'after.added'")


def test_rows_before_and_after_have_one_type() -> None:
    after = pa.struct([("id", pa.int32())])
    kind = pa.struct([("op", pa.string()), ("before", pa.string()), ("after", after)])
    with pytest.raises(ValueError, match="different types"):
        ChangeEvents(kind)
    bare = ChangeEvents(pa.struct([("op", pa.string()), ("before", after), ("after", after)]))
    unwrapped = bare.unwrap(pa.array([{"op": "d", "before": {"id": 1}}, None], bare.kind))
    assert unwrapped.rows.to_pylist() == [{"id": 1}, None]
    assert unwrapped.beside["source"].to_pylist() == [None, None]


def test_cat_shows_the_table(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    wanted = ("cat", log_dirs["avro"], "--topic", TOPIC, "--unwrap", "debezium")
    answer = kafkafmt(*wanted, "--compacted", "--limit", 1)
    assert answer.status == 0
    assert [line.split()[3:] for line in answer.lines] == [
        ["op", "key", "id", "first_name", "last_name", "email"],
        ["r", '{"id":', "1001}", "1001", "Sally", "Thomas", "sally.thomas@acme.com"],
    ]
    assert len(kafkafmt(*wanted, "--compacted", "--at-time", "2019-05-28T08:58:31Z", "-o", "jsonl").lines) == 3
    assert len(kafkafmt(*wanted, "-o", "jsonl").lines) == 12
    parts = kafkafmt(*wanted, "-o", "jsonl", "--columns", "op,ts_ms,value", "--limit", 1)
    assert json.loads(parts.lines[0]) == {"op": "r", "ts_ms": 1559033904000, "value": events()[0]["row"]}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--at-time", "2026-01-01"], "--at-time needs --compacted"),
        (["--at-time", "2026-01-01", "--compacted", "--end-offset", 3], "cannot be combined with --end-offset"),
        (["--unwrap", "debezium", "--value-format", "bytes"], "not change events of Debezium"),
        (["--unwrap", "debezium", "--compacted", "--last", 3], "no order"),
    ],
)
def test_options_that_do_not_go_together(
    options: list[Any],
    says: str,
    log_dirs: dict[str, Path],
    kafkafmt: Call,  # noqa: F811
) -> None:
    answer = kafkafmt("cat", log_dirs["json"], "--topic", TOPIC, *options)
    assert answer.status == 2
    assert says in answer.stderr


def test_a_table_as_of_a_time_beside_damage(log_dirs: dict[str, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(log_dirs["json"], tmp_path / "copy")
    (log,) = copy.glob(f"{TOPIC}-0/*.log")
    data = bytearray(log.read_bytes())
    data[-1] ^= 1
    log.write_bytes(data)
    with pytest.raises(DataError):
        scan(copy, compacted=True).as_of(1559033909005)
    skipped = scan(copy, compacted=True, on_damage="skip").as_of(1559033909005)
    skipped.to_table()
    assert skipped.damage


def test_moments_that_are_none(log_dirs: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="without end_offset"):
        scan(log_dirs["json"], end_offset=3).as_of(1)
    with pytest.raises((TypeError, ValueError)):
        scan(log_dirs["json"]).as_of("yesterday")
    assert scan(log_dirs["json"]).as_of("2019-05-28T08:58:25.005Z").to_table()["offset"].to_pylist() == [0, 1]


def test_tables_of_several_topics_have_text_as_rows(tmp_path: Path) -> None:
    values = [connect([{"type": "int64", "field": name}], {"op": "c", "after": {name: 1}}) for name in "ab"]
    rows = pa.table({"topic": ["a", "b"], "key": [b"k"] * 2, "value": values, "timestamp": [1] * 2})
    write(rows, tmp_path / "log", partitions=1)
    found = library.scan(tmp_path / "log").without_warnings().decode(unwrap="debezium").to_table()
    assert found["value"].to_pylist() == ['{"a": 1}', '{"b": 1}']
