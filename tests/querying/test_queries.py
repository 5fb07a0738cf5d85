"""`Disks.sql`: its relations, the records read for a query, and conditions that are not pushed down."""

import base64
import os
import stat
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import duckdb
import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import CorruptError, SourceError
from kafkafmt.batch_columns import to_table
from kafkafmt.logdir.sources import Sources
from kafkafmt.querying import relations
from kafkafmt.querying.relations import NAMES, Relations
from kafkafmt.querying.session import QueryError, Session
from tests import reads
from tests.golden_cases import GOLDEN, Case, cases
from tests.logdir.builders import batch, checkpoint, segment

CODECS = next(case for case in cases("modern") if case.name == "01-codecs-4.3.1")
DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged"
MODERN = GOLDEN / "modern"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def rows(source: Any, query: str, *parameters: object, **arguments: Any) -> list[tuple[Any, ...]]:
    table = kafkafmt.open(source).sql(query, parameters or None, **arguments).read_all()
    return [*zip(*(column.to_pylist() for column in table.columns), strict=True)]


def one(source: Any, query: str, *parameters: object) -> Any:
    ((value,),) = rows(source, query, *parameters)
    return value


def golden(case: Case = CODECS) -> list[dict[str, Any]]:
    """Records of the partitions, as Kafka's own code has them: nothing of this case is a control record."""
    return [record for record in case.jsonl("records.jsonl") if record["file"].endswith(".log")]


def topic_of(record: dict[str, Any]) -> str:
    return str(record["file"]).partition("/")[0].rpartition("-")[0]


def data_of(record: dict[str, Any], name: str) -> bytes | None:
    return None if record[name] is None else base64.b64decode(record[name])


# What a query gives


def test_counts_are_those_of_kafkas_code() -> None:
    expected = Counter(map(topic_of, golden()))
    assert one(CODECS.log_dir, "select count(*) from records") == len(golden())
    assert Counter(dict(rows(CODECS.log_dir, "select topic, count(*) from records group by 1"))) == expected


def test_text_is_sought_in_values_which_are_bytes() -> None:
    def holding(text: bytes) -> Counter[str]:
        return Counter(topic_of(record) for record in golden() if text in (data_of(record, "value") or b""))

    for text in ("47", "я", "ы"):
        query = f"select topic, count(*) from records where value like '%{text}%' group by 1"
        assert Counter(dict(rows(CODECS.log_dir, query))) == holding(text.encode()), text
    assert sum(holding(b"47").values()) > 10


@pytest.mark.slow
def test_rows_are_those_of_a_scan_and_of_the_other_answers() -> None:
    disks = kafkafmt.open(CODECS.log_dir)

    def read(name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = disks.sql(f"select * from {name}").read_all().to_pylist()
        return found

    assert read("records") == disks.scan().to_table().to_pylist()
    assert disks.sql("from records").schema.field("timestamp").type == pa.timestamp("ms", "UTC")
    assert read("batches") == to_table(disks.scan(control_records=True).batches()).to_pylist()
    assert read("segments") == disks.inspect.segments().to_pylist()
    assert read("partitions") == disks.inspect.partitions().to_pylist()
    assert read("producers") == disks.producers().to_table().to_pylist()
    assert kafkafmt.open(DAMAGED).sql("from findings").read_all().to_pylist() == (
        kafkafmt.open(DAMAGED).inspect.findings().to_pylist()
    )
    asked: list[tuple[str, str, Callable[[kafkafmt.Disks], pa.Table]]] = [
        ("commits", "08-consumer-groups-4.3.1", lambda disks: disks.groups().offsets),
        ("transactions", "09-transaction-state-4.3.1", lambda disks: disks.transactions().to_table()),
        ("metadata", "10-cluster-metadata-4.3.1", lambda disks: disks.metadata().to_table()),
    ]
    for name, case, table in asked:
        disks = kafkafmt.open(MODERN / case / "log-dir")
        assert read(name) == table(disks).to_pylist()
        assert read(name), name


def test_there_are_no_other_relations_and_none_of_python() -> None:
    records = kafkafmt.open(CODECS.log_dir)
    assert {name for (name,) in rows(records, "show tables")} == set(NAMES)
    with pytest.raises(QueryError, match="golden"):
        rows(CODECS.log_dir, "select * from golden")


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("timestamp >= '2026-11-21 04:16:24.143'", lambda moment: moment >= 143),
        ("timestamp > timestamp '2026-11-21 04:16:24.1'", lambda moment: moment > 100),
        (
            "timestamp between '2026-11-21 04:16:24.1' and '2026-11-21T04:16:24.143Z'",
            lambda moment: 100 <= moment <= 143,
        ),
        ("timestamp in ('2026-11-21 04:16:24.143', '2026-11-21 04:16:24.068')", lambda moment: moment in (143, 68)),
        ("epoch_ms(timestamp) = 1795234584143", lambda moment: moment == 143),
        ("date_trunc('second', timestamp) = '2026-11-21 04:16:24'", lambda moment: 0 <= moment < 1000),
    ],
)
def test_times_are_compared_as_ms(condition: str, holds: Any) -> None:
    base = 1795234584000
    expected = sorted(
        record["timestamp"] for record in golden() if topic_of(record) == "shapes" and holds(record["timestamp"] - base)
    )
    query = f"select timestamp from records where topic = 'shapes' and {condition}"
    found = sorted((moment - EPOCH) // timedelta(milliseconds=1) for (moment,) in rows(CODECS.log_dir, query))
    assert found == expected
    assert found


def test_timestamps_for_which_other_types_have_no_room(tmp_path: Path) -> None:
    latest = 2**63 - 2
    segment(tmp_path / "t-0", 0, batch(0, timestamp=-1), batch(1, timestamp=latest), batch(2, timestamp=5))
    disks = kafkafmt.open(tmp_path)
    query = "select timestamp from records where timestamp is not null order by timestamp"
    found = disks.sql(query).read_all().column(0).cast(pa.int64()).to_pylist()
    assert found == [-1, 5, latest]
    assert rows(disks, "select \"offset\" from records where timestamp > '3000-01-01'") == [(1,)]


@pytest.mark.slow
def test_functions_of_text_read_bytes(tmp_path: Path) -> None:
    words = ['{"a": {"b": "ü"}, "n": [1, 2]}'.encode(), b"4711", b"\xff 4711", None]
    parts = [batch(number, value=value) for number, value in enumerate(words)]
    segment(tmp_path / "t-0", 0, *parts)

    def where(condition: str) -> list[int]:
        return [offset for (offset,) in rows(tmp_path, f'select "offset" from records where {condition} order by 1')]

    assert where("value like '%4711%'") == [1, 2]
    assert where("value not like '4711'") == [0, 2]
    assert where("value ilike '%Ü%'") == where("contains(value, 'ü')") == where("value glob '*ü*'") == [0]
    assert where("value->>'$.a.b' = 'ü'") == where("json_extract_string(value, '$.n[0]') = '1'") == [0]
    assert where("as_text(value) = '\ufffd 4711'") == where("ends_with(value, ' 4711')") == [2]
    assert where("value = '4711'") == where("value = encode('4711')") == [1]
    assert where("topic like 't%' and contains(topic, 't') and not '[1]'->>0 = '2'") == [0, 1, 2, 3]
    assert rows(tmp_path, "select contains([1, 2], 2), '{\"a\": 1}'::json->>'a', NULL like 'x'") == [(True, "1", None)]


def test_parameters_and_several_statements() -> None:
    disks = kafkafmt.open(CODECS.log_dir)
    expected = sum(data_of(record, "key") == "ключ-1".encode() for record in golden())
    assert expected > 1
    assert one(disks, "select count(*) from records where key = ?", "ключ-1".encode()) == expected
    named = disks.sql("select count(*) n from records where topic = $topic", {"topic": "shapes"}).read_all()
    assert named.to_pylist() == [{"n": 84}]
    assert one(disks, "create table few as select * from records limit 3; select count(*) from few") == 3
    assert disks.sql("set threads = 1").read_all().num_rows == 0


def test_columns_of_one_name_and_types_that_only_queries_have() -> None:
    reader = kafkafmt.open(CODECS.log_dir).sql(
        "select 1 a, 2 a, 'x'::enum('x') e, now() t, interval 1 day i, sum(\"offset\") s from records"
    )
    assert reader.schema.names == ["a", "a_1", "e", "t", "i", "s"]
    (row,) = reader.read_all().to_pylist()
    assert (row["a"], row["a_1"], row["e"], row["i"]) == (1, 2, "x", "1 day")
    assert abs(row["t"] - datetime.now(UTC)) < timedelta(days=1)
    assert row["s"] == sum(record["offset"] for record in golden())


# What is read


def test_a_count_reads_headers_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # All but the header of each batch is zeros: whoever decodes one, or checks its CRC, notices.
    reads.sparse_log(tmp_path / "t-3" / f"{0:020d}.log", 100 * reads.KIB, 50)
    reads.sparse_log(tmp_path / "u-0" / f"{0:020d}.log", 100 * reads.KIB, 20)
    seen = reads.record(monkeypatch)
    for query, expected in (
        ("select count(*) from records", 700),
        ("select count(*) from records where partition = 3", 500),
        ("select count(*) from records where topic in ('u', 'v')", 200),
        ("select count(*) from records where \"offset\" >= 100 and topic = 't'", 400),
        ("select count(distinct topic) from records", 2),
    ):
        assert one(tmp_path, query) == expected, query
        assert reads.total(seen, ".log") < 70 * 8 * reads.KIB, query
    assert rows(tmp_path, "select topic, partition, count(*) from records group by all order by all") == [
        ("t", 3, 500),
        ("u", 0, 200),
    ]
    with pytest.raises(CorruptError):
        rows(tmp_path, "select count(key) from records")


def test_filters_and_columns_reach_the_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = reads.sparse_log(tmp_path / "t-3" / f"{0:020d}.log", 100 * reads.KIB, 100, range(50, 60))
    reads.whole_index(log, 100)
    reads.sparse_log(tmp_path / "t-4" / f"{0:020d}.log", 100 * reads.KIB, 100)
    reads.sparse_log(tmp_path / "u-3" / f"{0:020d}.log", 100 * reads.KIB, 100)
    reads.jump_over(monkeypatch, 64 * reads.KIB)
    seen = reads.record(monkeypatch)
    where = 'topic = \'t\' and partition = 3 and "offset" >= 500 and "offset" < 520'
    # The batches around are not sound: to read another than the two that are wanted is to notice.
    assert len(rows(tmp_path, f"select key, timestamp from records where {where}")) == 20
    assert reads.total(seen, ".log") < 2 * reads.MIB


def test_only_columns_and_batches_that_a_query_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], str]] = []

    def noting(scan: Any, columns: Any, expression: Any, begun: Any) -> Any:
        asked.append(([*columns], str(expression)))
        return read(scan, columns, expression, begun)

    read = relations._read_records
    monkeypatch.setattr(relations, "_read_records", noting)
    segment(tmp_path / "t-0", 0)
    rows(tmp_path, "select key from records where partition = 0 and \"offset\" >= 5 and topic like 't%'")
    rows(tmp_path, "select count(*) from segments")
    ((columns, filtered),) = asked
    assert sorted(columns) == ["key", "topic"]
    assert filtered == "((partition == 0) and (offset >= 5))"


def test_relations_that_a_query_does_not_name_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment(tmp_path / "t-0", 0)
    disks = kafkafmt.open(tmp_path)
    seen = reads.record(monkeypatch)
    loaded: list[str] = []

    def noting(name: str) -> ModuleType:
        loaded.append(name)
        return import_module(name)

    monkeypatch.setattr(relations, "import_module", noting)
    assert one(disks, "select 1") == 1
    assert one(disks, "with few as (select 2 as n) select n from few") == 2
    assert not seen
    assert loaded == []
    assert one(disks, "select count(*) from Producers where false") == 0
    assert loaded == ["kafkafmt.topics.producer_state"]
    assert one(disks, "select count(*) from commits where false") == 0  # DuckDB knows that without reading
    with pytest.raises(SourceError, match="__consumer_offsets"):
        rows(disks, "select * from commits")


@pytest.mark.slow
def test_a_query_that_ends_early_reads_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        segment(
            tmp_path / "t-0", 10_000 * number, *(batch(10_000 * number + at, 1000) for at in range(0, 10_000, 1000))
        )
    seen = reads.record(monkeypatch)
    assert [offset for (offset,) in rows(tmp_path, 'select "offset" from records limit 3')] == [0, 1, 2]
    assert len(seen) < 20


def test_a_pivot_has_rows() -> None:
    query = "from (pivot records on topic using count(*) group by partition) select partition, shapes"
    shapes = Counter(map(topic_of, golden()))["shapes"]
    assert rows(CODECS.log_dir, query) == [(0, shapes)]
    query = "pivot (select topic from records where topic in ('shapes', 'codec-lz4')) on topic using count(*)"
    assert rows(CODECS.log_dir, query) == [(252, shapes)]


# Damage and errors


def test_damage_ends_a_query_with_its_error_or_is_skipped() -> None:
    query = 'select "offset" from records where topic = \'crash-flip-record\' and "offset" between 20 and 30'
    with pytest.raises(CorruptError, match="CRC mismatch") as raised:
        rows(DAMAGED, query)
    assert (raised.value.position, raised.value.file) == (1665, "crash-flip-record-0/00000000000000000000.log")
    reader = kafkafmt.open(DAMAGED).sql(query, on_damage="skip")
    assert reader.read_all().column("offset").to_pylist() == [20, 21, 22, 23, 24, 28, 29, 30]
    assert [(each.first_offset, each.last_offset) for each in reader.damage] == [(25, 27)]


def test_arguments_of_a_scan_say_what_records_are(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 4})
    assert one(tmp_path, "select count(*) from records") == 6
    assert rows(tmp_path, "select count(*) from records", below_log_start=True) == [(10,)]
    with pytest.raises(ValueError, match="on_damage"):
        rows(tmp_path, "select 1", on_damage="ignore")


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("select offset from records", '"offset", in double quotes'),
        ("select lower(value) from records", "as_text(value) makes text"),
        ("select count(*) from records where key = 'ключ'", "encode"),
        ("select foo from records", 'column "foo" not found'),
        ("", "no statement"),
        ("copy records to 'records.parquet'", "may write files"),
        ("attach 'x.db'", "may write files"),
        ("call enable_logging(storage='file')", "may write files"),
        ("explain analyze copy (select 1) to 'x.csv'", "disabled"),
        ("prepare p as copy (select 1) to 'x.csv'; execute p", "disabled"),
        ("set log_query_path='x.log'; select 1", "disabled"),
        ("set enable_external_access=true", "Cannot enable"),
        ("select * from read_csv('x.csv')", "disabled"),
        ("select 1/'x'", "Could not convert"),
    ],
)
def test_what_is_refused(query: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(QueryError) as raised:
        rows(CODECS.log_dir, query)
    assert hint in str(raised.value)
    assert not [*tmp_path.iterdir()]


def test_times_of_nanoseconds_beside_now(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=1_700_000_000_000), batch(1, timestamp=2**60))
    for moment in ("now()", "now()::timestamp"):
        with pytest.raises(QueryError, match=r"now\(\)::timestamp_ms"):
            rows(tmp_path, f"select count(*) from records where timestamp > {moment}")
    assert one(tmp_path, "select count(*) from records where timestamp > now()::timestamp_ms") == 1


def test_ctrl_c_is_none_of_its_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("kafkafmt.querying.text._as_text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rows(CODECS.log_dir, "select count(*) from records where value like '%x%'")


def test_duckdb_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"pip install 'kafkafmt\[sql\]'"):
        kafkafmt.open(CODECS.log_dir).sql("select 1")
    assert duckdb.__version__ >= "2"


CONDITIONS = [
    '"offset" > 1.5',
    '"offset" > -9223372036854775808 and "offset" % 2 = 0',
    'not ("offset" between 3 and 100)',
    '"offset" = (select max("offset") from records where topic = \'tx\')',
    "partition = 99999999999",
    "partition = '1' or value is null",
    "key > 'b1' and key in ('b2-k1'::blob, 'C0-k2'::blob)",
    "key is distinct from 'a1-k2'",
    "headers is not null",
    "isTransactional and not isControl",
    "compression <> 'zstd' and magic in (1, 2)",
    "topic is null or topic between 'a' and 'ty'",
    "(topic, partition) in (('tx', 0), ('tx-other', 1))",
    'topic in (select topic from records where "offset" = 100)',
    "producerId >= 0 and producerEpoch < 5",
    "timestamp >= '1960-01-01' and timestamp < '9999-01-01'",
    "timestamp = '2026-11-21 04:18:31.3805'",
]


@pytest.mark.slow
def test_conditions_hold_for_the_rows_that_duckdb_finds_in_a_table_of_them() -> None:
    disks = kafkafmt.open(MODERN / "04-transactions-4.3.1" / "log-dir")
    table = disks.scan().to_table()
    moments = table.column("timestamp").cast(pa.timestamp("ms"))
    table = table.set_column(table.schema.get_field_index("timestamp"), "timestamp", moments)
    with duckdb.connect() as plain, Session(Relations(disks, {})) as session:
        plain.from_arrow(table).create("records")
        for condition in CONDITIONS:
            for columns in ("topic, partition, count(*)", 'topic, partition, "offset", key'):
                query = f"select {columns} from records where {condition}"
                query += " group by all order by all" if "count" in columns else " order by all"
                reader = session.run(query)
                assert reader is not None
                found = [tuple(row.values()) for row in reader.read_all().to_pylist()]
                assert found == plain.execute(query).fetchall(), query


def test_what_has_no_room_in_memory_is_for_its_owner_alone_and_removed(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    before = os.umask(0)
    try:
        with Session(Relations(Sources(tmp_path), {})) as session:
            rows = session.run("select current_setting('temp_directory') as place")
            assert rows is not None
            place = Path(rows.read_all()["place"][0].as_py())
            assert stat.S_IMODE(place.stat().st_mode) == 0o700
    finally:
        os.umask(before)
    assert not place.exists()
