"""Protobuf topics by `Scan.decode`, `cat` and `schemas`: what a user sees."""

import json
import pickle
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kafkafmt as library
from kafkafmt.errors import DataError, NotFoundError
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.golden_values import rows, unpack


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("protobuf", tmp_path_factory.mktemp("protobuf"))


def test_columns_have_the_values_of_the_golden_rows(log_dir: Path) -> None:
    scan = library.scan(log_dir, topics="proto-orders").decode()
    table = scan.to_table()
    assert table.schema.field("value").type == pa.struct([
        ("id", pa.uint32()),
        ("price_renamed", pa.string()),
        ("zigzag", pa.list_(pa.field("element", pa.int64()))),
        ("city", pa.list_(pa.field("element", pa.int64()))),
        ("kind", pa.string()),
        ("inner", pa.struct([("x", pa.string()), ("z", pa.float32())])),
        ("elsewhere", pa.string()),
    ])  # fmt: skip
    golden = [
        row["resolved"] for row in rows("protobuf", "values") if row["topic"] == "proto-orders" and row.get("resolved")
    ]
    values = [each for each in table["value"].to_pylist() if each is not None]
    assert len(values) == len(golden) == 27
    for made, expected in zip(values, golden, strict=True):
        assert made["id"] == expected["id"]
        assert made["price_renamed"] == expected["price_renamed"]
        assert made["zigzag"] == [int(each) for each in expected["zigzag"]]
        assert made["kind"] == str(expected["kind"])
        assert (made["inner"] is None) == ("inner" not in expected)
        assert made["elsewhere"] == expected.get("elsewhere")
    assert [note for note in scan.notes if "fields" in note] == [
        "proto-orders: 17 values with fields that the schema does not have"
    ]


def test_every_topic_is_found_and_keys_too(log_dir: Path) -> None:
    topics = {each.topic for each in library.scan(log_dir).partitions if each.topic and each.topic.startswith("proto-")}
    assert len(topics) == 12
    for topic in topics:
        decoded = library.scan(log_dir, topics=topic).decode(on_damage="skip")
        table = decoded.to_table()
        assert pa.types.is_struct(table.schema.field("value").type), topic
        golden = {
            (row["partition"], row["offset"]): row
            for row in rows("protobuf", "values")
            if row["topic"] == topic and row["part"] == "value" and row.get("format") == "protobuf"
        }
        for row in table.to_pylist():
            expected = golden.get((row["partition"], row["offset"]))
            if expected is None:
                assert row["value"] is None
            elif "resolved" in expected and row["valueError"] is None:
                assert row["value"] is not None
            elif "resolved" in expected:
                # One topic, one type: values of other messages do not have it.
                assert "a value of another message" in row["valueError"], topic
            else:
                assert row["valueError"], topic
    table = library.scan(log_dir, topics="proto-random.0").decode(on_damage="skip").to_table()
    assert table.schema.field("key").type == pa.struct([("tenant", pa.string()), ("no", pa.int64())])


def test_columns_of_json_text_are_noted(log_dir: Path) -> None:
    scan = library.scan(log_dir, topics="proto-types").decode()
    scan.to_table()
    assert [note for note in scan.notes if "JSON" in note] == [
        "proto-types: JSON text, as no single type fits: m_sub[].again, sub.again, subs[].again, o3.again"
    ]


def test_decoded_scans_are_pickled(log_dir: Path) -> None:
    decoded = library.scan(log_dir, topics="proto-imports").decode()
    assert pickle.loads(pickle.dumps(decoded)).to_table() == decoded.to_table()


def test_the_message_is_one_that_the_latest_schema_has(log_dir: Path) -> None:
    # The latest schema no longer has Third.
    scan = library.scan(log_dir, topics="proto-nested", start_offset=18, end_offset=21)
    table = scan.decode(on_damage="skip").to_table()
    (error,) = set(table["valueError"].to_pylist())
    assert error.startswith("a value of another message; choose one by record=, or show all by resolve=False ")
    assert error.endswith(" (expected shop.v1.Second, found shop.v1.Third)")


def test_a_damaged_value_names_its_place(log_dir: Path) -> None:
    with pytest.raises(
        DataError, match=r"proto-wire-0, offset 15: the value cannot be decoded, at its byte \d+: a number is cut"
    ):
        library.scan(log_dir, topics="proto-wire").decode().to_table()


def test_values_with_their_own_schemas(log_dir: Path, kafkafmt: Call) -> None:  # noqa: F811
    wanted = ("--topic", "proto-wire", "--value-format", "protobuf", "--written", "--on-damage", "skip")
    answer = kafkafmt("cat", log_dir, *wanted, "-o", "jsonl", "--columns", "value,valueError")
    assert answer.status == 1
    shown = [json.loads(line) for line in answer.lines]
    assert json.loads(shown[1]["value"])["$unknown"][0] == {"number": 19, "wireType": 0, "data": 300}
    assert json.loads(shown[2]["value"])["$unknown"][0]["data"]["group"][1]["data"] == {"base64": "eg=="}
    assert shown[24]["valueError"] == "the schema has no message of these message indexes (found [7])"
    assert "proto-wire: 3 values with fields that the schema does not have" in answer.stderr


def test_messages_by_indexes_in_headers(log_dir: Path) -> None:
    written = library.scan(log_dir, topics="proto-headers").decode(resolve=False).to_table()
    golden = [row["written"] for row in rows("protobuf", "values") if row["topic"] == "proto-headers"]
    assert [json.loads(each) for each in written["value"].to_pylist()] == golden


def test_cat_shows_the_fields_and_writes_parquet(log_dir: Path, kafkafmt: Call, tmp_path: Path) -> None:  # noqa: F811
    answer = kafkafmt("cat", log_dir, "--topic", "proto-imports", "--value-format", "auto", "--limit", 1)
    assert answer.lines[0].split() == ["partition", "offset", "timestamp", "key", "lines", "sum"]
    parquet = tmp_path / "known.parquet"
    wanted = ("--topic", "proto-known", "--value-format", "auto", "--on-damage", "skip", "--out", parquet)
    assert kafkafmt("cat", log_dir, *wanted).status == 1
    kind = pq.read_table(parquet)["value"].type
    assert kind.field("f_timestamp").type == pa.timestamp("us", "UTC")
    assert kind.field("f_int64value").type == pa.int64()


def test_what_each_topic_is(log_dir: Path, kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("schemas", log_dir, "--show", "topics", "-o", "jsonl")
    found = {(row["topic"], row["part"]): row for row in map(json.loads, answer.lines)}
    assert found["proto-headers", "value"]["framing"] == "confluent-header"
    assert found["proto-random.0", "key"]["format"] == found["proto-nested", "value"]["format"] == "PROTOBUF"
    golden = [row for row in rows("protobuf", "values") if "message" in row]
    for topic in ("proto-nested", "proto-headers", "proto-python"):
        names = Counter(row["message"] for row in golden if (row["topic"], row["part"]) == (topic, "value"))
        assert {each["name"]: each["records"] for each in found[topic, "value"]["recordTypes"]} == names, topic
    assert len(found["proto-nested", "value"]["recordTypes"]) > 5


def test_one_message_of_several(log_dir: Path, kafkafmt: Call) -> None:  # noqa: F811
    values = [row for row in rows("protobuf", "values") if row["topic"] == "proto-nested"]
    counts = Counter(row["message"] for row in values)
    assert len(counts) > 5
    latest = library.values.schemas(log_dir).latest("proto-nested-value")
    assert latest is not None
    scan = library.scan(log_dir, topics="proto-nested")
    read = 0
    for name in counts:
        written = scan.decode(record=name, resolve=False, columns=["value"])
        assert len(written.to_table()) == counts[name]
        if name.rpartition(".")[2] in latest.schema:
            found = scan.decode(record=name, columns=["value"])
            assert found.to_table()["value"].null_count == 0
            assert len(found.to_table()) == counts[name]
            assert str(found.notes[-1]).startswith(f"proto-nested: left out {23 - counts[name]} records of other types")
            read += 1
    assert read > 3
    answer = kafkafmt("cat", log_dir, "--topic", "proto-nested", "--value-format", "auto")
    assert answer.status == 1
    assert "a value of another message; choose one by --record, or show all by --written" in answer.stderr


def test_a_message_that_the_chosen_schema_does_not_have(log_dir: Path) -> None:
    scan = library.scan(log_dir, topics="proto-nested")
    first = scan.decode(schema="proto-nested-value:1", record="shop.v1.Third", columns=["offset"])
    assert first.to_table()["offset"].to_pylist() == [18, 19, 20]
    with pytest.raises(NotFoundError, match=r"version 2 has no record type shop\.v1\.Third; it has: "):
        scan.decode(schema="proto-nested-value:2", record="shop.v1.Third")


@pytest.mark.parametrize("form", ["jsonl", "csv", "table"])
def test_durations_are_iso_8601(form: str, log_dir: Path, kafkafmt: Call) -> None:  # noqa: F811
    options = (log_dir, "--topic", "proto-known", "--value-format", "auto", "--on-damage", "skip")
    answer = kafkafmt("cat", *options, "--columns", "value", "-o", form)
    assert b"-PT5.500000S" in answer.stdout
    assert b"P3652500D" in answer.stdout
    found = kafkafmt("grep", "-F", "PT5.5", "--json-path", "$.f_duration", *options, "--columns", "offset")
    assert [line.split() for line in found.lines] == [["offset"], ["0"]]
