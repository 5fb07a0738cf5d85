"""Typed relations in a connection of DuckDB: `kafkafmt.duckdb.register`."""

import shutil
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.values import schemas
from kafkafmt.writing.write import write
from tests.values.golden_values import unpack

TYPED = Path("docs/examples/typed/log-dir")
PAID = """
    select o.value.customer, sum(p.value.amount.cents) from topic.orders o
    join topic.payments p on p.value.order_id = o.value.id group by 1 order by 2 desc
"""


def test_topics_are_typed_as_in_sql() -> None:
    connection = duckdb.connect()
    names = kafkafmt.duckdb.register(connection, TYPED)
    assert names[-4:] == ["topic.customers", "topic.orders", 'topic."page-views"', "topic.payments"]
    expected = kafkafmt.open(TYPED).sql(PAID).read_all()
    assert connection.sql(PAID).fetchall() == [tuple(row.values()) for row in expected.to_pylist()]
    connection.execute("create table mine as select 'anna' as customer")
    query = 'select count(*) from topic.orders join mine on value.customer = customer where "offset" > 0'
    values = kafkafmt.scan(TYPED, topics="orders", start_offset=1).decode().to_table()["value"].to_pylist()
    assert connection.sql(query).fetchall() == [(sum(each["customer"] == "anna" for each in values),)]


def test_they_are_replaced_and_have_a_prefix() -> None:
    connection = duckdb.connect()
    kafkafmt.duckdb.register(connection, TYPED)
    assert kafkafmt.duckdb.register(connection, TYPED, topics=["orders", "_schemas"])[-2:] == [
        "topic._schemas",
        "topic.orders",
    ]
    kafkafmt.duckdb.register(connection, TYPED, prefix="Old ", topics="orders")
    assert connection.sql('from "Old topic".orders').fetchall() == connection.sql("from topic.orders").fetchall()
    with pytest.raises(duckdb.Error, match="payments"):
        connection.sql("from topic.payments")
    views = connection.sql("select count(*) from duckdb_views() where view_name like '%payments%'")
    assert views.fetchall() == [(0,)]


def test_schemas_of_another_source(tmp_path: Path) -> None:
    log_dir = unpack("avro", tmp_path)
    registry = shutil.move(log_dir / "_schemas-0", tmp_path / "_schemas-0")
    topics = [each for each in kafkafmt.scan(log_dir).partitions if each.topic == "orders"]
    connection = duckdb.connect()
    kafkafmt.duckdb.register(connection, topics)
    (before,) = connection.sql("select typeof(value) from topic.orders limit 1").fetchall()
    kafkafmt.duckdb.register(connection, topics, schemas=schemas(registry))
    (after,) = connection.sql("select typeof(value) from topic.orders limit 1").fetchall()
    assert before == ("BLOB",)
    assert after[0].startswith("STRUCT(")


@pytest.mark.parametrize(
    "before", ["create schema topic", "attach ':memory:' as Topic; create table topic.a (b int)", "file"]
)
def test_names_of_the_connection_are_left_alone(before: str, tmp_path: Path) -> None:
    connection = duckdb.connect()
    connection.execute(f"attach '{tmp_path}/a.db' as topic" if before == "file" else before)
    with pytest.raises(ValueError, match="has a database or schema topic of its own"):
        kafkafmt.duckdb.register(connection, TYPED)
    assert "records" in kafkafmt.duckdb.register(connection, TYPED, typed=False)
    assert kafkafmt.duckdb.register(connection, TYPED, prefix="my_")[-1] == "my_topic.payments"


def test_a_connection_that_only_reads(tmp_path: Path) -> None:
    duckdb.connect(tmp_path / "a.db").close()
    with duckdb.connect(tmp_path / "a.db", read_only=True) as connection:
        with pytest.raises(ValueError, match="typed=False"):
            kafkafmt.duckdb.register(connection, TYPED)
        assert "topic.orders" not in kafkafmt.duckdb.register(connection, TYPED, typed=False)


def test_a_topic_that_cannot_be_told_from_another(tmp_path: Path) -> None:
    topics = ["orders", "Orders", "a"]
    write(pa.table({"topic": topics, "value": [b"1"] * 3, "timestamp": [0] * 3}), tmp_path / "log-dir", partitions=1)
    connection = duckdb.connect()
    kafkafmt.duckdb.register(connection, tmp_path / "log-dir")
    with pytest.raises(duckdb.Error, match=r"differs from [oO]rders only in case: name one of them by topics="):
        connection.sql("from topic.orders").fetchall()
    assert connection.sql("select count(value) from topic.a").fetchall() == [(1,)]
    kafkafmt.duckdb.register(connection, tmp_path / "log-dir", topics="orders")
    assert connection.sql("select count(value) from topic.orders").fetchall() == [(1,)]
