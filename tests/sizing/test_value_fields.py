"""`space --by value:FIELD`: bytes and records by fields of decoded keys and values."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt as library
from kafkafmt.errors import DataError
from kafkafmt.writing.write import write
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.change_events import FORMS, TOPIC, events, written
from tests.values.golden_values import unpack

EVENT = "com.example.shop.events.Recprice_21"


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("events")
    made = {form: written(directory, form) for form in FORMS}
    return made | {"damaged": unpack("damaged", tmp_path_factory.mktemp("damaged"))}


@pytest.mark.parametrize("form", ["json", "json-schema", "avro"])
def test_records_and_bytes_by_a_field(form: str, log_dirs: dict[str, Path]) -> None:
    disks = library.open(log_dirs[form])
    rows = disks.space(by="value:after.first_name", topics=TOPIC).to_table().to_pylist()
    expected = Counter(((each["value"] or {}).get("after") or {}).get("first_name") for each in events())
    assert {row["value:after.first_name"]: row["records"] for row in rows} == expected
    (whole,) = disks.space(by="topic", topics=TOPIC).to_table().to_pylist()
    assert sum(row["storedBytes"] for row in rows) == whole["storedBytes"]
    assert sum(row["recordBytes"] for row in rows) == whole["recordBytes"]
    assert [row["storedBytes"] for row in rows] == sorted((row["storedBytes"] for row in rows), reverse=True)


def test_fields_of_keys_beside_others(log_dirs: dict[str, Path]) -> None:
    disks = library.open(log_dirs["avro"])
    with pytest.raises(ValueError, match="cannot group by 'value'"):
        disks.space(by="value")
    rows = library.open(log_dirs["json"]).space(by=["key:id", "value:op", "topic"]).to_table().to_pylist()
    assert {(row["key:id"], row["value:op"]): row["records"] for row in rows} == Counter(
        (None if each["key"] is None else str(each["key"]["id"]), (each["value"] or {}).get("op")) for each in events()
    )
    assert {row["topic"] for row in rows} == {TOPIC}


@pytest.mark.parametrize("by", ["value:", "value:a..b", "value:a,value:a", "key:.", "value:a,topic,value:a"])
def test_what_is_no_field(by: str, log_dirs: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match=r"is not a field of a (key|value), or given twice"):
        library.open(log_dirs["json"]).space(by=by)


def test_what_cannot_be_decoded_is_noted(log_dirs: dict[str, Path]) -> None:
    disks = library.open(log_dirs["damaged"])
    answer = disks.space(by="value:city", topics="meters.mixed")
    assert "6 values cannot be decoded, and count without their fields: see kafkafmt cat" in map(str, answer.notes)
    assert {row["value:city"]: row["records"] for row in answer.to_table().to_pylist()} == {None: 7, "2.5": 1}
    with pytest.raises(DataError):
        disks.space(by="value:city", topics="meters.mixed", on_damage="raise")
    absent = disks.space(by="value:nothing", topics="meters.mixed")
    assert "no record has value:nothing: its records are in the group null" in map(str, absent.notes)


def test_memory_is_bounded(tmp_path: Path) -> None:
    values = [f'{{"id": "{"x" * 100}{number % 5000}", "half": {number % 2}}}'.encode() for number in range(20_000)]
    write(pa.table({"value": values, "timestamp": [1] * len(values)}), tmp_path / "log", topic="t", partitions=1)
    disks = library.open(tmp_path / "log")
    answer = disks.space(by="value:id", top=3, limits=library.Limits(max_state_bytes=200_000))
    assert answer.is_estimate
    assert answer.to_table()["storedBytesError"][0].as_py() > 0
    assert disks.space(by="value:half").to_table()["records"].to_pylist() == [10_000, 10_000]


@pytest.mark.parametrize("batch_bytes", [1, 16_384])
def test_batches_are_counted_once_for_each_group(batch_bytes: int, tmp_path: Path) -> None:
    values = [f'{{"a":"{number % 3}"}}'.encode() for number in range(5000)]
    rows = pa.table({"value": values, "timestamp": [1] * len(values)})
    write(rows, tmp_path / "log", topic="t", partitions=1, batch_bytes=batch_bytes)
    disks = library.open(tmp_path / "log")
    (whole,) = disks.space(by="topic").to_table().to_pylist()
    groups = disks.space(by="value:a").to_table().to_pylist()
    assert sum(group["records"] for group in groups) == 5000
    assert sum(group["storedBytes"] for group in groups) == whole["storedBytes"]
    assert sum(group["recordBytes"] for group in groups) == whole["recordBytes"]
    counted = [group["batches"] for group in groups]
    assert counted == ([whole["batches"]] * 3 if whole["batches"] < 5000 else sorted([1667, 1667, 1666], reverse=True))


def test_damage_is_met_as_by_keys(tmp_path: Path) -> None:
    values = [b'{"a":"%d"}' % (number % 3) for number in range(500)]
    rows = pa.table({"key": values, "value": values, "timestamp": [1] * len(values)})
    write(rows, tmp_path / "log", topic="t", partitions=1, batch_bytes=500)
    (log,) = (tmp_path / "log").glob("t-0/*.log")
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 1
    log.write_bytes(data)
    disks = library.open(tmp_path / "log")
    by_key, by_value = (disks.space(by=by) for by in ("key", "value:a"))
    assert by_value.damage
    assert list(map(str, by_value.damage)) == list(map(str, by_key.damage))
    assert by_value.totals == by_key.totals


def test_control_records_have_no_fields() -> None:
    golden = Path(__file__).parents[1] / "golden" / "modern" / "04-transactions-4.3.1"
    disks = library.open(golden / "log-dir")
    answer = disks.space(by="value:a", topics=["tx", "tx-other"], value_format="string", key_format="string")
    assert answer.totals[1] == 177 + 44 + 8 + 7  # the second and last are markers
    assert not [note for note in answer.notes if "cannot be decoded" in str(note)]


def test_the_command(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("space", log_dirs["avro"], "--topic", TOPIC, "--by", "value:nothing", "-o", "csv")
    assert answer.status == 0
    wanted = ("space", log_dirs["json-schema"], "--topic", TOPIC, "--by", "value:op", "--top", 1)
    answer = kafkafmt(*wanted, "-o", "csv", "--columns", "value:op,records")
    assert answer.lines == ["value:op,records", "c,3"] or answer.lines[1].startswith(("d,", "c,"))
    refused = kafkafmt("space", log_dirs["json"], "--by", "topic", "--value-format", "json")
    assert refused.status == 2
    assert "go with --by value:FIELD" in refused.stderr


def test_options_of_cat_choose_the_fields(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    """`--schema`, `--record`, `--written` and `--unwrap`; bytes of records without the field count too."""
    typed = Path(__file__).parents[2] / "docs/examples/typed/log-dir"
    disks = library.open(typed)
    (whole,) = disks.space(topics="orders").to_table().to_pylist()

    def groups(**options: Any) -> dict[str | None, int]:
        rows = disks.space(by="value:channel", topics="orders", **options).to_table().to_pylist()
        assert sum(row["storedBytes"] for row in rows) == whole["storedBytes"]
        return {row["value:channel"]: row["records"] for row in rows}

    assert groups() == {"TILL": 6, "WEB": 6}
    assert groups(schema="orders-value:1") == {None: 12}
    assert groups(resolve=False) == {"WEB": 6, "TILL": 2, None: 4}
    with pytest.raises(ValueError, match="orders: the values are not change events of Debezium"):
        groups(unwrap="debezium")
    options = (
        "--by",
        "value:first_name",
        "--unwrap",
        "debezium",
        "-o",
        "jsonl",
        "--columns",
        "value:first_name,records",
    )
    shown = kafkafmt("space", log_dirs["avro"], "--topic", TOPIC, *options)
    rows = [each["value"] and (each["value"]["after"] or each["value"]["before"]) for each in events()]
    expected = Counter(None if row is None else row["first_name"] for row in rows)
    assert {row["value:first_name"]: row["records"] for row in map(json.loads, shown.lines)} == expected
    refused = kafkafmt("space", typed, "--by", "value:a", "--topic", "orders", "--unwrap", "debezium")
    assert refused.status == 2
    assert "not change events" in refused.stderr
    alone = kafkafmt("space", typed, "--schema", "orders-value:1")
    assert alone.status == 2
    assert "--value-format and the like go with --by value:FIELD or key:FIELD" in alone.stderr


def test_records_of_other_types_have_no_fields(tmp_path: Path) -> None:
    avro = unpack("avro", tmp_path)
    scan = library.open(avro)
    answer = scan.space(by="value:city_26", topics="events", record=EVENT)
    table = {row["value:city_26"]: row["records"] for row in answer.to_table().to_pylist()}
    assert any("of other types count without their fields" in str(note) for note in answer.notes)
    assert sum(table.values()) == scan.scan(topics="events").count()
    (note,) = [each for each in answer.notes if "of other types" in str(each)]
    assert table[None] >= int(str(note).partition(" ")[0])
