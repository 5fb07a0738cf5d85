"""Scans in notebooks and consoles, their description of the source, and scans in Polars and DuckDB."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt import NotFoundError
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch, segment

SHOP = Path(__file__).parent.parent / "docs" / "examples" / "shop" / "log-dir"
TRANSACTIONS = GOLDEN / "modern" / "09-transaction-state-4.3.1" / "log-dir"


def test_reprs_are_a_line_and_pages_have_rows() -> None:
    disks = kafkafmt.open(TRANSACTIONS)
    scan = disks.scan(on_damage="skip")
    answers: list[Any] = [disks.transactions(), disks.producers(), disks.verify(level="headers"), disks.space()]
    answers += [disks.retention(at=0), disks.compare(TRANSACTIONS, hashes=False)]
    for each in (disks, scan, scan.plan(), disks.grep("x"), disks.grep_everywhere("x"), *answers):
        assert len(repr(each)) < 200
        assert "\n" not in repr(each)
    explained, plan, found = scan.explain(), scan.plan(), disks.grep("x")
    assert "<th>isRead</th>" in explained._repr_html_()
    assert "<td>__transaction_state</td><td>0</td>" in plan._repr_html_()
    assert "<td>value</td><td>binary</td>" in found._repr_html_()
    reader = scan.to_reader()
    assert "<td>offset</td><td>int64</td>" in reader._repr_html_()
    assert reader.read_all().num_rows == len(scan.to_table()) > 0  # a page consumes no rows of the stream
    assert "<td>findings()</td><td>" in disks.inspect._repr_html_()
    assert not hasattr(disks.grep_everywhere("x"), "_repr_html_")  # rendering a page would read everything
    for each in (disks, scan, *answers):
        assert each._repr_html_().startswith("<div><p><b>")
    assert "<td>__transaction_state</td><td>3</td>" in disks._repr_html_()
    assert "<th>transactionalId</th>" in answers[0]._repr_html_()


def test_a_page_shows_damage_and_no_markup_of_records(tmp_path: Path) -> None:
    content = bytearray(batch(1))
    content[-1] ^= 1
    segment(tmp_path / "t-0", 0, batch(0, value=b"<script>"), bytes(content))
    scan = kafkafmt.scan(tmp_path, on_damage="skip", columns=["value"])
    page = scan._repr_html_()
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert scan.damage == []  # rendering a page is not a pass of the scan
    assert "CRC mismatch" in kafkafmt.scan(tmp_path)._repr_html_()


def test_a_page_shows_times_after_the_year_9999(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=1_795_882_184_080_000))
    scan = kafkafmt.scan(tmp_path, columns=["offset", "timestamp"])
    for each in (scan, scan.decode()):
        assert "<td>58879-03-29T10:14:40.000Z</td>" in each._repr_html_()


def test_a_scan_says_what_it_reads(tmp_path: Path) -> None:
    for base in (0, 10, 20):
        segment(tmp_path / "t-0", base, batch(base, 10))
    segment(tmp_path / "u-0", 0)
    scan = kafkafmt.scan(tmp_path, topics="t", start_offset=12, end_offset=18)
    said = scan.explain(count=True)
    assert said.records == scan.count() == 6
    rows = said.to_table().to_pylist()
    assert [(row["topic"], row["baseOffset"], row["isRead"], row["reason"]) for row in rows] == [
        ("t", 0, False, "offsets are below the first one to read"),
        ("t", 10, True, None),
        ("t", 20, False, "offsets are beyond the last one to read"),
        ("u", 0, False, "topic or partition is not selected"),
    ]
    size = (tmp_path / "t-0" / f"{10:020}.log").stat().st_size
    assert (said.bytes_to_read, rows[1]["bytesToRead"], rows[1]["mostRecords"]) == (size, size, 6)
    assert str(said).startswith(f"reads 1 of 4 segments, {size} bytes, 6 records\nleft out: 1 (offsets are below")
    assert scan.filter(pc.field("offset") < 0).explain().bytes_to_read == 0


def test_one_of_a_kind_is_named_in_the_singular(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    disks = kafkafmt.open(tmp_path)
    scan = disks.scan()
    assert repr(scan.plan()).startswith("<Plan of 1 split, ")
    assert repr(scan.end_offsets()) == "<Offsets of 1 partition (t-0: 1)>"
    assert ": 1 log directory, 1 topic, 1 partition<" in disks._repr_html_()
    noted = kafkafmt.open(SHOP).verify()
    assert (noted.findings.column("level").to_pylist(), len(noted.notes)) == (["note"], 0)
    assert repr(noted).endswith("; 1 note>")
    assert "finding" not in repr(noted).partition(";")[2]


def test_a_lazy_frame_is_the_scan() -> None:
    frame, table = kafkafmt.polars.scan(SHOP), pl.DataFrame(kafkafmt.scan(SHOP))
    assert frame.collect().equals(table)
    assert frame.head(3).collect().equals(table.head(3))
    assert frame.select(pl.len()).collect().item() == len(table) > 0
    time = datetime(2026, 1, 1, tzinfo=UTC)
    for predicate in (
        (pl.col("topic") == "orders") & (pl.col("offset") >= 5) & (pl.col("timestamp") > time),
        pl.col("topic").is_in(["orders"]) & (pl.lit(2) > pl.col("partition")),
        (pl.col("key") == b"c1") | pl.col("headers").is_null(),
        ~(pl.col("topic") != "orders"),
    ):
        found = frame.filter(predicate).select("offset", "value").collect()
        assert found.equals(table.filter(predicate).select("offset", "value"))
        assert frame.filter(predicate).head(2).collect().equals(table.filter(predicate).head(2))
    with pytest.raises(NotFoundError):
        kafkafmt.polars.scan(SHOP, topics="oders")


def test_a_lazy_frame_reads_what_a_query_needs(tmp_path: Path) -> None:
    damaged = bytearray(batch(10, 10))
    damaged[-1] ^= 1
    segment(tmp_path / "t-0", 0, batch(0, 10))
    segment(tmp_path / "t-0", 10, bytes(damaged))
    frame = kafkafmt.polars.scan(tmp_path)
    assert len(frame.filter(pl.col("offset") < 10).collect()) == 10
    assert len(frame.head(10).collect()) == 10
    with pytest.raises(kafkafmt.ChecksumError, match="CRC"):
        frame.collect()


def test_relations_in_a_connection(tmp_path: Path) -> None:
    connection = duckdb.connect()
    names = kafkafmt.duckdb.register(connection, SHOP)
    kafkafmt.duckdb.register(connection, TRANSACTIONS, prefix="other_", topics="ts")
    assert {"records", "batches", "segments", "commits"} <= set(names)
    connection.sql("create table mine as select 'orders' as topic")
    (row,) = connection.sql("select count(*), min(as_text(value)) from records join mine using (topic)").fetchall()
    orders = kafkafmt.scan(SHOP, topics="orders")
    assert row == (orders.count(), min(value.decode() for value in orders.to_table()["value"].to_pylist()))
    assert connection.sql("select count(*) from other_records").fetchall() == [
        (kafkafmt.scan(TRANSACTIONS, topics="ts").count(),)
    ]
    damaged = bytearray(batch(10, 10))
    damaged[-1] ^= 1
    segment(tmp_path / "t-0", 0, batch(0, 10))
    segment(tmp_path / "t-0", 10, bytes(damaged))
    kafkafmt.duckdb.register(connection, tmp_path)
    assert connection.sql('select count("value") from records where "offset" < 10').fetchall() == [(10,)]


def test_an_answer_that_cannot_be_read_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    connection = duckdb.connect()
    kafkafmt.duckdb.register(connection, tmp_path, typed=False)
    with pytest.raises(duckdb.Error, match="no partition of __consumer_offsets here; there are: t") as caught:
        connection.sql("select * from commits").fetchall()
    assert "Traceback" not in str(caught.value)
