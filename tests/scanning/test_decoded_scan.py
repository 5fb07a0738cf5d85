"""A decoded scan supports everything a scan does: filters, counts, following, pickling, and output forms."""

import pickle
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import kafkafmt
import kafkafmt.topics
from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.scanning import Scan
from kafkafmt.scanning.decoded_scan import DecodedScan
from kafkafmt.writing.write import write
from tests.golden_cases import GOLDEN
from tests.values.golden_values import unpack

TYPED = Path("docs/examples/typed/log-dir")
GROUPS = GOLDEN / "modern" / "08-consumer-groups-4.3.1" / "log-dir"


@pytest.fixture
def orders() -> DecodedScan[Any]:
    return kafkafmt.scan(TYPED, topics="orders").decode()


def test_it_has_the_names_of_a_scan_or_says_what_to_do(orders: DecodedScan[Any]) -> None:
    public = {name for name in dir(Scan) if not name.startswith("_")}
    lacking = public - {name for name in dir(orders) if not name.startswith("_")}
    assert lacking == {"batches", "decode", "plan", "resumed"}
    for name in lacking:
        with pytest.raises(AttributeError, match=f"DecodedScan has no {name}: "):
            getattr(orders, name)
    with pytest.raises(AttributeError, match=r"DecodedScan has no nothing$"):
        orders.nothing  # noqa: B018 - it raises
    assert "decode_batch" not in dir(orders)


@pytest.mark.parametrize(
    "expression",
    [
        pc.field("value", "customer") == "anna",
        (pc.field("value", "id") > 1004) & (pc.field("offset") < 4),
        (pc.field("value", "id") > 1004) & (pc.field("partition") == 1),
        (pc.field("value", "customer") == "anna") | (pc.field("offset") == 0),
        pc.field("offset") >= 2,
        pc.field("key") == "order-1003",
        pc.field("valueSchemaId") == 1,
        pc.field("value").is_null(),
        pc.field("isTransactional") == pc.scalar(False),  # noqa: FBT003 - Arrow's
        pc.field("value", "customer").isin(["bela", "dora"]) & (pc.field("baseOffset") == 0),
    ],
    ids=str,
)
def test_a_filter_keeps_the_rows_for_which_it_is_true(orders: DecodedScan[Any], expression: pc.Expression) -> None:
    whole = kafkafmt.scan(TYPED, topics="orders").decode(columns=[*orders.schema.names]).to_table()
    expected = whole.filter(expression)
    found = orders.filter(expression)
    assert found.to_table().equals(expected)
    assert found.count() == len(expected)
    assert found.head(2).read_all().equals(expected.slice(0, 2))
    some = found.select(["offset", "valueSchemaId"])
    assert some.to_table().equals(expected.select(["offset", "valueSchemaId"]))
    assert some.count() == len(expected)
    assert found.filter(pc.field("offset") > 0).to_table().equals(expected.filter(pc.field("offset") > 0))
    assert pickle.loads(pickle.dumps(found)).to_table().equals(expected)


def test_conditions_on_stored_columns_decide_what_is_read(orders: DecodedScan[Any]) -> None:
    condition = pc.field("value", "customer") == "anna"
    of_partition = orders.filter(condition & (pc.field("partition") == 1))
    assert {row["partition"] for row in of_partition.explain().to_table().to_pylist() if row["isRead"]} == {1}
    nothing = orders.filter(condition & (pc.field("offset") > 1000))
    assert nothing.scan.count() == nothing.count() == 0
    # A column that is neither shown nor decoded.
    assert orders.select(["value"]).filter(pc.field("offset") < 2).schema.names == ["value"]
    assert orders.select(["value"]).filter(condition & (pc.field("offset") < 2)).count() == 2


@pytest.mark.parametrize(
    ("expression", "error", "says"),
    [
        (pc.field("nothing") == 1, ValueError, "No match for FieldRef.Name.nothing"),
        (pc.field("value", "nothing") == 1, ValueError, "No match for FieldRef"),
        (pc.field("offset"), TypeError, "bool"),
        ("offset = 1", TypeError, "must be an expression of pyarrow.compute"),
    ],
)
def test_what_is_no_filter(orders: DecodedScan[Any], expression: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        orders.filter(expression)
    with pytest.raises(ValueError, match="does not fit the columns"):
        orders.select(["offset"]).filter(pc.field("value", "customer") == "anna")


def test_a_bad_value_is_an_error_only_where_it_is_decoded(tmp_path: Path) -> None:
    source = unpack("damaged", tmp_path)
    topics = {each.topic for each in kafkafmt.scan(source).partitions}
    topic = next(each for each in sorted(filter(None, topics)) if each.endswith("mutated"))
    raising = kafkafmt.scan(source, topics=topic).without_warnings().decode()
    with pytest.raises(KafkafmtError):
        raising.to_table()
    skipping = kafkafmt.scan(source, topics=topic).without_warnings().decode(on_damage="skip")
    rows = skipping.to_table()
    bad = [row["offset"] for row in rows.to_pylist() if row["valueError"]]
    sound = [row["offset"] for row in rows.to_pylist() if not row["valueError"]]
    assert bad
    assert raising.filter(pc.field("offset") == sound[0]).to_table().num_rows == 1
    assert raising.count() == len(rows)
    errors = skipping.filter(pc.field("valueError").is_valid())
    assert errors.to_table()["offset"].to_pylist() == bad
    assert errors.count() == len(bad)
    assert any("cannot be decoded" in str(note) for note in errors.notes)


def test_counts_are_of_headers_where_each_record_is_a_row(orders: DecodedScan[Any], tmp_path: Path) -> None:
    assert orders.count() == orders.scan.count() == len(orders.to_table())
    log_dir = unpack("avro", tmp_path)
    several = kafkafmt.scan(log_dir, topics="events").decode(record="com.example.shop.events.Recprice_21")
    assert several.count() == len(several.to_table()) < several.scan.count()


def test_kinds_of_internal_topics_are_filtered_too() -> None:
    log_dir = GROUPS
    commits = kafkafmt.topics.read(log_dir, "__consumer_offsets")
    rows = commits.to_table()
    assert commits.count() == len(rows) > 5
    condition = (pc.field("kind") == "OffsetCommit") & (pc.field("offset") > 3)
    assert commits.filter(condition).to_table().equals(rows.filter(condition))
    kind = kafkafmt.topics.read(log_dir, "OffsetCommit")
    assert kind.count() == len(kind.to_table())


def test_forms_of_output(orders: DecodedScan[Any]) -> None:
    table = orders.to_table()
    assert pa.Table.from_batches(orders.to_batches()).equals(table)
    connection = duckdb.connect().register("orders", orders.to_reader())
    assert connection.sql("select count(*), max(value.id) from orders").fetchall() == [(12, 1012)]
    assert len(orders.to_pandas()) == 12
    assert pickle.loads(pickle.dumps(orders)).to_table().equals(table)
    with pytest.raises(ValueError, match="count must be 0 or more"):
        orders.filter(pc.field("value", "id") > 0).head(-1)
    with pytest.raises(ValueError, match="the last 2 rows are known only once all are decoded"):
        orders.filter(pc.field("value", "id") > 0).tail(2)


def test_it_is_shown_in_a_line_and_in_a_notebook(orders: DecodedScan[Any], tmp_path: Path) -> None:
    for each in (orders, orders.filter(pc.field("value", "id") > 0), orders.select(["value"])):
        assert len(repr(each)) < 200
        assert "\n" not in repr(each)
    assert repr(orders).startswith("<DecodedScan of typed records of orders: key, value, ")
    assert repr(orders.filter(pc.field("value", "id") > 0)).startswith(
        "<DecodedScan of typed records of orders, filtered"
    )
    shown = orders._repr_html_()
    assert "<th>value</th>" in shown
    assert "order-1001" in shown
    table = pa.table({"topic": ["t"], "value": [b"\0\0\0\0\x09x"], "timestamp": [0]})
    write(table, tmp_path / "log-dir", partitions=1)
    bad = kafkafmt.scan(tmp_path / "log-dir").decode(value="avro")
    assert "no known schema has this id" in bad._repr_html_()


def test_it_hands_on_what_the_scan_knows(orders: DecodedScan[Any]) -> None:
    scan = orders.scan
    assert orders.end_offsets() == scan.end_offsets()
    assert orders.size_in_bytes() == scan.size_in_bytes()
    assert (orders.limits, orders.warns, orders.is_compacted) == (scan.limits, scan.warns, scan.is_compacted)
    assert not orders.without_warnings().warns
    assert str(orders.explain()) == str(scan.explain())
    before = orders.as_of("2026-11-28T09:05:00Z").to_table()
    assert 0 < len(before) < 12


def test_following_decodes_what_is_written(tmp_path: Path) -> None:
    def written(number: int, **to: Any) -> None:
        values = [f'{{"n":{number}}}'.encode(), None, b'{"n":"bad"}' if number == 3 else b'{"n":0}']
        table = pa.table({"topic": ["t"] * 3, "partition": [0] * 3, "value": values, "timestamp": [0] * 3})
        write(table, tmp_path / "log-dir", partitions=1, **to)

    written(1)
    decoded = kafkafmt.scan(tmp_path / "log-dir").decode(value="json")
    with decoded.follow() as follower:
        assert [row["value"] for batch in follower.poll() for row in batch.to_pylist()] == ['{"n":1}', None, '{"n":0}']
        assert list(follower.poll()) == []
        assert repr(follower).startswith("<DecodedFollower of typed records of t: key, value")
        assert follower.schema == decoded.schema
    with decoded.filter(pc.field("value") == '{"n":0}').follow(last=1) as follower:
        assert [row["offset"] for batch in follower.poll() for row in batch.to_pylist()] == [2]


def test_following_loses_no_record_after_one_that_cannot_be_decoded(tmp_path: Path) -> None:
    values = [b'{"n":1}', b"no JSON", b'{"n":3}']
    table = pa.table({"topic": ["t"] * 3, "partition": [0] * 3, "value": values, "timestamp": [0] * 3})
    write(table, tmp_path / "log-dir", partitions=1)
    with kafkafmt.scan(tmp_path / "log-dir").decode(value="json").follow() as follower:
        for _ in range(3):
            with pytest.raises(CorruptError, match="offset 1: the value cannot be decoded"):
                list(follower.poll())
