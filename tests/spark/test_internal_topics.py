"""Internal topics on Spark: the rows and answers of kafkafmt.topics, of one cluster and of many."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, BinaryType, LongType, ShortType, StringType, StructType

import kafkafmt.topics
from kafkafmt.columns import select
from kafkafmt.topics import tables
from kafkafmt.topics.cluster_metadata.sections import SECTIONS
from kafkafmt.topics.consumer_groups.answer import OFFSETS
from kafkafmt.topics.consumer_groups.history import GROUP_HISTORY
from kafkafmt.topics.decoding import KINDS, kind_of
from kafkafmt.topics.tables import schema_of
from kafkafmt.topics.transaction_state import DATA_COLUMNS
from pyspark_kafkafmt import groups, metadata, producers, read_internal_topic, transactions
from pyspark_kafkafmt.arrow_batches import spark_batches, spark_schema, spark_type
from pyspark_kafkafmt.internal_topics import AskCluster, ReadDecoded
from pyspark_kafkafmt.paths import Cluster
from pyspark_kafkafmt.reports import damage_report, sentence_report
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch, segment

pytestmark = [pytest.mark.volume, pytest.mark.xdist_group("spark")]

MODERN = GOLDEN / "modern"
GROUPS = MODERN / "08-consumer-groups-4.3.1" / "log-dir"
OLD_GROUPS = MODERN / "08-consumer-groups-3.9.1" / "log-dir"
TRANSACTIONS = MODERN / "04-transactions-4.3.1" / "log-dir"
COMPACTED = MODERN / "05-compacted-4.3.1" / "log-dir"
CONTROLLERS = MODERN / "10b-three-controllers-4.3.1" / "log-dir"
METADATA = MODERN / "10-cluster-metadata-4.3.1" / "log-dir"

KINDS_THERE = [
    (GROUPS, "OffsetCommit"),
    (GROUPS, "GroupMetadata"),
    (GROUPS, "StreamsGroupTopology"),
    (GROUPS, "ShareSnapshot"),
    (GROUPS, "__consumer_offsets"),
    (TRANSACTIONS, "TransactionLog"),
    (CONTROLLERS, "PartitionChangeRecord"),
    (METADATA, "NoOpRecord"),
    (CONTROLLERS, "__cluster_metadata"),
]


def plain(table: pa.Table) -> list[dict[str, Any]]:
    """Rows without times, which Spark has in microseconds."""
    times = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
    rows: list[dict[str, Any]] = table.drop_columns(times).to_pylist()
    return rows


@pytest.mark.parametrize(
    ("source", "kind"), KINDS_THERE, ids=lambda each: getattr(each, "parent", Path(str(each))).name
)
def test_rows_are_those_of_topics_read(spark: SparkSession, source: Path, kind: str) -> None:
    wanted = plain(kafkafmt.topics.read(source, kind).to_table())
    frame = read_internal_topic(spark, source, kind, max_split_bytes=3000)
    found = plain(frame.toArrow())
    assert [row | {"file": str(source / row["file"])} for row in wanted] == found
    assert found


def test_columns_are_chosen(spark: SparkSession) -> None:
    frame = read_internal_topic(spark, GROUPS, "OffsetCommit", columns=["timestampMs", "value", "timestamp"])
    assert frame.columns == ["timestampMs", "value", "timestamp"]
    table = kafkafmt.topics.read(GROUPS, "OffsetCommit").to_table()
    ms = table["timestamp"].cast(pa.int64()).to_pylist()
    found = frame.toArrow()
    assert found["timestampMs"].to_pylist() == ms
    assert found["timestamp"].cast(pa.int64()).to_pylist() == [each * 1000 for each in ms]
    newest = frame.groupBy().agg({"value.commitTimestamp": "max"}).collect()[0][0]
    assert newest == max(row["commitTimestamp"] for row in table["value"].to_pylist() if row)


def test_arguments_are_those_of_scan(spark: SparkSession) -> None:
    frame = read_internal_topic(spark, GROUPS, "OffsetCommit", partitions=1, start_offset=10, end_offset=30)
    wanted = kafkafmt.topics.read(GROUPS, "OffsetCommit", partitions=1, start_offset=10, end_offset=30)
    assert [row.offset for row in frame.collect()] == wanted.to_table()["offset"].to_pylist()
    with pytest.raises(TypeError, match="the kind gives the topic"):
        read_internal_topic(spark, GROUPS, "OffsetCommit", topics="orders")
    with pytest.raises(ValueError, match="did you mean OffsetCommit"):
        read_internal_topic(spark, GROUPS, "OffsetComit")


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_every_kind_has_types_of_spark(kind: str) -> None:
    schema = kafkafmt.topics.read(GROUPS, kind).schema
    assert spark_schema(list(schema)).names == schema.names


def test_records_that_cannot_be_decoded_are_rows_and_are_said(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory = tmp_path / "__transaction_state-0"
    shutil.copytree(GROUPS / "__consumer_offsets-0", directory)
    wanted = kafkafmt.topics.read(tmp_path, "TransactionLog")
    table = wanted.to_table()
    frame = read_internal_topic(spark, tmp_path, "TransactionLog")
    assert [row.error for row in frame.collect()] == table["error"].to_pylist()
    assert [record.getMessage() for record in caplog.records if "unknown kind" in record.getMessage()] == [
        f"kafkafmt: {directory / '00000000000000000000.log'}: {note}" for note in wanted.notes
    ]


Ask = Callable[..., Any]

ANSWERS: dict[str, tuple[Ask, dict[str, Any], Callable[[Any], pa.Table]]] = {
    "groups-offsets": (groups, {}, lambda source: kafkafmt.topics.groups(source).offsets),
    "groups-members": (groups, {"table": "members"}, lambda source: kafkafmt.topics.groups(source).members),
    "groups": (groups, {"table": "groups"}, lambda source: kafkafmt.topics.groups(source).to_table()),
    "groups-pending": (
        groups,
        {"table": "pending_offsets"},
        lambda source: kafkafmt.topics.groups(source).pending_offsets,
    ),
    "transactions": (transactions, {}, lambda source: kafkafmt.topics.transactions(source).to_table()),
    "transactions-data": (
        transactions,
        {"table": "data"},
        lambda source: kafkafmt.topics.transactions(source, data="all").data_table(),
    ),
    "groups-history": (groups, {"table": "history"}, lambda source: kafkafmt.topics.groups(source).history),
    "transactions-history": (
        transactions,
        {"table": "history"},
        lambda source: kafkafmt.topics.transactions(source).to_table("history"),
    ),
    "producers-history": (
        producers,
        {"table": "history"},
        lambda source: kafkafmt.topics.producers(source).to_table("history"),
    ),
    "metadata-history": (
        metadata,
        {"table": "history"},
        lambda source: kafkafmt.topics.metadata(source).to_table("history"),
    ),
    "producers": (producers, {}, lambda source: kafkafmt.topics.producers(source).to_table()),
    "check-of-producers": (
        producers,
        {"table": "check", "topics": "comp-plain"},
        lambda source: kafkafmt.topics.producers(source, topics="comp-plain").check,
    ),
    "metadata-topics": (metadata, {}, lambda source: kafkafmt.topics.metadata(source).to_table("topics")),
    "metadata-brokers": (
        metadata,
        {"table": "brokers"},
        lambda source: kafkafmt.topics.metadata(source).to_table("brokers"),
    ),
}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_answers_are_those_of_topics(spark: SparkSession, name: str) -> None:
    ask, arguments, answer = ANSWERS[name]
    sources = {"metadata": CONTROLLERS, "transactions": TRANSACTIONS, "check": COMPACTED}
    source = sources.get(name.split("-", maxsplit=1)[0], GROUPS)
    wanted = answer(str(source))
    frame = ask(spark, source, **arguments)
    assert frame.columns == ["source", *wanted.schema.names, "error"]
    around = {"source": str(source), "error": None}
    assert [around | row for row in plain(wanted)] == plain(frame.toArrow())
    assert wanted.num_rows or name == "groups-pending"


def test_each_cluster_is_a_task_of_its_own(spark: SparkSession, tmp_path: Path) -> None:
    shutil.copytree(GROUPS, tmp_path / "new")
    shutil.copytree(OLD_GROUPS, tmp_path / "old")
    frame = groups(spark, tmp_path / "*")
    assert frame.rdd.getNumPartitions() == 2
    counts = {row.source: row["count"] for row in frame.groupBy("source").count().collect()}
    assert counts == {
        str(tmp_path / "new"): kafkafmt.topics.groups(GROUPS).offsets.num_rows,
        str(tmp_path / "old"): kafkafmt.topics.groups(OLD_GROUPS).offsets.num_rows,
    }


def test_arguments_are_those_of_topics(spark: SparkSession) -> None:
    frame = groups(spark, kafkafmt.open(GROUPS), groups=re.compile("no such group"), missing="note")
    assert frame.count() == 0
    with pytest.raises(TypeError, match="group_ids"):
        groups(spark, GROUPS, group_ids=["payments"])


def test_disks_of_a_named_cluster_are_merged_and_notes_are_told(spark: SparkSession) -> None:
    said: list[tuple[str, str]] = []
    disks = [CONTROLLERS / f"node-{number}" for number in (1, 2, 3)]
    frame = metadata(spark, {"prod": disks}, report=lambda source, sentence: said.append((source, sentence)))
    assert {row.source for row in frame.collect()} == {"prod"}
    notes = kafkafmt.topics.metadata([str(disk) for disk in disks]).notes
    assert notes
    assert [sentence for source, sentence in said if source == "prod"][: len(notes)] == list(notes)
    frame.collect()
    assert len(said) == len(set(said))


def test_a_damaged_cluster_is_a_row_and_ends_nothing(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(GROUPS, tmp_path / "a")
    log = tmp_path / "a" / "__consumer_offsets-1" / "00000000000000000000.log"
    content = bytearray(log.read_bytes())
    content[5000] ^= 1
    log.write_bytes(content)
    shutil.copytree(GROUPS, tmp_path / "b")
    rows = groups(spark, [tmp_path / "a", tmp_path / "b", tmp_path / "gone"], on_damage="raise").collect()
    failed = [row for row in rows if row.error is not None]
    assert [row.source for row in failed] == [str(tmp_path / "a"), str(tmp_path / "gone")]
    assert "CRC mismatch" in failed[0].error
    assert all(row.group is None for row in failed)
    assert {row.source for row in rows if row.error is None} == {str(tmp_path / "b")}
    assert any("CRC mismatch" in record.getMessage() for record in caplog.records)
    caplog.clear()
    rows = groups(spark, tmp_path / "a").collect()
    assert rows
    assert all(row.error is None for row in rows)
    assert any("bytes skipped" in record.getMessage() for record in caplog.records)


def test_tables_that_there_are_not(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match="no table 'offset' of groups; there are: groups, offsets, pending"):
        groups(spark, GROUPS, table="offset")


def test_the_documents_example_runs(spark: SparkSession, tmp_path: Path) -> None:
    shutil.copytree(GROUPS, tmp_path / "prod")
    shutil.copytree(TRANSACTIONS, tmp_path / "prod-2")
    document = (Path(__file__).parents[2] / "docs" / "internal_topics.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(from pyspark.sql .*?)^```$", document, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"spark": spark}
    exec(block.replace("/copies", str(tmp_path)), names)
    assert names["lags"].columns[:2] == ["source", "group"]
    assert {row.state for row in names["hanging"].collect()} == {"hanging"}


def in_spark(table: pa.Table) -> list[dict[str, Any]]:
    """Rows in the form in which a task gives them to Spark."""
    return [row for batch in table.to_batches() for part in spark_batches(batch) for row in part.to_pylist()]


def test_a_task_reads_and_decodes_a_split() -> None:
    decoded = kafkafmt.topics.read(GROUPS, "OffsetCommit")
    plan = decoded.scan.plan(max_split_bytes=3000)
    said: list[tuple[str, str]] = []
    names = ("offset", "timestampMs", "timestamp", "value")
    columns = ["offset", "timestamp", "value", "file"]
    decoder = kafkafmt.topics.read(GROUPS, "OffsetCommit", columns=columns).decoder
    reading = replace(plan.reading, schema=select(decoder.scanned))
    session: Any = SimpleNamespace()
    report = damage_report(session, None, plan)
    task = ReadDecoded(reading, decoder, names, report, lambda *each: said.append(each))
    rows = [row for split in plan.splits for batch in task(split) for row in batch.to_pylist()]
    wanted = decoded.to_table().select(["offset", "timestamp", "value"])
    assert [row["offset"] for row in rows] == wanted["offset"].to_pylist()
    assert [row["timestampMs"] for row in rows] == wanted["timestamp"].cast(pa.int64()).to_pylist()
    assert [row["value"] for row in rows] == wanted["value"].to_pylist()
    other = replace(
        task, decoder=tables.KindDecoder(kind_of("TransactionLog"), schema_of(kind_of("TransactionLog"), ["key"]))
    )
    assert [
        row for split in plan.splits for batch in replace(other, names=("key",))(split) for row in batch.to_pylist()
    ] == []
    assert len(said) > 1
    assert all("of an unknown kind" in sentence for _, sentence in said)


def test_a_task_asks_about_a_cluster(tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    ask = AskCluster("groups", "offsets", OFFSETS, {}, lambda *each: said.append(each))
    rows = [row for batch in ask(Cluster("prod", (str(GROUPS),))) for row in batch.to_pylist()]
    around = {"source": "prod", "error": None}
    assert rows == [around | row for row in in_spark(kafkafmt.topics.groups(GROUPS).offsets)]
    (row,) = (row for batch in ask(Cluster("gone", (str(tmp_path / "gone"),))) for row in batch.to_pylist())
    assert (row["source"], row["group"]) == ("gone", None)
    assert ("gone", row["error"]) in said
    ids = AskCluster("transactions", "data", DATA_COLUMNS.schema, {"data": "open"}, lambda *each: said.append(each))
    rows = [row for batch in ids(Cluster("tx", (str(TRANSACTIONS),))) for row in batch.to_pylist()]
    assert {row["state"] for row in rows} <= {"open", "hanging"}
    brokers = AskCluster("metadata", "brokers", SECTIONS["brokers"].schema, {}, lambda *each: said.append(each))
    disks = tuple(str(CONTROLLERS / f"node-{number}") for number in (1, 2, 3))
    rows = [row for batch in brokers(Cluster("three", disks)) for row in batch.to_pylist()]
    assert rows == [
        {"source": "three", "error": None} | row
        for row in in_spark(kafkafmt.topics.metadata(disks).to_table("brokers"))
    ]
    assert [sentence for source, sentence in said if source == "three"]


def test_what_the_reading_of_a_history_meets_is_said(tmp_path: Path) -> None:
    """No CRC covers offsets: those of the second batch should begin with 1."""
    segment(tmp_path / "__consumer_offsets-0", 0, batch(0, 1), batch(7, 1), batch(2, 1), batch(9, 1))
    said: list[str] = []
    ask = AskCluster("groups", "history", GROUP_HISTORY.schema, {}, lambda _, sentence: said.append(sentence))
    assert not [row for rows in ask(Cluster("prod", (str(tmp_path),))) for row in rows.to_pylist()]
    assert len([each for each in said if "base offset 7 should be 1" in each]) == 1
    assert len([each for each in said if "no longer in the log" in each]) == 1


def test_times_that_python_cannot_hold_are_null() -> None:
    times = pa.array([0, None, -1, 2**60], pa.timestamp("ms", "UTC"))
    (batch,) = spark_batches(pa.RecordBatch.from_arrays([times], ["time"]))
    assert batch.column(0).cast(pa.int64()).to_pylist() == [0, None, -1000, None]


def test_a_report_that_fails_does_not_end_the_driver(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    def fail(source: str, sentence: str) -> None:
        raise RuntimeError(source + sentence)

    sentence_report(spark, fail)("prod", "a sentence")
    assert "report= failed" in caplog.text
    quiet = sentence_report(spark, None)
    for number in range(120):
        quiet("prod", f"sentence {number}")
    assert len([message for message in caplog.messages if "sentence" in message and "failed" not in message]) == 100
    assert caplog.messages[-1] == "kafkafmt: more notes were left out; report= receives all of them"


def test_types_are_those_of_spark() -> None:
    kind = pa.struct([("a", pa.list_(pa.int64())), ("b", pa.binary()), ("c", pa.int16())])
    wanted = StructType().add("a", ArrayType(LongType())).add("b", BinaryType()).add("c", ShortType())
    assert spark_type(kind) == wanted
    assert spark_type(pa.string()) == StringType()
    with pytest.raises(TypeError, match="no type for date32"):
        spark_type(pa.date32())


def test_a_session_without_accumulators_logs_on_executors(caplog: pytest.LogCaptureFixture) -> None:
    class Connect:
        """A session of Spark Connect has no sparkContext."""

    session: Any = Connect()
    sentence_report(session, None)("prod", "a sentence")
    assert caplog.messages == ["kafkafmt: prod: a sentence"]
    with pytest.raises(kafkafmt.UnsupportedError, match="Spark Connect only brings rows"):
        sentence_report(session, print)
