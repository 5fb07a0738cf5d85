"""Filter expressions, selected columns, and readers: new scans of the same files, each pass reporting its own
damage."""

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt import ChecksumError, Reader
from kafkafmt.columns import SCHEMA
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, segment
from tests.scanning.test_scan import broken

pytestmark = pytest.mark.usefixtures("engine")

NAMES = (
    "01-codecs-4.3.1",
    "04-transactions-4.3.1",
    "12-crash-4.3.1",
    "damaged-m1-0.10.2.2",
    "m1-codecs-0.10.2.2",
)
CASES = [case for case in cases() if case.name in NAMES]
EXPRESSIONS = {
    "offset": pc.field("offset") >= 3,
    "text of another column": pc.field("topic") == "offset",
    "two columns": (pc.field("offset") > 2) & ~pc.field("isControl"),
    "null drops": pc.field("key") > b"b",
    "function": pc.list_value_length(pc.field("headers")) > 0,
    "by number": pc.field(SCHEMA.get_field_index("offset")) < 5,
    "by number and names": (pc.field(SCHEMA.get_field_index("key")) != b"k") & (pc.field("offset") != 9),
    "bytes that are no text": pc.field("value") != b"\xff",
    "values": pc.field("compression").isin(["gzip", "zstd"]),
    "all": pc.scalar(True),  # noqa: FBT003
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_filter_keeps_what_arrow_keeps_of_the_whole_table_whatever_is_selected(case: Case) -> None:
    scan = kafkafmt.scan(case.log_dir, on_damage="skip")
    table = scan.to_table()
    damage = [(each.file, each.position) for each in scan.damage]
    for name, expression in EXPRESSIONS.items():
        filtered = scan.filter(expression)
        expected = table.filter(expression)
        assert filtered.to_table().equals(expected)
        met = [(each.file, each.position) for each in filtered.damage]
        assert met == damage if name in ("null drops", "function", "by number", "all") else set(met) <= set(damage)
        selected = filtered.select(["value", "partition"])
        assert selected.to_table().equals(expected.select(["value", "partition"]))
        assert selected.count(verify_checksums=True) == expected.num_rows
        for count in (0, 7):
            assert selected.head(count).read_all().num_rows == min(count, expected.num_rows)
            assert filtered.head(count).read_all().equals(expected.slice(0, count))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_splits_and_tails_are_filtered_as_the_scan_is(case: Case) -> None:
    scan = kafkafmt.scan(case.log_dir, on_damage="skip", columns=["topic", "partition", "offset"])
    filtered = scan.filter((pc.field("offset") > 2) & (pc.field("magic") > 0))
    expected = filtered.to_table()
    plan = filtered.plan(max_split_bytes=500)
    reading, splits = pickle.loads(pickle.dumps((plan.reading, plan.splits)))
    batches = [rows for split in splits for rows in reading.read(split)]
    assert pa.Table.from_batches(batches, schema=reading.schema).equals(expected)
    assert sum(reading.count(split, verify_checksums=True) for split in splits) == expected.num_rows
    last: dict[Any, list[Any]] = {}
    for row in expected.to_pylist():
        last.setdefault((row["topic"], row["partition"]), []).append(row)
    assert filtered.tail(3).read_all().to_pylist() == [row for rows in last.values() for row in rows[-3:]]


def test_filters_and_selections_chain_and_leave_the_scan_as_it_is(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 900))
    scan = kafkafmt.scan(tmp_path, filter=pc.field("offset") >= 10, columns=["offset"])
    narrower = (
        scan.filter(pc.field("offset") < 20).select(["partition", "value", "offset"]).filter(pc.field("magic") == 2)
    )
    assert narrower.schema.names == ["partition", "value", "offset"]
    assert narrower.to_table().column("offset").to_pylist() == list(range(10, 20))
    assert scan.schema.names == ["offset"]
    assert (scan.count(), kafkafmt.scan(tmp_path).count()) == (890, 900)
    assert narrower.narrowed(start_offset=15).count() == 5
    assert narrower.select(None).schema == SCHEMA
    assert pa.table(narrower).num_rows == 10


def test_a_head_decodes_no_more_than_it_takes(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 5000), broken(batch(5000)))
    scan = kafkafmt.scan(tmp_path).filter(pc.field("offset") >= 100)
    assert scan.head(3).read_all().column("offset").to_pylist() == [100, 101, 102]
    with pytest.raises(ChecksumError):
        scan.to_table()


@pytest.mark.parametrize(
    ("expression", "error", "message"),
    [
        (pc.field("nope") > 1, ValueError, r"nope.* does not fit the columns \['key', .*FieldRef.Name\(nope\)$"),
        (pc.field("offset") == "x", ValueError, "offset.*does not fit the columns"),
        (pc.field("offset"), TypeError, "the filter offset cannot be used: .*bool"),
        ("offset > 1", TypeError, "a filter must be an expression of pyarrow.compute over columns, not 'offset > 1'"),
        (None, TypeError, "not None"),
    ],
)
def test_an_expression_that_makes_no_sense_is_refused_at_once(
    tmp_path: Path, expression: Any, error: type[Exception], message: str
) -> None:
    segment(tmp_path / "t-0", 0)
    with pytest.raises(error, match=message):
        kafkafmt.scan(tmp_path).filter(expression)
    if expression is not None:
        with pytest.raises(error, match=message):
            kafkafmt.scan(tmp_path, filter=expression)


def test_an_expression_that_fails_on_a_record_is_an_error_of_arrow(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 3))
    scan = kafkafmt.scan(tmp_path).filter(pc.field("value").cast(pa.string()).cast(pa.int32()) > 0)
    with pytest.raises(pa.ArrowInvalid):
        scan.to_table()


@pytest.mark.parametrize("columns", [["nope"], [], ["offset", "offset"]])
def test_a_selection_that_makes_no_sense_is_refused(tmp_path: Path, columns: list[str]) -> None:
    segment(tmp_path / "t-0", 0)
    with pytest.raises(ValueError, match="columns"):
        kafkafmt.scan(tmp_path).select(columns)
    with pytest.raises(TypeError, match="list of names"):
        kafkafmt.scan(tmp_path, columns="offset")


# Readers


@pytest.mark.slow
def test_batches_and_a_data_frame_are_those_of_the_table(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 9000))
    scan = kafkafmt.scan(tmp_path, columns=["offset", "value"])
    table = scan.to_table()
    assert pa.Table.from_batches(scan.to_batches(), schema=scan.schema).equals(table)
    frame = scan.to_pandas()
    assert list(frame.columns) == ["offset", "value"]
    assert frame["offset"].tolist() == list(range(9000))


def test_a_reader_gives_its_batches_once_in_every_way(tmp_path: Path) -> None:
    for number in range(3):
        segment(tmp_path / f"t-{number}", 0, batch(0, 9000))
    scan = kafkafmt.scan(tmp_path, columns=["offset"])
    with scan.to_reader() as reader:
        assert isinstance(reader, Reader)
        assert reader.schema == scan.schema
        rows = reader.read_next_batch().num_rows
        rows += next(iter(reader)).num_rows
        left = pa.RecordBatchReader.from_stream(reader).read_all()
        assert 0 < rows < rows + left.num_rows == 27_000
    assert list(reader) == []
    closed = scan.to_reader()
    closed.close()
    assert closed.read_all().num_rows == 0
    with pytest.raises(StopIteration):
        closed.read_next_batch()
    assert repr(reader) == "<Reader of offset>"


@pytest.mark.slow
def test_damage_belongs_to_a_pass_and_the_scan_has_that_of_the_last_one_that_ended(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, broken(batch(0)), batch(1, 20_000))
    segment(tmp_path / "t-1", 0, broken(batch(0)), batch(1, 20_000))
    scan = kafkafmt.scan(tmp_path, on_damage="skip", columns=["offset"])
    first, second = scan.to_reader(), scan.to_reader()
    assert (first.damage, scan.damage) == ([], [])
    first.read_next_batch()
    assert [each.partition for each in first.damage] == [0]
    assert (second.damage, scan.damage) == ([], [])
    second.read_all()
    assert [each.partition for each in second.damage] == [0, 1]
    assert scan.damage == second.damage
    first.close()
    assert [each.partition for each in scan.damage] == [0]
    assert scan.damage is first.damage
    raising = kafkafmt.scan(tmp_path)
    reader = raising.to_reader()
    with pytest.raises(ChecksumError):
        reader.read_all()
    assert (reader.damage, raising.damage) == ([], [])
    assert scan.filter(pc.field("offset") > 0).damage == []
