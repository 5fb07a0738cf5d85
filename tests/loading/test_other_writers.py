"""Tables that other programs maintain between two loads: the offsets stay, or it is said that they are in doubt."""

import json
import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.loading.load import offsets_of
from tests.loading.conftest import Lake, make_lake
from tests.logdir.builders import batch, segment


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    segment(tmp_path / "disk" / "t-0", 0)
    segment(tmp_path / "disk" / "t-1", 0, batch(0, 3))
    return tmp_path / "disk"


@pytest.fixture
def delta(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    return make_lake("delta", tmp_path / "lake", monkeypatch)


@pytest.fixture
def iceberg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    return make_lake("iceberg", tmp_path / "lake", monkeypatch)


def delta_table(lake: Lake) -> Any:
    from deltalake import DeltaTable

    return DeltaTable(lake.place / "t")


def iceberg_table() -> Any:
    from pyiceberg.catalog import load_catalog

    return load_catalog("test").load_table("db.t")


def more(disk: Path) -> None:
    segment(disk / "t-0", 10, batch(10, 2))


def test_delta_checkpoints_and_cleaned_logs(disk: Path, delta: Lake) -> None:
    from deltalake import write_deltalake

    kafkafmt.load(disk, delta.to())
    rows = pa.table({"topic": ["x"], "partition": pa.array([0], pa.int32()), "offset": [0]})
    for _ in range(3):
        write_deltalake(delta.place / "t", rows, mode="append", schema_mode="merge")
    delta_table(delta).alter.set_table_properties({"delta.logRetentionDuration": "interval 0 seconds"})
    delta_table(delta).optimize.compact()
    delta_table(delta).create_checkpoint()
    log = delta.place / "t" / "_delta_log"
    ancient = (datetime.now() - timedelta(days=90)).timestamp()  # noqa: DTZ005
    for path in log.glob("*.json"):
        os.utime(path, (ancient, ancient))
    delta_table(delta).cleanup_metadata()
    assert not (log / f"{1:020d}.json").exists()  # the commit of the load
    more(disk)
    loaded = kafkafmt.load(disk, delta.to())
    assert (loaded.rows_loaded, loaded.notes) == (2, [])
    assert delta.offsets() == {("t", 0): [*range(12)], ("t", 1): [0, 1, 2], ("x", 0): [0, 0, 0]}
    assert kafkafmt.load(disk, delta.to()).commits == []


def test_delta_offsets_of_partitions_that_were_absent_once(disk: Path, delta: Lake, tmp_path: Path) -> None:
    """Their offsets are not in the information of the newest load if its own was not found."""
    kafkafmt.load(disk, delta.to())
    delta_table(delta).alter.set_table_properties({"delta.appendOnly": "false"})
    delta_table(delta).create_checkpoint()
    (delta.place / "t" / "_delta_log" / f"{1:020d}.json").unlink()
    more(disk)
    (disk / "t-1").rename(tmp_path / "t-1")
    assert kafkafmt.load(disk, delta.to()).rows_loaded == 2
    (tmp_path / "t-1").rename(disk / "t-1")
    assert kafkafmt.load(disk, delta.to()).commits == []
    assert delta.offsets()["t", 1] == [0, 1, 2]


def test_delta_offsets_of_a_recreated_topic_with_fewer_partitions(disk: Path, delta: Lake) -> None:
    for number, topic_id in enumerate(("AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg")):
        for partition in disk.glob("t-*"):
            (partition / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")
        kafkafmt.load(disk, delta.to())
        if not number:
            shutil.rmtree(disk / "t-1")
    assert offsets_of(delta.to(), disk) == {("t", 0): 10}
    segment(disk / "t-1", 0, batch(0, 2))  # a partition that was added
    (disk / "t-1" / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAg")
    assert kafkafmt.load(disk, delta.to()).rows_loaded == 2


def test_a_delta_table_that_was_restored(disk: Path, delta: Lake) -> None:
    kafkafmt.load(disk, delta.to())
    more(disk)
    kafkafmt.load(disk, delta.to())
    delta_table(delta).restore(1)
    with pytest.raises(SourceError, match="was restored to an earlier version"):
        kafkafmt.load(disk, delta.to())


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({"delta.constraints.a": "offset > 0"}, "delta.constraints.a"),
        ({"delta.columnMapping.mode": "name"}, "columnMapping"),
    ],
)
def test_delta_properties_that_are_not_followed(disk: Path, delta: Lake, properties: dict[str, str], said: str) -> None:
    kafkafmt.load(disk, delta.to())
    [log] = (delta.place / "t" / "_delta_log").glob(f"{0:020d}.json")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "metaData" in line:
            line["metaData"]["configuration"] = properties
        if "protocol" in line:
            line["protocol"] = {"minReaderVersion": 2, "minWriterVersion": 5}
    log.write_text("\n".join(map(json.dumps, lines)) + "\n")
    with pytest.raises(SourceError, match=said):
        kafkafmt.load(disk, delta.to())


def test_delta_statistics_leave_out_files(disk: Path, delta: Lake) -> None:
    kafkafmt.load(disk, delta.to())
    [found] = pa.table(delta_table(delta).get_add_actions(flatten=True)).to_pylist()
    assert found["num_records"] == 13
    assert (found["min.offset"], found["max.offset"], found["null_count.offset"]) == (0, 9, 0)
    assert found["min.timestamp"] <= found["max.timestamp"]


def test_iceberg_snapshots_of_other_programs(disk: Path, iceberg: Lake) -> None:
    kafkafmt.load(disk, iceberg.to())
    iceberg_table().delete("offset = 1")
    assert "kafkafmt.offsets" not in iceberg_table().current_snapshot().summary.additional_properties
    more(disk)
    assert kafkafmt.load(disk, iceberg.to()).rows_loaded == 2
    assert iceberg.offsets() == {("t", 0): [0, *range(2, 12)], ("t", 1): [0, 2]}


def test_an_iceberg_table_that_was_rolled_back_is_loaded_from_there(disk: Path, iceberg: Lake) -> None:
    kafkafmt.load(disk, iceberg.to())
    first = iceberg_table().current_snapshot().snapshot_id
    more(disk)
    kafkafmt.load(disk, iceberg.to())
    table = iceberg_table()
    table.manage_snapshots().rollback_to_snapshot(first).commit()
    assert offsets_of(iceberg.to()) == {("t", 0): 10, ("t", 1): 3}
    assert kafkafmt.load(disk, iceberg.to()).rows_loaded == 2
    assert iceberg.offsets() == {("t", 0): [*range(12)], ("t", 1): [0, 1, 2]}


def test_iceberg_snapshots_that_expired(disk: Path, iceberg: Lake) -> None:
    kafkafmt.load(disk, iceberg.to())
    iceberg_table().delete("offset = 1")
    for each in iceberg_table().snapshots()[:-1]:
        iceberg_table().maintenance.expire_snapshots().by_id(each.snapshot_id).commit()
    assert len(iceberg_table().snapshots()) == 1
    more(disk)
    assert kafkafmt.load(disk, iceberg.to()).rows_loaded == 2
    assert kafkafmt.load(disk, iceberg.to()).commits == []


def test_an_iceberg_table_that_was_rolled_back_before_the_first_load(disk: Path, iceberg: Lake) -> None:
    from pyiceberg.catalog import load_catalog

    rows = pa.table({"topic": ["x"], "partition": pa.array([0], pa.int32()), "offset": [0]})
    load_catalog("test").create_namespace("db")
    load_catalog("test").create_table("db.t", rows.schema).append(rows)
    first = iceberg_table().current_snapshot().snapshot_id
    kafkafmt.load(disk, iceberg.to(), start_offset=0)
    iceberg_table().manage_snapshots().rollback_to_snapshot(first).commit()
    with pytest.raises(SourceError, match="no load has written"):
        kafkafmt.load(disk, iceberg.to())
    assert kafkafmt.load(disk, iceberg.to(), start_offset=0).rows_loaded == 13
    assert iceberg.offsets() == {("t", 0): [*range(10)], ("t", 1): [0, 1, 2], ("x", 0): [0]}


def test_iceberg_tables_that_are_divided_by_other_transforms(disk: Path, iceberg: Lake) -> None:
    from pyiceberg.catalog import load_catalog
    from pyiceberg.transforms import BucketTransform, MonthTransform, TruncateTransform

    catalog = load_catalog("test")
    catalog.create_namespace("db")
    fields = [("topic", pa.string()), ("partition", pa.int32()), ("offset", pa.int64())]
    table = catalog.create_table(
        "db.t", pa.schema([*fields, ("timestamp", pa.timestamp("us", "UTC")), ("key", pa.binary())])
    )
    with table.update_spec() as spec:
        spec.add_field("offset", BucketTransform(4), "bucket")
        spec.add_field("timestamp", MonthTransform(), "month")
        spec.add_field("topic", TruncateTransform(1), "letter")
    segment(disk / "t-1", 3, batch(3, 2, timestamp=1_795_882_184_080))
    kafkafmt.load(disk, iceberg.to())
    assert iceberg.offsets() == {("t", 0): [*range(10)], ("t", 1): [*range(5)]}
    files = iceberg_table().inspect.files().to_pylist()
    assert {each["partition"]["letter"] for each in files} == {"t"}
    assert {each["partition"]["month"] for each in files} == {0, 682}
    assert len({each["partition"]["bucket"] for each in files}) > 1
    for offset in range(10):  # leaves out files by their partitions
        found = iceberg_table().scan(row_filter=f"offset = {offset} and timestamp < '2026-01-01T00:00:00+00:00'")
        assert found.to_arrow().num_rows == (2 if offset < 3 else 1)


def test_required_columns_of_an_iceberg_table_are_found_without_regard_to_case(disk: Path, iceberg: Lake) -> None:
    from pyiceberg.catalog import load_catalog
    from pyiceberg.schema import Schema
    from pyiceberg.types import LongType, NestedField, StringType

    catalog = load_catalog("test")
    catalog.create_namespace("db")
    required = [
        NestedField(1, "OFFSET", LongType(), required=True),
        NestedField(2, "Topic", StringType(), required=True),
    ]
    catalog.create_table("db.t", Schema(*required))
    catalog.create_table("db.u", Schema(*required, NestedField(3, "more", LongType(), required=True)))
    assert kafkafmt.load(disk, iceberg.to()).rows_loaded == 13
    assert sorted(iceberg.table().column("OFFSET").to_pylist()) == sorted([*range(10), *range(3)])
    with pytest.raises(SourceError, match="needs the column more, which records do not have"):
        kafkafmt.load(disk, iceberg.to("u"))
    assert iceberg.table("u").column_names == ["OFFSET", "Topic", "more"]


def test_iceberg_fields_have_ids(disk: Path, iceberg: Lake) -> None:
    import pyarrow.parquet as pq

    kafkafmt.load(disk, iceberg.to())
    [path] = iceberg.place.rglob("*.parquet")
    assert all(b"PARQUET:field_id" in (field.metadata or {}) for field in pq.read_schema(path))
    summary = iceberg_table().current_snapshot().summary.additional_properties
    assert json.loads(summary["kafkafmt.offsets"])["offsets"] == {"t": {"0": 10, "1": 3}}
    assert json.loads(summary["kafkafmt.start-offsets"])["offsets"] == {}


def test_the_information_of_a_delta_commit(disk: Path, delta: Lake) -> None:
    kafkafmt.load(disk, delta.to())
    more(disk)
    kafkafmt.load(disk, delta.to())
    newest = delta_table(delta).history(1)[0]
    assert json.loads(newest["kafkafmt.offsets"])["offsets"] == {"t": {"0": 12, "1": 3}}
    assert json.loads(newest["kafkafmt.start-offsets"])["offsets"] == {"t": {"0": 10, "1": 3}}
    assert delta_table(delta).transaction_version("kafkafmt/t/0") == 12
    assert delta_table(delta).transaction_version("kafkafmt") == 2


def test_a_delta_table_that_was_restored_many_commits_ago(
    disk: Path, delta: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    kafkafmt.load(disk, delta.to())
    more(disk)
    kafkafmt.load(disk, delta.to())
    delta_table(delta).restore(1)
    for number in range(3):
        delta_table(delta).alter.set_table_properties({"delta.logRetentionDuration": f"interval {number + 30} days"})
    monkeypatch.setattr("kafkafmt.loading.delta._NEWEST", 2)
    with pytest.raises(SourceError, match="was restored to an earlier version"):
        kafkafmt.load(disk, delta.to())


def test_delta_offsets_that_may_have_expired(disk: Path, delta: Lake) -> None:
    kafkafmt.load(disk, delta.to())
    delta_table(delta).alter.set_table_properties({"delta.setTransactionRetentionDuration": "interval 30 days"})
    assert kafkafmt.load(disk, delta.to()).commits == []
    delta_table(delta).create_checkpoint()
    (delta.place / "t" / "_delta_log" / f"{1:020d}.json").unlink()
    with pytest.raises(SourceError, match="may have expired"):
        kafkafmt.load(disk, delta.to())


def test_iceberg_properties_that_were_edited(disk: Path, iceberg: Lake) -> None:
    kafkafmt.load(disk, iceberg.to())
    iceberg_table().delete("offset = 1")
    for each in iceberg_table().snapshots()[:-1]:
        iceberg_table().maintenance.expire_snapshots().by_id(each.snapshot_id).commit()
    with iceberg_table().transaction() as transaction:
        transaction.set_properties({"kafkafmt.sequence-number": "soon"})
    with pytest.raises(SourceError, match="offsets that no load has written"):
        kafkafmt.load(disk, iceberg.to())
