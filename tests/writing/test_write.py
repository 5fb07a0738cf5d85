"""`kafkafmt.write`: written records are read back unchanged, and a broker would start on the log."""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.columns import STORED_HEADERS
from kafkafmt.internal_topics import CLUSTER_METADATA_ID
from kafkafmt.writing import partition_for_key

GOLDEN = Path(__file__).parent.parent / "golden" / "modern"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
KEPT = ["topic", "partition", "offset", "timestamp", "key", "value", "headers"]
OF_PRODUCERS = ["producerId", "producerEpoch", "sequence", "isTransactional", "isControl", "controlType"]


def in_order(table: pa.Table) -> pa.Table:
    return table.sort_by([("topic", "ascending"), ("partition", "ascending"), ("offset", "ascending")])


def is_clean(path: Path) -> None:
    answer = kafkafmt.open(path).verify(level="records")
    assert answer.findings.filter(pc.equal(answer.findings["level"], "finding")).to_pylist() == []
    assert answer.verdict["starts"].to_pylist() == [True]
    assert set(answer.partitions["action"].to_pylist()) <= {"keep"}
    assert answer.partitions["lostRecords"].to_pylist() == [0] * answer.partitions.num_rows


@pytest.mark.slow
@pytest.mark.parametrize("control_records", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_a_scan_is_written_as_it_is(case: str, control_records: bool, tmp_path: Path) -> None:
    scan = kafkafmt.scan(GOLDEN / case, control_records=control_records, on_damage="skip")
    table = scan.to_table()
    names = KEPT + OF_PRODUCERS if control_records else KEPT
    offsets: dict[tuple[str, int], list[int]] = {}
    for row in table.select(["topic", "partition", "offset"]).to_pylist():
        offsets.setdefault((row["topic"], row["partition"]), []).append(row["offset"])
    # Damage made the offsets of one log go back, which a log cannot hold.
    falling = {topic for (topic, _), each in offsets.items() if any(one >= other for one, other in pairwise(each))}
    assert falling <= {"crash-flip-offset"}
    rising = {topic for topic, _ in offsets} - falling
    scan = kafkafmt.scan(GOLDEN / case, topics=rising, control_records=control_records, on_damage="skip")
    table = scan.to_table()
    written = kafkafmt.write(scan, tmp_path / "out", compression="lz4")
    again = kafkafmt.scan(tmp_path / "out", control_records=control_records).to_table()
    assert in_order(again).select(names).equals(in_order(table).select(names))
    assert sum(written.partitions["records"].to_pylist()) == table.num_rows
    if "__cluster_metadata" not in rising:
        # If there is a metadata log, it is another node's and decides the start.
        is_clean(tmp_path / "out")


def rows(count: int, **columns: Any) -> pa.Table:
    named = {"value": [b"value-%d" % number for number in range(count)], "timestamp": list(range(count)), **columns}
    return pa.table(named)


@pytest.mark.parametrize("message_format", [0, 1, 2])
@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_every_format_and_codec(message_format: int, compression: str, tmp_path: Path) -> None:
    if compression == "zstd" and message_format < 2:
        with pytest.raises(ValueError, match="has no zstd"):
            kafkafmt.write(rows(1), tmp_path / "out", topic="t", partitions=1, message_format=0, compression="zstd")
        assert list(tmp_path.iterdir()) == []
        return
    kafkafmt.write(
        rows(1000, key=[b"k%d" % (number % 7) for number in range(1000)]),
        tmp_path / "out",
        topic="t",
        partitions=3,
        message_format=message_format,
        compression=compression,
        batch_bytes=500,
        segment_bytes=5000,
    )
    found = kafkafmt.scan(tmp_path / "out").to_table()
    assert sorted(found["value"].to_pylist()) == sorted(rows(1000)["value"].to_pylist())
    for key, partition in zip(found["key"].to_pylist(), found["partition"].to_pylist(), strict=True):
        assert partition == partition_for_key(key, 3)
    assert set(found["magic"].to_pylist()) == {message_format}
    assert set(found["compression"].to_pylist()) == {compression}
    is_clean(tmp_path / "out")


def test_rows_without_a_key_go_from_partition_to_partition_batch_by_batch(tmp_path: Path) -> None:
    kafkafmt.write(rows(100), tmp_path / "out", topic="t", partitions=3, batch_bytes=300)
    batches = [
        (batch.base_offset, batch.count, partition.partition)
        for partition in kafkafmt.open(tmp_path / "out").partitions
        for segment in partition.segments
        for batch in segment.batches()
    ]
    found = in_order(kafkafmt.scan(tmp_path / "out").to_table())
    first = min(found.filter(pc.equal(found["partition"], 1))["timestamp"].cast("int64").to_pylist())
    counts = {count for _, count, _ in batches}
    assert {partition for *_, partition in batches} == {0, 1, 2}
    assert first in counts
    assert found.num_rows == 100


def test_partitions_that_are_named_get_a_directory(tmp_path: Path) -> None:
    written = kafkafmt.write(
        rows(0), tmp_path / "out", topic="t", partitions=4, topic_ids={"t": "n3mOFlucZyQAe4nEfT50oQ"}
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_dir()) == ["t-0", "t-1", "t-2", "t-3"]
    assert (tmp_path / "out/t-3/partition.metadata").read_text().endswith("n3mOFlucZyQAe4nEfT50oQ")
    assert written.topic_ids == {"t": "n3mOFlucZyQAe4nEfT50oQ"}
    is_clean(tmp_path / "out")


def test_as_many_partitions_as_kafka_creates(tmp_path: Path) -> None:
    for count in (10_001, 1_000_000):
        with pytest.raises(ValueError, match=f"1 to 10000, the most that Kafka creates at once, not {count}: rows of"):
            kafkafmt.write(rows(1), tmp_path / "out", topic="t", partitions=count)
    assert list(tmp_path.iterdir()) == []


def test_an_offset_that_no_log_end_is_above(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"t-0 has a row with offset 9223372036854775807: no log end is above it"):
        kafkafmt.write(rows(2, offset=[3, 2**63 - 1]), tmp_path / "out", topic="t", partitions=1)
    kafkafmt.write(rows(1, offset=[2**63 - 2]), tmp_path / "out", topic="t", partitions=1)
    assert kafkafmt.open(tmp_path / "out").partition("t", 0).log_end_offset == 2**63 - 1


def test_names_of_headers_that_are_not_utf_8_stay(tmp_path: Path) -> None:
    names = pa.array([[{"key": b"\xff\xfe", "value": b"1"}], None, [{"key": b"a", "value": None}]], STORED_HEADERS.type)
    kafkafmt.write(rows(3, headers=names), tmp_path / "first", topic="t", partitions=1)
    kafkafmt.write(kafkafmt.scan(tmp_path / "first"), tmp_path / "second")
    for name in ("first", "second"):
        with kafkafmt.scan(tmp_path / name, columns=["headers"]).to_stored_reader() as reader:
            assert reader.read_all()["headers"].to_pylist() == names.to_pylist()


def test_the_metadata_log_has_the_id_that_it_has_in_every_cluster(tmp_path: Path) -> None:
    written = kafkafmt.write(rows(1), tmp_path / "out", topic="__cluster_metadata", partitions=1)
    assert written.topic_ids == {"__cluster_metadata": CLUSTER_METADATA_ID}
    assert f"topic_id: {CLUSTER_METADATA_ID}" in (tmp_path / "out/__cluster_metadata-0/partition.metadata").read_text()


def test_a_topic_gets_another_name(tmp_path: Path) -> None:
    scan = kafkafmt.scan(GOLDEN / "01-codecs-4.3.1" / "log-dir", topics="codec-lz4", columns=KEPT)
    for name in ("codec-lz4", "renamed"):
        kafkafmt.write(scan.to_table(), tmp_path / name, topic=name, partitions=6)
        found = in_order(kafkafmt.scan(tmp_path / name, columns=KEPT).to_table())
        assert set(found["topic"].to_pylist()) == {name}
        assert found.drop_columns("topic").equals(in_order(scan.to_table()).drop_columns("topic"))


def test_append_time(tmp_path: Path) -> None:
    table = rows(50).set_column(1, "timestamp", pa.array([number // 10 for number in range(50)]))
    kafkafmt.write(table, tmp_path / "out", topic="t", partitions=1, timestamp_type="LogAppendTime")
    found = kafkafmt.scan(tmp_path / "out").to_table()
    assert found["timestamp"].cast("int64").to_pylist() == table["timestamp"].to_pylist()
    assert set(found["timestampType"].to_pylist()) == {1}


@pytest.mark.parametrize(
    ("columns", "arguments", "text"),
    [
        ({"partition": [0, 0], "offset": [5, 5]}, {}, "offset 5 of t-0 follows offset 5"),
        ({"partition": [0, 7]}, {"partitions": 3}, "no partition 7"),
        ({"timestamp": [1, None]}, {"partitions": 3}, "has 1 null:"),
        ({"timestamp": [1, -5]}, {"partitions": 3}, "column 'timestamp' has -5: Kafka takes 0 or more"),
        ({"timestamp": pa.array([1, 2**62], pa.timestamp("s"))}, {"partitions": 3}, "column 'timestamp' cannot be"),
        ({"timestamp": pa.array([1, 2**63], pa.uint64())}, {"partitions": 3}, "column 'timestamp' cannot be int64"),
        ({}, {}, "say how many partitions"),
        ({"value": [1.5, 2.5]}, {"partitions": 1}, "must be of bytes or text"),
        ({"topic": ["a", "b"]}, {"partitions": 1}, "the rows are of the topics 'a' and 'b'"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_is_left(
    columns: dict[str, Any], arguments: dict[str, Any], text: str, tmp_path: Path
) -> None:
    table = rows(2)
    for name, values in columns.items():
        table = table.drop_columns([name]) if name in table.column_names else table
        table = table.append_column(name, pa.array(values))
    with pytest.raises(ValueError, match=text):
        kafkafmt.write(table, tmp_path / "out", topic="t", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_column_given_twice_is_refused(tmp_path: Path) -> None:
    table = rows(2).append_column("value", pa.array(["a", "b"]))
    with pytest.raises(ValueError, match="the rows have the column 'value' 2 times"):
        kafkafmt.write(table, tmp_path / "out", topic="t", partitions=1)
    assert list(tmp_path.iterdir()) == []


def test_rows_without_timestamps_are_refused_where_the_format_has_them(tmp_path: Path) -> None:
    table = rows(2).drop_columns(["timestamp"])
    with pytest.raises(ValueError, match="the rows have no column 'timestamp', which message format 2 needs"):
        kafkafmt.write(table, tmp_path / "out", topic="t", partitions=1)
    kafkafmt.write(table, tmp_path / "out", topic="t", partitions=1, message_format=0)
    assert kafkafmt.scan(tmp_path / "out").count() == 2


def test_an_existing_or_enclosing_target_is_refused(tmp_path: Path) -> None:
    kafkafmt.write(rows(5), tmp_path / "out", topic="t", partitions=1)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SourceError, match="exists already"):
        kafkafmt.write(rows(5), tmp_path / "out", topic="t", partitions=1)
    with pytest.raises(SourceError, match="is inside a source"):
        kafkafmt.write(kafkafmt.scan(tmp_path / "out"), tmp_path / "out" / "again")
    assert sorted(tmp_path.rglob("*")) == before


def test_ids_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    rows = pa.table({"value": [b"v"], "timestamp": [1]})
    with pytest.raises(ValueError, match="topic_ids names 'other': there are 't'"):
        kafkafmt.write(rows, tmp_path / "new", topic="t", partitions=1, topic_ids={"other": "x8vK1pq5SWeBkqHXFyy4Kw"})
    # A broker dies on the + and / of the standard alphabet.
    for wrong in (
        "x8vK1pq5SWeBkqHXFyy4K/",
        "x8vK1pq5SW+BkqHXFyy4Kw",
        "x8vK1pq5SWeBkqHXFyy4K",
        "x8vK1pq5SWeBkqHXFyy4Kw==",
    ):
        with pytest.raises(ValueError, match="the id of topic 't' must be 22 characters of base64url"):
            kafkafmt.write(rows, tmp_path / "new", topic="t", partitions=1, topic_ids={"t": wrong})
    with pytest.raises(
        ValueError, match="directory_id must be 22 characters of base64url, as Kafka prints it, not 'x'"
    ):
        kafkafmt.write(rows, tmp_path / "new", topic="t", partitions=1, directory_id="x")
    assert not os.listdir(tmp_path)
