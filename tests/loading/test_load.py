"""`kafkafmt.load`: records new since the offsets in the table, for all kinds of tables."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import NotFoundError, Offsets, SourceError
from kafkafmt.loading.load import offsets_of
from tests.cli.conftest import ROOT, environment
from tests.golden_cases import GOLDEN
from tests.loading.conftest import Lake, make_lake
from tests.logdir.builders import batch, checkpoint, segment

DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged"
TRANSACTIONS = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"
SHOP = Path(__file__).parents[2] / "docs" / "examples" / "shop" / "log-dir"
FIRST_ID, SECOND_ID = "AAAAAAAAAAAAAAAAAAAAAQ", "_____________________w"  # whose halves are negative numbers


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    segment(disk / "t-0", 0)
    segment(disk / "t-1", 0, batch(0, 3))
    set_topic_id(disk, FIRST_ID)
    return disk


def set_topic_id(disk: Path, topic_id: str, topic: str = "t") -> None:
    for partition in disk.glob(f"{topic}-*"):
        (partition / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")


def broken(content: bytes) -> bytes:
    return bytes([*content[:-1], content[-1] ^ 1])


@pytest.mark.parametrize("name", ["delta", "iceberg", "dleta:/lake/x", "Delta:x", "foo:bar"])
def test_a_misspelt_kind_of_table_is_not_a_directory(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    words = re.escape(f"{name!r} is not a table: write delta:PATH, iceberg:CATALOG.TABLE, or a directory; ./{name} is")
    for ask in (kafkafmt.load, lambda _, to: offsets_of(to)):
        with pytest.raises(ValueError, match=words):
            ask(disk, name)
    assert not [*Path().iterdir()]
    if "/" not in name:
        assert kafkafmt.load(disk, f"./{name}").rows_loaded == kafkafmt.load(disk, tmp_path / name).rows_loaded == 13


def test_each_load_appends_what_is_new(disk: Path, lake: Lake) -> None:
    loaded = kafkafmt.load(disk, lake.to())
    assert lake.offsets() == {("t", 0): [*range(10)], ("t", 1): [0, 1, 2]}
    assert (loaded.rows_loaded, len(loaded.commits), loaded.notes) == (13, 1, [])
    assert loaded.offsets == {("t", 0): 10, ("t", 1): 3}
    again = kafkafmt.load(disk, lake.to())
    assert (again.rows_loaded, again.commits, again.offsets) == (0, [], loaded.offsets)
    segment(disk / "t-0", 10, batch(10, 2), batch(12)[:-2])  # the last batch is being written
    segment(disk / "u-0", 5, batch(5))
    assert kafkafmt.load(disk, lake.to()).rows_loaded == 3
    segment(disk / "t-0", 10, batch(10, 2), batch(12))
    (disk / "t-0" / f"{0:020d}.log").unlink()  # what it held was loaded
    last = kafkafmt.load(disk, lake.to())
    assert last.to_table().to_pylist()[0] == {
        "topic": "t",
        "partition": 0,
        "startOffset": 12,
        "endOffset": 13,
        "records": 1,
        "lostOffsets": 0,
    }
    assert lake.offsets() == {("t", 0): [*range(13)], ("t", 1): [0, 1, 2], ("u", 0): [5]}
    assert last.notes == []


def test_records_that_an_end_time_leaves_out_are_said(lake: Lake) -> None:
    moment = "2026-11-21T20:51:45"
    loaded = kafkafmt.load(SHOP, lake.to(), topics="orders", end_timestamp=moment)
    assert loaded.rows_loaded == kafkafmt.scan(SHOP, topics="orders", end_timestamp=moment).count() < 20
    (note,) = map(str, loaded.notes)
    assert note == "records at or after end_timestamp are left out, and a later load does not return to them"
    again = kafkafmt.load(SHOP, lake.to(), topics="orders")
    assert (again.rows_loaded, again.notes) == (0, [])


def test_the_rows_are_those_of_a_scan(lake: Lake) -> None:
    kafkafmt.load(SHOP, lake.to(), topics="orders")
    names = ["topic", "partition", "offset", "timestamp", "timestampType", "key", "value", "headers"]
    expected = kafkafmt.scan(SHOP, topics="orders", columns=names).to_table()
    found = lake.table().select(names).sort_by([("partition", "ascending"), ("offset", "ascending")]).to_pylist()
    if lake.kind == "iceberg":
        found = [{**each, "headers": each["headers"] or None} for each in found]  # pyiceberg reads a null list as empty
    assert found == expected.to_pylist()


def test_the_offsets_are_in_the_table(disk: Path, lake: Lake) -> None:
    kafkafmt.load(disk, lake.to())
    kept = offsets_of(lake.to())
    assert (dict(kept), dict(kept.topic_ids)) == ({("t", 0): 10, ("t", 1): 3}, {"t": FIRST_ID})
    assert Offsets.from_json(kept.to_json()) == kept


def test_a_bounded_part_is_committed_at_once(disk: Path, lake: Lake) -> None:
    for number in range(2, 6):
        segment(disk / f"t-{number}", 0, *(batch(20 * each, 20, value=b"x" * 1000) for each in range(50)))
    loaded = kafkafmt.load(disk, lake.to(), commit_bytes=1)
    assert len(loaded.commits) > 1
    ends = [json.loads(each["offsets"])["offsets"]["t"] for each in loaded.to_table("commits").to_pylist()]
    whole = {"0": 10, "1": 3, **dict.fromkeys(map(str, range(2, 6)), 1000)}
    assert ends[-1] == whole
    assert all(number in whole and end <= whole[number] for each in ends for number, end in each.items())
    rows = [each.rows for each in loaded.commits]
    assert all(rows)
    assert sum(rows) == 4013
    assert not lake.twice()
    assert len(lake.places()) == 4013


@pytest.mark.parametrize("divided", [["topic"], ["topic", "day"], ["partition", "hour"]])
def test_tables_are_divided(lake: Lake, divided: list[str]) -> None:
    kafkafmt.load(SHOP, lake.to(), topics="orders", partition_by=divided)
    kafkafmt.load(SHOP, lake.to(), topics=["orders", "payments"])  # as the table is
    assert len(lake.places()) == 32
    assert not lake.twice()
    with pytest.raises(SourceError, match="partitioned differently"):
        kafkafmt.load(SHOP, lake.to(), partition_by=["compression"])
    assert kafkafmt.load(SHOP, lake.to(), topics=["orders", "payments"], partition_by=divided).commits == []


def test_deleted_offsets_are_a_loss(disk: Path, lake: Lake) -> None:
    kafkafmt.load(disk, lake.to())
    (disk / "t-0" / f"{0:020d}.log").unlink()
    segment(disk / "t-0", 25, batch(25, 2))
    loaded = kafkafmt.load(disk, lake.to())
    assert [(str(note), note.is_finding) for note in loaded.notes] == [
        ("t-0: offsets 10 to 24 were deleted since the last run, and never read", True)
    ]
    assert [each.lost_offsets for each in loaded.done] == [15, 0]
    assert lake.offsets()["t", 0] == [*range(10), 25, 26]
    assert kafkafmt.load(disk, lake.to()).notes == []


def test_a_loss_without_new_records_is_said_once(disk: Path, lake: Lake) -> None:
    kafkafmt.load(disk, lake.to())
    (disk / "t-0" / f"{0:020d}.log").unlink()
    segment(disk / "t-0", 25, b"")
    assert len(kafkafmt.load(disk, lake.to()).notes) == 1
    assert kafkafmt.load(disk, lake.to()).notes == []
    assert offsets_of(lake.to())["t", 0] == 25


def test_a_recreated_topic_is_read_from_its_start(disk: Path, lake: Lake) -> None:
    kafkafmt.load(disk, lake.to())
    set_topic_id(disk, SECOND_ID)
    loaded = kafkafmt.load(disk, lake.to())
    assert [bool(re.match(r"t-0, t-1: the topic was recreated", note)) for note in loaded.notes] == [True]
    assert [(each.start_offset, each.end_offset, each.records) for each in loaded.done] == [(0, 10, 10), (0, 3, 3)]
    kept = offsets_of(lake.to())
    assert (dict(kept), dict(kept.topic_ids)) == ({("t", 0): 10, ("t", 1): 3}, {"t": SECOND_ID})
    assert kafkafmt.load(disk, lake.to()).commits == []


def test_a_recreated_topic_whose_load_is_interrupted(disk: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    kafkafmt.load(disk, lake.to())
    set_topic_id(disk, SECOND_ID)
    for number in range(3):
        segment(disk / f"t-{number}", 0, *(batch(20 * each, 20, value=b"x" * 5000) for each in range(50)))
    set_topic_id(disk, SECOND_ID)
    segment(disk / "t-1", 0, batch(0, 5), broken(batch(5)), batch(6))
    with pytest.raises(kafkafmt.DataError):
        kafkafmt.load(disk, lake.to(), commit_bytes=1)
    kept = offsets_of(lake.to())
    assert (dict(kept), dict(kept.topic_ids)) == ({("t", 0): 1000, ("t", 1): 5}, {"t": SECOND_ID})
    segment(disk / "t-1", 0, batch(0, 7))
    kafkafmt.load(disk, lake.to())
    found = lake.offsets()
    assert found["t", 0] == sorted([*range(10), *range(1000)])
    assert found["t", 1] == sorted([*range(3), *range(7)])
    assert found["t", 2] == [*range(1000)]


def test_damage(disk: Path, lake: Lake) -> None:
    segment(disk / "t-1", 0, batch(0, 3), broken(batch(3, 2)), batch(5, 2))
    with pytest.raises(kafkafmt.ChecksumError):
        kafkafmt.load(disk, lake.to())
    assert lake.offsets() == {("t", 0): [*range(10)], ("t", 1): [0, 1, 2]}  # what comes before it
    with pytest.raises(kafkafmt.ChecksumError):
        kafkafmt.load(disk, lake.to())
    loaded = kafkafmt.load(disk, lake.to(), on_damage="skip")
    assert [(each.first_offset, each.last_offset) for each in loaded.damage] == [(3, 4)]
    assert lake.offsets() == {("t", 0): [*range(10)], ("t", 1): [0, 1, 2, 5, 6]}
    assert kafkafmt.load(disk, lake.to()).commits == []


def test_a_table_of_another_program(disk: Path, lake: Lake) -> None:
    fill(lake)
    with pytest.raises(SourceError, match="no load has written"):
        kafkafmt.load(disk, lake.to())
    if lake.kind == "directory":
        return
    loaded = kafkafmt.load(disk, lake.to(), start_offset={("t", 0): 7, ("t", 1): 2})
    assert loaded.rows_loaded == 4
    assert lake.offsets() == {("t", 0): [5, 7, 8, 9], ("t", 1): [2]}
    with pytest.raises(ValueError, match="says where to begin"):
        kafkafmt.load(disk, lake.to(), start_offset=0)
    fill(lake, "u")
    with pytest.raises(SourceError, match="no load has written"):
        offsets_of(lake.to("u"))


def fill(lake: Lake, name: str = "t") -> None:
    rows = pa.table({"topic": ["t"], "partition": pa.array([0], pa.int32()), "offset": [5]})
    if lake.kind == "directory":
        (lake.place / name).mkdir()
        (lake.place / name / "x.parquet").write_bytes(b"")
    elif lake.kind == "delta":
        from deltalake import write_deltalake

        write_deltalake(lake.place / name, rows)
    else:
        from pyiceberg.catalog import load_catalog

        catalog = load_catalog("test")
        catalog.create_namespace_if_not_exists("db")
        catalog.create_table(f"db.{name}", rows.schema).append(rows)


def test_a_directory_of_another_kind(disk: Path, tmp_path: Path) -> None:
    kafkafmt.load(disk, tmp_path / "lake")
    with pytest.raises(SourceError, match="is not empty, and is not a Delta table"):
        kafkafmt.load(disk, f"delta:{tmp_path / 'lake'}")
    kafkafmt.load(disk, f"delta:{tmp_path / 'delta'}")
    with pytest.raises(
        SourceError, match=f"no load has written it: .* delta:{tmp_path / 'delta'} loads into a Delta table"
    ):
        kafkafmt.load(disk, tmp_path / "delta")


# A limit on the size of files imitates a full disk: writing fails as it does there.
_FULL = """
import resource, signal, sys
sys.dont_write_bytecode = True  # Python does not notice that a module's file is cut
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
sys.dont_write_bytecode = True  # Python would keep it cut at the limit
from kafkafmt.cli.main import main
sys.exit(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["directory", "delta"])
def test_a_full_disk_is_one_error_and_no_rows(tmp_path: Path, kind: str) -> None:
    lake = Lake(tmp_path, kind)
    source = GOLDEN / "modern/15-large-4.3.1/log-dir"
    command = [sys.executable, "-c", _FULL, "load", str(source), "--to", lake.to()]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert "cannot be written" in done.stderr
    assert not list(tmp_path.rglob("*.parquet"))
    assert not lake.table().num_rows


def test_a_table_that_was_not_made_completely_is_taken(disk: Path, tmp_path: Path) -> None:
    log = tmp_path / "t" / "_delta_log"
    log.mkdir(parents=True)
    (log / "_commit_5d2f.json.tmp").write_bytes(b"{")
    kafkafmt.load(disk, f"delta:{tmp_path / 't'}")
    assert Lake(tmp_path, "delta").table().num_rows
    (tmp_path / "u" / "_delta_log").mkdir(parents=True)
    (tmp_path / "u" / "x.parquet").write_bytes(b"")
    with pytest.raises(SourceError, match="is not empty, and is not a Delta table"):
        kafkafmt.load(disk, f"delta:{tmp_path / 'u'}")


def test_an_empty_table_is_taken(disk: Path, lake: Lake) -> None:
    if lake.kind == "directory":
        (lake.place / "t").mkdir()
    elif lake.kind == "delta":
        from deltalake import DeltaTable

        DeltaTable.create(lake.place / "t", pa.schema([("offset", pa.int64()), ("more", pa.string())]))
    else:
        from pyiceberg.catalog import load_catalog

        load_catalog("test").create_namespace("db")
        load_catalog("test").create_table("db.t", pa.schema([("offset", pa.int64()), ("more", pa.string())]))
    assert kafkafmt.load(disk, lake.to()).rows_loaded == 13
    assert len(lake.places()) == 13


def test_a_start_for_every_partition_holds_after_an_interruption(disk: Path, lake: Lake) -> None:
    for number in range(2):
        segment(disk / f"t-{number}", 0, *(batch(20 * each, 20, value=b"x" * 5000) for each in range(50)))
    segment(disk / "t-0", 1000, broken(batch(1000)), batch(1001))
    with pytest.raises(kafkafmt.DataError):
        kafkafmt.load(disk, lake.to(), start_offset=990)
    assert lake.offsets() == {("t", 0): [*range(990, 1000)]}
    (disk / "t-0" / f"{1000:020d}.log").unlink()
    kafkafmt.load(disk, lake.to())
    assert lake.offsets() == {("t", 0): [*range(990, 1000)], ("t", 1): [*range(990, 1000)]}


def test_a_start_after_all_records_is_where_the_next_load_begins(disk: Path, lake: Lake) -> None:
    first = kafkafmt.load(disk, lake.to(), start_offset={("t", 0): 10, ("t", 1): 3})
    assert (first.rows_loaded, len(first.commits)) == (0, 1)
    assert offsets_of(lake.to()) == {("t", 0): 10, ("t", 1): 3}
    segment(disk / "t-0", 10, batch(10, 2))
    assert kafkafmt.load(disk, lake.to()).rows_loaded == 2
    assert lake.offsets() == {("t", 0): [10, 11]}


def test_a_start_that_would_repeat_rows_is_refused(disk: Path, lake: Lake) -> None:
    starts: list[tuple[object, type[Exception], str]] = [
        ({("t", 0): 5, ("t", 1): 3, ("s", 0): 5}, NotFoundError, "is given for s-0, which does not exist"),
        ({"t": {0: 5, 1: 3, 2: 5}}, NotFoundError, "start_offset is given for t-2"),
        ({("t", 0): 11, ("t", 1): 3}, ValueError, r"beyond the log end of t-0 \(10\): a later load would"),
        (4, ValueError, r"start_offset is beyond the log end of t-1 \(3\)"),
    ]
    if lake.kind != "directory":
        fill(lake)
        unsaid = r"start_offset has no offset for t-1, whose records the table may have already: give 0"
        starts += [({("t", 0): 5}, ValueError, unsaid), (Offsets({("t", 0): 5}), ValueError, unsaid)]
    for start, error, said in starts:
        with pytest.raises(error, match=said):
            kafkafmt.load(disk, lake.to(), start_offset=start)  # type: ignore[arg-type]
    kafkafmt.load(disk, lake.to(), start_offset={("t", 0): 5, ("t", 1): 3})


def test_a_start_below_the_log_start_loses_nothing(disk: Path, lake: Lake) -> None:
    segment(disk / "u-0", 5, batch(5))
    loaded = kafkafmt.load(disk, lake.to(), start_offset=0)
    assert (loaded.notes, loaded.rows_loaded) == ([], 14)


def test_what_a_table_cannot_continue(disk: Path, lake: Lake) -> None:
    with pytest.raises(ValueError, match="start_offset"):
        kafkafmt.load(kafkafmt.scan(disk, start_offset=3), lake.to())
    with pytest.raises(ValueError, match="compacted"):
        kafkafmt.load(kafkafmt.scan(disk, compacted=True), lake.to())
    with pytest.raises(ValueError, match="has its arguments already"):
        kafkafmt.load(kafkafmt.scan(disk), lake.to(), topics="t")
    segment(disk / "copied", 0)
    with pytest.raises(ValueError, match="copied is not named <topic>-<partition>"):
        kafkafmt.load(disk / "copied", lake.to())
    with pytest.raises(kafkafmt.NotFoundError):
        kafkafmt.load(disk, lake.to(), topics="nope")
    assert not lake.table().num_columns


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"partition_by": "day"}, TypeError, "partition_by must be a list of names, not the str 'day'"),
        ({"columns": "offset"}, TypeError, "columns must be a list of names, not the str 'offset'"),
        ({"start_offset": -1}, ValueError, "start_offset must be 0 or more, not -1"),
        ({"start_offset": {("t", 0): -2}}, ValueError, "start_offset must be 0 or more, not -2"),
    ],
)
def test_wrong_arguments(
    disk: Path, tmp_path: Path, arguments: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        kafkafmt.load(disk, tmp_path / "lake", **arguments)
    assert not list(tmp_path.glob("lake/*"))


def test_no_table_is_made_of_nothing(tmp_path: Path, lake: Lake) -> None:
    segment(tmp_path / "disk" / "t-0", 0, b"")
    assert kafkafmt.load(tmp_path / "disk", lake.to()).commits == []
    assert not lake.table().num_columns


def test_a_scan_with_filters(disk: Path, lake: Lake) -> None:
    import pyarrow.compute as pc

    found = kafkafmt.scan(disk, topics="t", end_offset=5).filter(pc.field("offset") >= 2)
    kafkafmt.load(found, lake.to())
    assert lake.offsets() == {("t", 0): [2, 3, 4], ("t", 1): [2]}
    assert dict(offsets_of(lake.to())) == {("t", 0): 5, ("t", 1): 3}


def test_read_committed_ends_at_the_last_stable_offset(lake: Lake) -> None:
    kafkafmt.load(TRANSACTIONS, lake.to(), isolation_level="read_committed")
    expected = kafkafmt.scan(TRANSACTIONS, isolation_level="read_committed")
    topics = {each.topic for each in expected.partitions if each.topic and not each.topic.startswith("__")}
    rows = kafkafmt.scan(
        TRANSACTIONS, topics=topics, isolation_level="read_committed", columns=["topic", "partition", "offset"]
    )
    assert lake.places() == sorted(tuple(each.values()) for each in rows.to_table().to_pylist())


def test_internal_topics_only_if_named(lake: Lake) -> None:
    kafkafmt.load(SHOP, lake.to())
    assert {topic for topic, _ in lake.offsets()} == {"orders", "payments", "customers", "page-views"}
    kafkafmt.load(SHOP, lake.to("u"), topics="__consumer_offsets")
    assert {topic for topic, _ in lake.offsets("u")} == {"__consumer_offsets"}


def test_high_watermark(disk: Path, lake: Lake) -> None:
    checkpoint(disk, "replication-offset-checkpoint", {("t", 0): 4, ("t", 1): 3})
    kafkafmt.load(disk, lake.to(), end_offset="high_watermark")
    assert lake.offsets() == {("t", 0): [0, 1, 2, 3], ("t", 1): [0, 1, 2]}


def test_a_log_that_was_cut(disk: Path, lake: Lake) -> None:
    kafkafmt.load(disk, lake.to())
    segment(disk / "t-0", 0, batch(0, 4))
    [note] = kafkafmt.load(disk, lake.to()).notes
    assert "the log was cut: it ends at offset 4" in note
    segment(disk / "t-0", 0, batch(0, 4), batch(4, 2))
    assert kafkafmt.load(disk, lake.to()).rows_loaded == 2


def test_a_source_is_not_written_to(disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for to in (str(disk / "lake"), f"delta:{disk / 'lake'}", str(disk / "t-0" / "x"), f"delta:{disk / 't-0' / 'x'}"):
        with pytest.raises(SourceError, match="inside a source"):
            kafkafmt.load(disk, to)
    assert sorted(each.name for each in disk.iterdir()) == ["t-0", "t-1"]
    (disk / "meta.properties").write_text("version=1\n")
    shutil.copytree(disk, tmp_path / "copy")
    with pytest.raises(SourceError, match="which has Kafka files"):
        kafkafmt.load(tmp_path / "copy", f"delta:{disk / 'lake'}")
    inside = make_lake("iceberg", disk / "ice", monkeypatch)
    with pytest.raises(SourceError, match=r"inside a source|Kafka files"):
        kafkafmt.load(disk, inside.to())


def test_timestamps_beyond_the_types_of_tables_are_null(disk: Path, lake: Lake) -> None:
    segment(disk / "t-1", 0, batch(0, 2, timestamp=1_795_882_184_080_000_000))  # nanoseconds
    loaded = kafkafmt.load(disk, lake.to(), topics={"t": 1}, columns=["topic", "partition", "offset", "timestamp"])
    assert len(lake.places()) == 2
    found = [str(note) for note in loaded.notes if note.is_finding]
    if lake.kind == "directory":
        assert found == []
    else:
        assert found == ["2 timestamps beyond the years that the table can store: null there"]
        assert lake.table().column("timestamp").to_pylist() == [None, None]


def numbers(lake: Lake, name: str = "t") -> list[int | None]:
    """Timestamps of a table as numbers, ms in a directory, else us."""
    table = lake.table(name)
    return [value.value for value in table.sort_by("offset").column("timestamp")]


def test_timestamps_after_the_year_9999_are_kept(disk: Path, lake: Lake) -> None:
    segment(disk / "t-1", 0, batch(0, 1, timestamp=1_795_882_184_080_000), batch(1, 1, timestamp=4))  # microseconds
    columns = ["topic", "partition", "offset", "timestamp"]
    loaded = kafkafmt.load(disk, lake.to(), topics={"t": 1}, columns=columns)
    assert [str(note) for note in loaded.notes if note.is_finding] == []
    unit = 1 if lake.kind == "directory" else 1000
    assert numbers(lake) == [1_795_882_184_080_000 * unit, 4 * unit]


@pytest.mark.parametrize("divider", ["day", "hour"])
def test_a_table_of_days_has_no_timestamps_after_the_year_9999(disk: Path, lake: Lake, divider: str) -> None:
    segment(disk / "t-1", 0, batch(0, 1, timestamp=1_795_882_184_080_000), batch(1, 1, timestamp=4))
    columns = ["topic", "partition", "offset", "timestamp"]
    loaded = kafkafmt.load(disk, lake.to(), topics={"t": 1}, columns=columns, partition_by=[divider])
    found = [str(note) for note in loaded.notes if note.is_finding]
    if lake.kind == "directory" or (lake.kind, divider) == ("delta", "hour"):
        assert found == []
    else:
        assert found == ["1 timestamp beyond the years that the table can store: null there"]
        assert numbers(lake) == [None, 4000]
    assert lake.offsets() == {("t", 1): [0, 1]}


def test_a_table_of_days_without_the_column_timestamp(disk: Path, tmp_path: Path) -> None:
    segment(disk / "t-1", 0, batch(0, 1, timestamp=1_795_882_184_080_000))
    to = f"delta:{tmp_path / 'days'}"
    loaded = kafkafmt.load(disk, to, topics={"t": 1}, columns=["offset"], partition_by=["day"])
    assert "1 timestamp beyond the years" in str(loaded.notes[-1])
    assert kafkafmt.load(disk, to, topics={"t": 1}, columns=["offset"]).commits == []


def test_columns(disk: Path, lake: Lake) -> None:
    names = ["offset", "magic", "compression", "isTransactional", "producerEpoch"]
    kafkafmt.load(disk, lake.to(), columns=names)
    assert lake.table().column_names == names
    with pytest.raises(ValueError, match="unknown columns"):
        kafkafmt.load(disk, lake.to("u"), columns=["nope"])
