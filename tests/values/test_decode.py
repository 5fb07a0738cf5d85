"""`Scan.decode` and `cat --value-format`: typed columns, errors and their notes."""

import json
import pickle
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kafkafmt as library
from kafkafmt.errors import DataError, KafkafmtWarning
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.golden_values import raw, rows, unpack

ONE = "crm.people-0"


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    cases = ("avro", "registry", "damaged", "primitives", "json-schema", "framings")
    return {case: unpack(case, tmp_path_factory.mktemp(case)) for case in cases}


def test_values_are_resolved_to_the_latest_schema(log_dirs: dict[str, Path]) -> None:
    table = library.scan(log_dirs["registry"], topics="crm.people").decode().to_table()
    assert table.schema.field("value").type == pa.struct(
        [("price", pa.string()), ("colour", pa.string()), ("weight", pa.int32())]
    )
    golden = [
        row["resolved"] for row in rows("registry", "values") if row["topic"] == "crm.people" and row["part"] == "value"
    ]
    assert len(golden) == 13
    assert sorted(map(str, table["value"].to_pylist())) == sorted(map(str, golden))
    assert set(table["valueSchemaId"].to_pylist()) == {2, 3, 4, 5}
    assert set(table["key"].to_pylist()) == {"p0", "p1", "p2", "p9"}


def test_logical_types_become_arrows(log_dirs: dict[str, Path]) -> None:
    kinds = {
        each.name: each.type
        for each in library.scan(log_dirs["avro"], topics="types").decode().schema.field("value").type
    }
    assert kinds["tsmillis"] == pa.timestamp("ms", "UTC")
    assert kinds["ltsmicros"] == pa.timestamp("us")
    assert kinds["date"] == pa.date32()
    assert kinds["tmicros"] == pa.time64("us")
    assert kinds["dec"] == pa.decimal128(20, 4)
    assert kinds["fixed5"] == pa.binary(5)
    assert kinds["uuidfixed"] == pa.string()
    assert kinds["arrarr"] == pa.list_(pa.field("element", pa.list_(pa.field("element", pa.string()))))


def test_each_value_by_its_own_schema(log_dirs: dict[str, Path]) -> None:
    scan = library.scan(log_dirs["registry"], topics="crm.people")
    values = scan.decode(resolve=False, columns=["offset", "value"]).to_table()["value"].to_pylist()
    written = [
        row["written"] for row in rows("registry", "values") if row["topic"] == "crm.people" and row["part"] == "value"
    ]
    assert sorted(json.dumps(json.loads(value), sort_keys=True) for value in values) == sorted(
        json.dumps(each, sort_keys=True) for each in written
    )


def test_a_value_that_is_none_costs_no_other(log_dirs: dict[str, Path]) -> None:
    scan = library.scan(log_dirs["damaged"], topics="meters.mixed")
    with pytest.raises(DataError, match=r"meters.mixed-0, offset 1: the value cannot be decoded: the schemas cannot"):
        scan.decode().to_table()
    decoded = scan.decode(on_damage="skip", columns=["value", "valueError", "valueBytes"])
    with pytest.warns(KafkafmtWarning, match="meters.mixed: 6 values cannot be decoded"):
        table = decoded.to_table()
    assert table["value"][0].as_py()["city"] == 2.5
    assert [error is None for error in table["valueError"].to_pylist()] == [True, *[False] * 6, True]
    golden = [row for row in rows("damaged", "values") if row["topic"] == "meters.mixed" and row["part"] == "value"]
    assert table["valueBytes"].to_pylist()[:7] == [raw(row) for row in golden[:7]]
    assert scan.decode(on_damage="skip").select(["valueBytes"]).to_table() == table.select(["valueBytes"])


def test_formats_are_found(log_dirs: dict[str, Path]) -> None:
    def kinds(case: str, topic: str) -> list[str]:
        schema = library.scan(log_dirs[case], topics=topic).decode().schema
        return [str(schema.field(name).type) for name in ("key", "value")]

    assert kinds("primitives", "fx.uuid") == ["string", "string"]
    assert kinds("primitives", "fx.long") == ["binary", "binary"]
    assert kinds("json-schema", "draft-0")[1].startswith("struct<n: int64, kind: string, ")
    assert kinds("avro", "plain")[1] == "float"


def test_a_table_and_parquet_hold_what_avro_allows(tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    kinds = {"key": "int", "partition": "string", "f": {"type": "fixed", "name": "F", "size": 0}}
    fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
    (tmp_path / "t-value.avsc").write_text(json.dumps({"type": "record", "name": "R", "fields": fields}))
    source = tmp_path / "log"
    columns = {"topic": ["t"], "partition": [0], "timestamp": [0], "key": [b"k"], "value": [b"\x0e\x02p"]}
    library.write(pa.table(columns), source)
    options = ("--value-format", "avro", "--key-format", "auto", "--schema", tmp_path / "t-value.avsc")
    names, row = kafkafmt("cat", source, *options).lines
    assert names.split()[3:] == ["key", "value.key", "value.partition", "f"]
    assert row.split()[3:] == ["k", "7", "p"]
    assert kafkafmt("cat", source, *options, "--out", tmp_path / "t.parquet").status == 0
    (value,) = pq.read_table(tmp_path / "t.parquet")["value"].to_pylist()
    assert value == {"key": 7, "partition": "p", "f": b""}


def test_topics_of_different_types(log_dirs: dict[str, Path]) -> None:
    scan = library.scan(log_dirs["avro"], topics=["orders", "tree"])
    with pytest.raises(ValueError, match="the values of orders and tree have different types"):
        scan.decode(key="bytes")
    values = scan.decode(resolve=False, key="bytes").to_table()["value"].to_pylist()
    assert {type(json.loads(value)) for value in values if value is not None} == {dict}


def test_internal_topics_are_left_out_unless_named(log_dirs: dict[str, Path], kafkafmt: Call, tmp_path: Path) -> None:  # noqa: F811
    source = tmp_path / "log"
    shutil.copytree(log_dirs["registry"], source, ignore=lambda _, names: {n for n in names if "crm." in n} - {ONE})
    scan = library.scan(source)
    decoded = scan.decode()
    assert set(decoded.to_table()["topic"].to_pylist()) == {"crm.people"}
    (note,) = decoded.notes
    assert str(note).endswith("unless they are named: __cluster_metadata, __consumer_offsets, _schemas")
    assert not note.is_finding
    answer = kafkafmt("cat", source, "--value-format", "auto", "--limit", 1)
    assert (answer.status, len(answer.lines)) == (0, 2)
    named = library.scan(source, topics="_schemas").without_warnings().decode()
    assert set(named.to_table()["topic"].to_pylist()) == {"_schemas"}
    assert not [*named.notes]
    with pytest.raises(ValueError, match=r"the values of _schemas and crm\.people have different types: .*_schemas"):
        library.scan(source, topics=["_schemas", "crm.people"]).decode()


def test_records_of_kafka_itself_name_no_schemas(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    """Their first bytes, a Kafka version, look like a schema id."""
    formats = ("--key-format", "auto", "--value-format", "auto")
    answer = kafkafmt("cat", log_dirs["avro"], "--topic", "__consumer_offsets", *formats)
    assert (answer.status, answer.stderr) == (0, "")
    assert "schema-registry" in answer.lines[1]


@pytest.mark.parametrize("named", [ONE, f"{ONE}/00000000000000000000.log"])
def test_schemas_beside_what_is_read_alone(named: str, log_dirs: dict[str, Path]) -> None:
    of_topic = library.scan(log_dirs["registry"], topics="crm.people").decode().to_table()
    alone = library.scan(log_dirs["registry"] / named).decode().to_table()
    assert alone["value"].equals(of_topic["value"])
    assert alone["valueSchemaId"].equals(of_topic["valueSchemaId"])


def test_ids_of_no_known_schema(log_dirs: dict[str, Path], tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    must_fail = [row for row in rows("registry", "values") if row["topic"] in ("crm.gone", "crm.unknown")]
    assert len(must_fail) == 8
    for topic in ("crm.gone", "crm.unknown"):
        found = library.scan(log_dirs["registry"], topics=topic).without_warnings().decode(on_damage="skip").to_table()
        assert found["value"].null_count == len(found) == 4
        assert all(found["valueError"].to_pylist())
    # A partition without its log directory has no known schemas.
    alone = shutil.copytree(log_dirs["registry"] / ONE, tmp_path / ONE)
    answer = kafkafmt("cat", alone, "--value-format", "auto", "--limit", 1)
    assert answer.status == 0
    assert "the values are bytes, because they name schemas that are not known: name their source by" in answer.stderr
    other = kafkafmt("cat", log_dirs["framings"], "--topic", "fx.glue", "--value-format", "auto", "--limit", 1)
    assert "they name schemas of another registry (glue): name one by --schema" in other.stderr
    # Longs may look like schema ids.
    assert library.scan(log_dirs["primitives"], topics="fx.long").decode().notes == ()


def test_a_long_is_no_framing(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("schemas", log_dirs["primitives"], "--show", "topics", "-o", "jsonl")
    rows = [row for row in map(json.loads, answer.lines) if row["topic"] == "fx.long"]
    assert [(row["part"], row["framing"], row["unknown"]) for row in rows] == [("key", "none", 0), ("value", "none", 0)]


def test_records_before_a_bad_one_are_delivered(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    options = (log_dirs["damaged"], "--topic", "meters.avro", "--value-format", "auto", "-o", "jsonl")
    whole = kafkafmt("cat", *options, "--columns", "offset")
    assert whole.status == 0
    answer = kafkafmt("cat", *options, "--columns", "offset,valueSchemaId")
    assert (answer.status, answer.lines) == (1, ['{"offset":0,"valueSchemaId":2}'])
    assert "offset 1: the value cannot be decoded" in answer.stderr
    first = kafkafmt("cat", *options, "--columns", "offset,valueSchemaId", "--limit", 1)
    assert (first.status, first.lines) == (0, answer.lines)
    found = kafkafmt("grep", "--json-path", "$.id=807", *options, "--columns", "offset")
    assert (found.status, found.lines) == (1, ['{"offset":0}'])
    head = library.scan(log_dirs["damaged"], topics="meters.avro").without_warnings().decode().head(1)
    assert head.read_all()["offset"].to_pylist() == [0]


def test_stored_bytes_on_request(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    options = (log_dirs["damaged"], "--topic", "meters.avro", "--value-format", "auto", "--on-damage", "skip")
    answer = kafkafmt("cat", *options, "-o", "jsonl", "--columns", "offset,valueBytes", "--bytes", "base64")
    found = {row["offset"]: row["valueBytes"] for row in map(json.loads, answer.lines)}
    golden = {row["offset"]: row["raw"] for row in rows("damaged", "values") if row["topic"] == "meters.avro"}
    assert len(golden) == 33
    assert found == golden
    matched = kafkafmt("grep", "--json-path", "$.id=807", *options, "-o", "jsonl", "--columns", "keyBytes,offset")
    assert json.loads(matched.lines[0]) == {"keyBytes": None, "offset": 0}


def test_arguments_that_are_none(log_dirs: dict[str, Path]) -> None:
    scan = library.scan(log_dirs["registry"], topics="crm.people")
    with pytest.raises(ValueError, match="on_damage"):
        scan.decode(on_damage="ignore")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"schemas must be the answer of kafkafmt\.values\.schemas, not str"):
        scan.decode(schemas="registry")


def test_advice_for_several_record_types(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt(
        *("cat", log_dirs["avro"], "--topic", "events", "--value-format", "auto", "--on-damage", "skip"),
        *("--columns", "offset"),
    )
    assert answer.status == 0
    answer = kafkafmt(
        *("cat", log_dirs["avro"], "--topic", "events", "--value-format", "auto", "--on-damage", "skip"),
        *("--columns", "offset,value"),
    )
    assert answer.status == 1
    assert "the schemas cannot be resolved (18); the topic has several record types: choose one by --record" in (
        answer.stderr
    )


def test_head_tail_and_pickling(log_dirs: dict[str, Path]) -> None:
    decoded = library.scan(log_dirs["registry"], topics="crm.people").decode()
    assert decoded.head(2).read_all().num_rows == 2
    assert decoded.tail(1).read_all()["value"].to_pylist() == decoded.to_table()["value"].to_pylist()[-1:]
    assert pickle.loads(pickle.dumps(decoded)).to_table() == decoded.to_table()
    assert decoded.select(["offset"]).to_table().schema.names == ["offset"]


def test_cat_shows_the_fields(log_dirs: dict[str, Path], kafkafmt: Call, tmp_path: Path) -> None:  # noqa: F811
    source = log_dirs["registry"]
    answer = kafkafmt(
        "cat", source, "--topic", "crm.people", "--value-format", "auto", "--key-format", "string", "--limit", 1
    )
    assert answer.status == 0
    assert [line.split() for line in answer.lines] == [
        ["partition", "offset", "timestamp", "key", "price", "colour", "weight"],
        ["0", "0", "2026-11-25T11:37:03.951Z", "p0", "price", "0", "null"],
    ]
    parquet = tmp_path / "people.parquet"
    assert kafkafmt("cat", source, "--topic", "crm.people", "--value-format", "avro", "--out", parquet).status == 0
    assert pq.read_table(parquet)["value"].type.field(0).name == "price"
    divided = kafkafmt(
        "cat",
        source,
        "--topic",
        "crm.people",
        "--value-format",
        "avro",
        "--partition-by",
        "topic",
        "--out",
        tmp_path / "d",
    )
    assert divided.status == 0, divided.stderr
    assert pq.read_table(tmp_path / "d" / "topic=crm.people")["value"].type.field(0).name == "price"


def test_cat_tells_what_it_could_not_decode(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    options = ("--topic", "meters.mixed", "--value-format", "auto")
    stopped = kafkafmt("cat", log_dirs["damaged"], *options, "-o", "jsonl")
    assert stopped.status == 1
    assert "offset 1: the value cannot be decoded" in stopped.stderr
    cut = kafkafmt("cat", log_dirs["damaged"], "--topic", "meters.avro", "--value-format", "auto", "-o", "jsonl")
    assert (
        "kafkafmt: meters.avro-0, offset 1: the value cannot be decoded, at its byte 0: a number is cut" in cut.stderr
    )
    skipped = kafkafmt("cat", log_dirs["damaged"], *options, "--on-damage", "skip", "-o", "jsonl", "--columns", "value")
    assert skipped.status == 1
    assert len(skipped.lines) == 8
    assert skipped.stderr.startswith("kafkafmt: meters.mixed: 6 values cannot be decoded, see the column valueError: ")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--written"], "--schemas and --written go with --value-format or --key-format"),
        (["--value-format", "auto", "--kind", "OffsetCommit"], "--kind decodes keys and values"),
        (["--value-format", "protobuf2"], "is not one of"),
        (["--value-format", "auto", "--topic", "orders", "--topic", "tree"], "different types: decode one topic"),
        (["--value-format", "auto", "--columns", "weight", "--topic", "orders"], "weight"),
    ],
)
def test_options_that_do_not_go_together(
    options: list[str],
    says: str,
    log_dirs: dict[str, Path],
    kafkafmt: Call,  # noqa: F811
) -> None:
    answer = kafkafmt("cat", log_dirs["avro"], *options)
    assert answer.status == 2
    assert says in answer.stderr


def test_what_each_topic_is_framed_with(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("schemas", log_dirs["framings"], "--show", "topics", "-o", "jsonl")
    assert answer.status == 0
    found = {(row["topic"], row["part"], row["framing"]): row for row in map(json.loads, answer.lines)}
    assert found["fx.glue", "value", "glue"]["records"] == 8
    assert found["fx.apicurio", "value", "apicurio-8"]["schemaIds"] == ["4"]
    confluent = found["fx.confluent-headers", "key", "confluent"]
    assert (confluent["format"], confluent["records"], confluent["subjects"]) == (
        "AVRO",
        9,
        ["fx.confluent-headers-key"],
    )
    assert {topic for topic, _, _ in found} == {"fx.glue", "fx.apicurio", "fx.confluent-headers"}


def test_schemas_lists_deleted_ones(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt(
        "schemas", log_dirs["registry"], "--show", "deleted", "-o", "csv", "--columns", "subject,version,state"
    )
    assert answer.status == 0
    assert "crm.people-value,3,hard-deleted" in answer.lines
    assert "4 schemas that the registry has deleted for good can still be read" in answer.stderr
    assert kafkafmt("schemas", log_dirs["primitives"]).status == 3
    none = kafkafmt("schemas", log_dirs["registry"], "--at-offset", 3)
    assert (none.status, none.lines, none.stderr) == (0, [], "kafkafmt: note: no schema found\n")


def damaged(log_dir: Path, topic: str, tmp_path: Path) -> Path:
    """A copy whose topic has a wrong CRC in its third batch."""
    copy = shutil.copytree(log_dir, tmp_path / "copy")
    log = max(copy.glob(f"{topic}-0/*.log"), key=lambda each: each.stat().st_size)
    third = list(library.scan(log).batches())[2]
    data = bytearray(log.read_bytes())
    data[third.position + third.size_in_bytes - 1] ^= 1
    log.write_bytes(data)
    return copy


def test_damage_of_the_log_beside_values(log_dirs: dict[str, Path], tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    copy = damaged(log_dirs["registry"], "crm.people", tmp_path)
    first = ("cat", copy, "--topic", "crm.people", "--value-format", "auto", "-o", "jsonl", "--columns", "offset,value")
    stopped = kafkafmt(*first)
    assert stopped.status == 1
    assert [json.loads(line)["offset"] for line in stopped.lines] == [0, 1]
    assert json.loads(stopped.lines[0])["value"]["price"] == "price 0"
    skipped = kafkafmt(*first, "--on-damage", "skip")
    assert skipped.status == 1
    assert [json.loads(line)["offset"] for line in skipped.lines] == [0, 1, *range(3, 13)]
    framed = kafkafmt("schemas", copy, "--show", "topics", "-o", "jsonl")
    assert framed.status == 1
    assert "checksum" in framed.stderr


def test_faults_of_the_registry_are_notes(log_dirs: dict[str, Path], tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    copy = damaged(log_dirs["registry"], "_schemas", tmp_path)
    answer = kafkafmt("cat", copy, "--topic", "crm.people", "--value-format", "auto")
    assert answer.status == 1
    assert "the schemas have 1 fault, and some may be missing: see kafkafmt schemas" in answer.stderr


def test_bytes_after_a_value_are_a_note(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    wanted = ("--topic", "meters.avro", "--start-offset", 12, "--end-offset", 14)
    answer = kafkafmt("cat", log_dirs["damaged"], *wanted, "--value-format", "auto", "--columns", "value")
    assert answer.status == 0
    assert answer.stderr == "kafkafmt: note: meters.avro: 2 values with bytes after the Avro value\n"
