"""Typed relations: `from topic.orders`."""

import json
import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kafkafmt as library
from kafkafmt import KafkafmtWarning
from kafkafmt.errors import DataError, NotFoundError
from kafkafmt.logdir.sources import Sources
from kafkafmt.querying.relations import Relations
from kafkafmt.querying.session import QueryError, Session
from kafkafmt.values.registry import Schemas
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.change_events import TOPIC as CHANGES
from tests.values.change_events import written as change_events
from tests.values.golden_values import rows as golden_rows
from tests.values.golden_values import unpack
from tests.values.test_chosen import ORDER, written
from tests.values.test_decode import damaged
from tests.values.test_schema_files import schema

PEOPLE = 'topic."crm.people"'
COLUMNS = ("partition", "offset", "valueSchemaId")
TYPED = Path(__file__).parents[2] / "docs/examples/typed/log-dir"
FORMATS = ("--value-format", "auto", "--key-format", "auto")
EVENT = "com.example.shop.events.Recprice_21"
ORDERS = ("records where topic = 'orders'", "topic.orders")


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {case: unpack(case, tmp_path_factory.mktemp(case)) for case in ("registry", "avro", "damaged", "protobuf")}


def rows(source: Path, query: str, *parameters: object, **arguments: Any) -> list[tuple[Any, ...]]:
    table = library.open(source).sql(query, parameters or None, **arguments).read_all()
    return [*zip(*(column.to_pylist() for column in table.columns), strict=True)]


def people(*names: str) -> list[tuple[Any, ...]]:
    """Fields of the values as the registry's deserializer resolved them, in the order of offsets."""
    found = [r for r in golden_rows("registry", "values") if r["topic"] == "crm.people" and r["part"] == "value"]
    return [tuple(r["resolved"][name] for name in names) for r in sorted(found, key=lambda r: r["offset"])]


def test_values_have_fields(log_dirs: dict[str, Path]) -> None:
    query = f'select value.price, value.colour, value.weight from {PEOPLE} order by "offset"'
    assert rows(log_dirs["registry"], query) == people("price", "colour", "weight")


@pytest.mark.parametrize(
    "condition",
    [
        "value.colour = 'city 2'",
        "\"offset\" >= 4 and value.colour <> ''",
        "\"offset\" between 3 and 7 or value.colour = 'city 2'",
        '"offset" in (1, 8) and partition = 0',
        "partition = 9 and value.colour <> ''",
        "timestamp > '2026-11-25 11:37:04.5' and value is not null",
        "value.weight is null and key = 'p1'",
        "valueSchemaId = 2",
        "not (value.price like 'price%')",
    ],
)
def test_conditions_are_pushed_down_and_hold(condition: str, log_dirs: dict[str, Path]) -> None:
    query = 'select "offset" from {} where {} order by 1'
    with duckdb.connect() as database:
        database.execute("set TimeZone = 'UTC'")
        database.register("everything", library.open(log_dirs["registry"]).sql(f"select * from {PEOPLE}").read_all())
        expected = database.execute(query.format("everything", condition)).fetchall()
    assert len(expected) < 13
    assert rows(log_dirs["registry"], query.format(PEOPLE, condition)) == expected


def scans_of(source: Path, query: str) -> list[Any]:
    """The scans that a query began."""
    begun: list[Any] = []
    relations = Relations(Sources(source), {})
    relations.begun = begun.append
    with Session(relations) as session:
        answer = session.run(query)
        assert answer is not None
        answer.read_all()
    return begun


def test_what_needs_no_value_is_not_decoded(log_dirs: dict[str, Path]) -> None:
    for query in ("select count(*)", 'select max("offset")', "select sum(partition)"):
        (scan,) = scans_of(log_dirs["registry"], f'{query} from {PEOPLE} where "offset" > 3')
        assert not hasattr(scan, "decoder")
    (decoded,) = scans_of(log_dirs["registry"], f'select valueSchemaId from {PEOPLE} where "offset" > 3')
    assert decoded.schema.names == ["valueSchemaId"]
    assert rows(log_dirs["registry"], f'select count(*) from {PEOPLE} where "offset" > 3') == [(9,)]


def test_bounds_beside_fields_are_of_the_scan(log_dirs: dict[str, Path]) -> None:
    (decoded,) = scans_of(
        log_dirs["registry"], f"select value from {PEOPLE} where \"offset\" between 4 and 6 and value.price <> ''"
    )
    assert decoded.scan.select(["offset"]).to_table()["offset"].to_pylist() == [4, 5, 6]
    begun = scans_of(log_dirs["registry"], f"select value from {PEOPLE} where partition = 7 and value.price <> ''")
    assert [each.scan.select(["offset"]).to_table().num_rows for each in begun] in ([], [0])


def test_every_topic_gives_what_decode_gives(log_dirs: dict[str, Path]) -> None:
    for topic in ("orders", "drift.0", "drift.3", "pets", "tree", "plain", "shifts"):
        decoded = library.scan(log_dirs["avro"], topics=topic).without_warnings().decode(on_damage="skip")
        expected = decoded.select(["offset", "value", "keySchemaId"]).to_table()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KafkafmtWarning)
            found = rows(log_dirs["avro"], f'select "offset", value, keySchemaId from topic."{topic}"')
        assert len(found) == len(expected) > 3
        plain = [tuple(row.values()) for row in expected.to_pylist()]
        assert str(found) == str(plain).replace(", tzinfo=zoneinfo.ZoneInfo(key='UTC')", "")


@pytest.mark.parametrize("form", ["table", "jsonl", "csv", "arrow", "parquet"])
def test_durations_have_a_text_in_every_form(
    form: str,
    log_dirs: dict[str, Path],
    tmp_path: Path,
    kafkafmt: Call,  # noqa: F811
) -> None:
    query = 'select * from topic."proto-known" order by "offset" limit 1'
    answer = kafkafmt("sql", query, log_dirs["protobuf"], "-o", form, "--out", tmp_path / "out")
    assert answer.status < 2, answer.stderr
    assert b"-00:00:05.5" in (tmp_path / "out").read_bytes()
    assert b"87660000:00:00" in (tmp_path / "out").read_bytes()  # more than a long of nanoseconds holds


def test_intervals_inside_of_other_types_are_text(log_dirs: dict[str, Path]) -> None:
    query = """
        select {'INTERVAL': 1, 'a INTERVAL"b': 2, 'b': interval 400 year, 'e': 'INTERVAL'::enum('INTERVAL', 'it''s')} s,
        [interval 25 hour] l, map {1: -interval 1 day} m, {'INTERVAL': 1} other
    """
    (row,) = library.open(log_dirs["avro"]).sql(query).read_all().to_pylist()
    struct = {"INTERVAL": 1, 'a INTERVAL"b': 2, "b": "400 years", "e": "INTERVAL"}
    assert row == {"s": struct, "l": ["25:00:00"], "m": [(1, "-1 day")], "other": {"INTERVAL": 1}}


def test_record_types_of_one_topic_are_relations(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    source, prefix = log_dirs["avro"], "com.example.shop.events."
    found = {}
    for name in ("Recweight_10", "Recbatch_16", "Recprice_1", "Recprice_21"):
        relation = f'topic."events:{prefix}{name}"'
        decoded = library.scan(source, topics="events").without_warnings().decode(record=f"{prefix}{name}").to_table()
        read = rows(source, f'select partition, "offset", valueSchemaId from {relation}')
        assert sorted(read) == sorted(zip(*(decoded[each].to_pylist() for each in COLUMNS), strict=True))
        found[name] = [row for row in read if row[2] is not None]
        # What needs no value of a record needs its type.
        assert rows(source, f"select count(*) from {relation}") == [(len(decoded),)]
        assert rows(source, f'select count("offset") from {relation} where "offset" < 3') == [
            (sum(row[1] < 3 for row in read),)
        ]
    # Each with a value is in one of them.
    of_topic = rows(
        source, 'select partition, "offset", valueSchemaId from topic.events where valueSchemaId is not null'
    )
    assert sorted(row for each in found.values() for row in each) == sorted(of_topic)
    joined = (
        f'select count(*) from topic."EVENTS:{prefix}Recprice_1" a, topic."events:{prefix}Recprice_21" b '
        "where a.valueSchemaId > 0 and b.valueSchemaId > 0"
    )
    assert rows(source, joined) == [(len(found["Recprice_1"]) * len(found["Recprice_21"]),)]
    mixed = kafkafmt("sql", "select count(valueError) from topic.events", source)
    assert 'choose one by --record, in kafkafmt sql by topic."events:TYPE"' in mixed.stderr
    for name, says in (("events:Nothing", "no schema of the record type Nothing"), ("nothing:R", "no topic nothing")):
        refused = kafkafmt("sql", f'from topic."{name}"', source)
        assert refused.status in (2, 3)
        assert says in refused.stderr


def test_record_types_that_subjects_name_are_listed(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    types = [f'topic."events:com.example.shop.events.Rec{name}"' for name in ("batch_16", "price_1", "weight_10")]
    answer = kafkafmt("sql", "from topic.event", log_dirs["avro"])
    assert answer.status == 3
    assert f"There are: topic.events, {', '.join(types)}, topic.__cluster_metadata, " in answer.stderr
    connection = duckdb.connect()
    views = library.duckdb.register(connection, log_dirs["avro"], topics="events")
    assert views[-4:] == ["topic.events", *types]
    query = f"select count(*) from {types[1]}"
    assert connection.sql(query).fetchall() == rows(log_dirs["avro"], query)


def test_what_does_not_decode_is_null_and_has_a_reason(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    query = 'select "offset", value.city, valueError from topic."meters.mixed" order by 1'
    with pytest.warns(KafkafmtWarning, match="meters.mixed: 6 values cannot be decoded"):
        found = rows(log_dirs["damaged"], query)
    assert [(city is None, error is None) for _, city, error in found[:7]] == [(False, True), *[(True, False)] * 6]
    answer = kafkafmt("sql", query, log_dirs["damaged"])
    assert answer.status == 1
    assert "meters.mixed: 6 values cannot be decoded, see the column valueError" in answer.stderr


def test_names(log_dirs: dict[str, Path], kafkafmt: Call, tmp_path: Path) -> None:  # noqa: F811
    source = log_dirs["registry"]
    for name in ('topic."crm.people"', 'TOPIC."crm.people"', 'topic."CRM.People"', 'memory.topic."crm.people"'):
        assert rows(source, f"select count(*) from {name}") == [(13,)], name
    assert rows(source, f"with topic as (select 1) select count(*) from {PEOPLE}, topic") == [(13,)]
    assert len(rows(source, f'select r.key from records r join {PEOPLE} p using (topic, partition, "offset")')) == 13
    assert rows(source, f"create table kept as from {PEOPLE}; select count(value) from kept") == [(13,)]
    assert ("value",) in rows(source, f"select column_name from (describe {PEOPLE})")
    with pytest.raises(NotFoundError, match=r'no topic crm\.peoples\. There are: .*topic\."crm\.people"'):
        rows(source, 'from topic."crm.peoples"')
    answer = kafkafmt("sql", "from topic.x", source)
    assert answer.status == 3
    assert answer.stderr.startswith("kafkafmt: no topic x. There are: topic.__cluster_metadata")
    assert (answer.stdout, answer.stderr.count("\n")) == (b"", 1)
    assert [*rows(source, "select 'from topic.x' as a")] == [("from topic.x",)]
    both = written(tmp_path / "both", [b"one"], "Orders")
    (both / "orders-0").mkdir()
    for file in (both / "Orders-0").iterdir():
        (both / "orders-0" / file.name).write_bytes(file.read_bytes())
    assert rows(both, "select topic, value from topic.orders") == [("orders", "one")]
    assert rows(both, 'select topic, value from topic."Orders"') == [("Orders", "one")]
    with pytest.raises(QueryError, match=r"topic.Orders and topic.orders differ only in case: .* one of them"):
        rows(both, 'select count(*) from topic."Orders", topic.orders')


def record(name: str, *fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": each, "type": kind} for each, kind in fields]}


def test_fields_that_differ_in_case_alone_are_apart(tmp_path: Path) -> None:
    time = {"type": "long", "logicalType": "timestamp-millis"}
    item = ["null", record("Item", ("n", "int"), ("N", time))]
    whole = record("R", ("id", "int"), ("ID", "int"), ("id_1", "int"), ("a", {"type": "array", "items": item}))
    whole["fields"].append({"name": "m", "type": {"type": "map", "values": "Item"}})
    first = b"\x02\x04\x06" + b"\x04\x02\x08\x0a\x00\x00" + b"\x02\x02k\x0c\x0e\x00"
    source = written(tmp_path / "log", [b"\0\0\0\0\1" + first, None, b"\0\0\0\0\1\x10\x12\x14\0\0"])
    known = Schemas((schema("orders-value", schema=json.dumps(whole)),), {}, {})
    names = "value.id, value.id_2, value.id_1, value.a[1].n, epoch_ms(value.a[1].n_1), len(value.a), value.m['k'].n_1"
    query = f"select {names.replace('n_1', 'N_1').replace('id_2', 'ID_2')} from topic.orders where value is not null"
    assert [row[:6] for row in rows(source, query, schemas=known)] == [
        (1, 2, 3, 4, 5, 2),
        (8, 9, 10, None, None, 0),
    ]
    (found,) = rows(source, "select value.m['k'].N_1 from topic.orders where value.ID_2 = 2", schemas=known)
    assert found[0].timestamp() == 0.007


def test_schemas_from_elsewhere(tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    source = written(tmp_path / "log", [b"\0\0\0\0\1\2\0", b"\0\0\0\0\1\4\2\2b"])
    known = Schemas((schema("orders-value", schema=ORDER),), {}, {})
    assert rows(source, "select value.id, value.a from topic.orders", schemas=known) == [(1, None), (2, "b")]
    (tmp_path / "orders-value.avsc").write_text(ORDER)
    answer = kafkafmt(
        "sql", "select value.id from topic.orders", source, "--schemas", tmp_path / "orders-value.avsc", "-o", "csv"
    )
    assert (answer.status, answer.lines) == (0, ["id", "1", "2"])


def test_arguments_of_decode(log_dirs: dict[str, Path]) -> None:
    source, count = log_dirs["avro"], "select count(value), count(*) from topic.events"
    record = "com.example.shop.events.Recprice_1"
    decoded = library.scan(source, topics="events").without_warnings().decode(record=record).to_table()
    assert rows(source, count, record=record) == [
        (decoded["value"].length() - decoded["value"].null_count, len(decoded))
    ]
    connection = duckdb.connect()
    library.duckdb.register(connection, source, topics="events", record=record)
    assert connection.sql(count).fetchall() == rows(source, count, record=record)
    written = (
        library.scan(source, topics="orders").without_warnings().decode(resolve=False, on_damage="skip").to_table()
    )
    library.duckdb.register(connection, source, topics="orders", resolve=False)
    values = 'select value from topic.orders order by "offset", partition'
    assert sorted(map(str, rows(source, values, resolve=False))) == sorted(map(str, connection.sql(values).fetchall()))
    assert {row[0] for row in rows(source, values, resolve=False)} == set(written["value"].to_pylist())
    first = "select count(value.client) from topic.orders"
    with pytest.raises(QueryError, match="client"):
        rows(source, first, schema="orders-value:1")
    plain = "select typeof(key), typeof(value) from topic.orders limit 1"
    assert rows(source, plain, value_format="bytes", key_format="bytes") == [("BLOB", "BLOB")]
    # `key` is the argument of a scan: it chooses records.
    assert rows(source, "select count(*) from topic.orders", key=b"nothing") == [(0,)]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"record": "Nothing"}, NotFoundError, "no schema of the record type Nothing; there are: "),
        ({"schema": "orders-value:99"}, NotFoundError, "orders-value has no version 99; there are: "),
        ({"value_format": "arvo"}, ValueError, "value_format must be one of"),
        ({"key_format": "arvo"}, ValueError, "key_format must be one of"),
        ({"unwrap": "maxwell"}, ValueError, "unwrap must be one of"),
        ({"schemas": "folder"}, TypeError, "schemas must be the answer of kafkafmt.values.schemas, not str"),
        ({"written": True}, TypeError, "unexpected keyword argument 'written'"),
    ],
)
def test_wrong_arguments_of_decode(
    arguments: dict[str, Any], error: type[Exception], says: str, log_dirs: dict[str, Path]
) -> None:
    with pytest.raises(error) as of_query:
        rows(log_dirs["avro"], "from topic.orders", **arguments)
    with pytest.raises(error) as of_connection:
        library.duckdb.register(duckdb.connect(), log_dirs["avro"], topics="orders", **arguments)
    assert says in str(of_query.value)
    assert says in str(of_connection.value)


def test_topics_that_do_not_fit_an_argument_are_views_with_the_error(log_dirs: dict[str, Path]) -> None:
    connection = duckdb.connect()
    views = library.duckdb.register(connection, log_dirs["avro"], topics=["orders", "pets"], unwrap="debezium")
    assert views[-2:] == ["topic.orders", "topic.pets"]
    with pytest.raises(duckdb.Error, match="the values are not change events"):
        connection.sql("select count(value) from topic.orders").fetchall()
    with pytest.raises(QueryError, match=r"topic\.orders: the values are not change events"):
        rows(log_dirs["avro"], "from topic.orders", unwrap="debezium")


def test_damage_of_the_log_is_the_scans(log_dirs: dict[str, Path], tmp_path: Path) -> None:
    copy = damaged(log_dirs["registry"], "crm.people", tmp_path)
    with pytest.raises(DataError, match="CRC mismatch"):
        rows(copy, f"select value from {PEOPLE}")
    with pytest.warns(KafkafmtWarning, match="CRC mismatch"):
        assert len(rows(copy, f"select value from {PEOPLE}", on_damage="skip")) == 12


@pytest.mark.parametrize("where", ["", " where partition = 1"])
def test_a_count_tells_nothing_of_partitions_that_are_there(where: str, kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("sql", f"select count(*) from topic.orders{where}", TYPED, "--output", "csv")
    assert answer.text.splitlines()[1:] == ["4" if where else "12"]
    assert (answer.status, answer.stderr) == (0, "")


def test_a_typed_topic_has_the_bounds_of_its_records() -> None:
    connection = duckdb.connect()
    library.duckdb.register(connection, TYPED, start_offset=3)
    counts = [connection.sql(f'select count(*), min("offset") from {of}').fetchall() for of in ORDERS]
    assert counts[0] == counts[1]
    assert counts[0][0][1] == 3


def test_a_record_type_without_a_name_is_refused(kafkafmt: Call) -> None:  # noqa: F811
    answer = kafkafmt("sql", 'select * from topic."orders:"', TYPED)
    assert answer.status == 3
    assert "no schema of the record type" in answer.stderr


def test_schemas_of_two_clusters_are_not_mixed(kafkafmt: Call, tmp_path: Path) -> None:  # noqa: F811
    first, second = shutil.copytree(TYPED, tmp_path / "a"), shutil.copytree(TYPED, tmp_path / "b")
    properties = (second / "meta.properties").read_text()
    both = [first / "orders-0", second / "orders-1"]
    assert kafkafmt("cat", *both, "--value-format", "auto").status == 0  # two copies of one
    (second / "meta.properties").write_text(re.sub("cluster.id=.*", "cluster.id=other", properties))
    for paths in (both, [first, second]):
        answer = kafkafmt("cat", *paths, "--topic", "orders", "--value-format", "auto")
        assert answer.status == 3
        assert "are of several clusters (" in answer.stderr
    alone = kafkafmt("cat", *both, "--value-format", "auto", "--schemas", first)
    assert "several clusters" not in alone.stderr


def test_options_of_cat_hold_for_typed_relations(
    log_dirs: dict[str, Path],
    tmp_path: Path,
    kafkafmt: Call,  # noqa: F811
) -> None:
    """`--schema`, `--record`, `--written` and `--unwrap` give the values that `cat` gives."""
    cases: list[tuple[Path, str, tuple[str, ...]]] = [
        (TYPED, "orders", ("--schema", "orders-value:1")),
        (TYPED, "orders", ("--written",)),
        (log_dirs["avro"], "events", ("--record", EVENT)),
        (change_events(tmp_path, "avro"), CHANGES, ("--unwrap", "debezium")),
        (change_events(tmp_path, "json"), CHANGES, ("--unwrap", "debezium")),
    ]
    for source, topic, options in cases:
        query = f'select "offset" as o, value from topic."{topic}" order by partition, o'
        asked = kafkafmt("sql", query, source, *options, "-o", "jsonl")
        shown = kafkafmt("cat", source, "--topic", topic, *FORMATS, *options, "-o", "jsonl", "--on-damage", "skip")
        assert len(asked.lines) == len(shown.lines) > 0
        of_cat = sorted(map(json.loads, shown.lines), key=lambda row: (row["partition"], row["offset"]))
        for one, other in zip(asked.lines, of_cat, strict=True):
            # DuckDB has times in UTC without a zone.
            assert json.loads(one)["value"] == json.loads(re.sub(r'(:\d\d\.\d+)Z"', r'\1"', json.dumps(other["value"])))


def test_a_schema_that_is_none_and_events_that_are_none(kafkafmt: Call) -> None:  # noqa: F811
    query = "select count(value) from topic.orders"
    absent = kafkafmt("sql", query, TYPED, "--schema", "nope")
    assert absent.status == 3
    assert "no schema nope" in absent.stderr
    refused = kafkafmt("sql", query, TYPED, "--unwrap", "debezium")
    assert refused.status == 2
    assert "topic.orders: the values are not change events of Debezium" in refused.stderr


def test_stored_bytes_headers_and_errors_are_columns(log_dirs: dict[str, Path]) -> None:
    query = 'select valueBytes, keyBytes, headers, valueError, value from {} where partition = 0 order by "offset"'
    found = rows(log_dirs["damaged"], query.format('topic."meters.mixed"'))
    stored = rows(
        log_dirs["damaged"], "select value, key from records where topic = 'meters.mixed' order by \"offset\""
    )
    assert [row[:2] for row in found] == stored
    assert all((row[3] is None) != (row[4] is None) for row in found if row[0] is not None)


@pytest.mark.parametrize("form", ["jsonl", "csv", "table"])
def test_times_and_decimals_as_cat_writes_them(form: str, kafkafmt: Call) -> None:  # noqa: F811
    """To microseconds, and decimals as text in JSON; sums stay numbers, and `timestamp` is as in all commands."""
    query = "select value.paid, (value.amount.cents / 100)::decimal(10, 2) as paid_in, timestamp from topic.payments"
    answer = kafkafmt("sql", f"{query} order by timestamp limit 1", TYPED, "-o", form)
    last = answer.lines[-1]
    assert "2026-11-28T09:01:00.000000" in last
    assert ('"paid_in":"12.50"' in last) == (form == "jsonl")
    assert ("1795856460000" in last) == (form != "table")
    total = kafkafmt("sql", "select sum(value.amount.cents) as s from topic.payments", TYPED, "-o", "jsonl")
    assert isinstance(json.loads(total.lines[0])["s"], int)
