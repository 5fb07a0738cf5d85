"""Pruning by a filter expression: files and batches that cannot match are not read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import ChecksumError
from kafkafmt.columns import SCHEMA
from kafkafmt.scanning.row_expression import RowBounds, row_expression
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, segment
from tests.scanning.test_scan import broken

NAMES = ("01-codecs-4.3.1", "04-transactions-4.3.1", "m1-codecs-0.10.2.2", "05b-cleaning-in-flight-3.9.1")
CASES = {case.name: case for case in cases() if case.name in NAMES}
OFFSET, TIMESTAMP, TOPIC, PARTITION = map(pc.field, ("offset", "timestamp", "topic", "partition"))


EARLY, LATE = (pa.scalar(milliseconds, SCHEMA.field("timestamp").type) for milliseconds in (1000, 2000))


def write(tmp_path: Path) -> Path:
    """Write two topics of two partitions, each with 10 records at 0, 10 damaged ones at 10, and 10 at 20 in a new
    segment."""
    for topic in ("a", "b"):
        for partition in range(2):
            directory = tmp_path / f"{topic}-{partition}"
            segment(directory, 0, batch(0, 10), broken(batch(10, 10)))
            segment(directory, 20, batch(20, 10))
    return tmp_path


# RowBounds


@pytest.mark.parametrize(
    ("expression", "bounds"),
    [
        (OFFSET >= 5, RowBounds(start_offset=5)),
        ((OFFSET > 5) & (OFFSET <= 9), RowBounds(6, 10)),
        (OFFSET == 7, RowBounds(7, 8)),
        (OFFSET.isin([9, 4, 6]), RowBounds(4, 10)),
        ((OFFSET == 3) | ((OFFSET > 8) & (OFFSET < 12)), RowBounds(3, 12)),
        (~(OFFSET < 2**40), RowBounds(start_offset=2**40)),
        (~(TIMESTAMP < EARLY) & (TIMESTAMP < LATE), RowBounds(None, None, 1000, 2000)),
        ((pc.field("key") == b"k") & (OFFSET < 4), RowBounds(end_offset=4, key=b"k")),
        ((pc.field("key") == b"k") | (OFFSET < 4), RowBounds()),
        (pc.field("value") == b"offset", RowBounds(value=b"offset")),
        ((OFFSET >= 5) | (PARTITION == 1), RowBounds()),
    ],
    ids=str,
)
def test_bounds_are_found(expression: pc.Expression, bounds: RowBounds) -> None:
    assert row_expression(expression).bounds == bounds


# What is not read


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        (OFFSET >= 20, 40),
        ((OFFSET >= 20) & (TOPIC == "a"), 20),
        ((TOPIC == "a") & (OFFSET < 10), 20),
        (((TOPIC == "a") & (PARTITION == 1) & (OFFSET > 19)) | ((TOPIC == "b") & (OFFSET == 23)), 12),
        (pc.field("file") == "a-1/00000000000000000020.log", 10),
        (TOPIC == "c", 0),
    ],
    ids=str,
)
def test_damage_outside_of_what_may_be_kept_is_not_met(tmp_path: Path, expression: pc.Expression, rows: int) -> None:
    scan = kafkafmt.scan(write(tmp_path)).filter(expression)
    table = scan.to_table()
    assert table.num_rows == rows
    assert scan.count() == rows
    assert table.filter(expression).num_rows == rows
    for more in (TOPIC == "a", OFFSET == 12):
        with pytest.raises(ChecksumError):
            kafkafmt.scan(tmp_path).filter(more).to_table()


def test_what_is_true_of_a_whole_file_is_counted_by_headers(tmp_path: Path) -> None:
    # A batch with a wrong CRC is counted by its header, and is an error only when decoded.
    scan = kafkafmt.scan(write(tmp_path))
    assert scan.filter(TOPIC == "a").count() == 60
    assert scan.filter((TOPIC == "a") & (OFFSET >= 5) & (OFFSET < 25)).count() == 40
    assert scan.filter((TOPIC == "a") | (OFFSET >= 20)).count() == 80
    for expression in ((TOPIC == "a") & (pc.field("value") != b"x"), pc.field("key").is_valid()):
        with pytest.raises(ChecksumError):
            scan.filter(expression).count()


def test_batches_of_which_it_is_untrue_are_left_out_by_their_headers() -> None:
    case = CASES["04-transactions-4.3.1"]
    whole = kafkafmt.scan(case.log_dir, control_records=True).to_table()
    for expression in (
        pc.field("isTransactional"),
        pc.field("producerId") == whole.column("producerId")[5].as_py(),
        pc.field("producerId") == 99,
        (pc.field("magic") == 2) & (pc.field("compression") == "gzip"),
    ):
        scan = kafkafmt.scan(case.log_dir, control_records=True).filter(expression)
        expected = whole.filter(expression)
        assert scan.to_table().equals(expected)
        listed = [(each.file, each.position) for each in scan.batches()]
        kept = set(zip(*(expected.column(name).to_pylist() for name in ("file", "position")), strict=True))
        assert kept <= set(listed)
        assert len(listed) < len(list(kafkafmt.scan(case.log_dir, control_records=True).batches()))


# The same rows for every query


def leaf(draw: st.DrawFn) -> pc.Expression:
    offset, stamp = draw(st.integers(-2, 40)), draw(st.integers(-1, 2**41))
    compare: Callable[[Any, Any], Any] = draw(
        st.sampled_from(
            [
                lambda a, b: a == b,
                lambda a, b: a != b,
                lambda a, b: a < b,
                lambda a, b: a <= b,
                lambda a, b: a > b,
                lambda a, b: a >= b,
            ]
        )
    )
    expression: pc.Expression = draw(
        st.sampled_from(
            [
                compare(OFFSET, offset),
                compare(pc.field("baseOffset"), offset),
                compare(OFFSET, offset + 0.5),
                compare(TIMESTAMP, pa.scalar(stamp, SCHEMA.field("timestamp").type)),
                compare(PARTITION, offset % 4),
                compare(TOPIC, draw(st.sampled_from(["", "gzip", "m1-zstd", "tx", "zstd"]))),
                compare(pc.field("key"), draw(st.sampled_from([b"k1", b"key-1", b""]))),
                compare(pc.field("compression"), draw(st.sampled_from(["none", "gzip", "lz4"]))),
                compare(pc.field("magic"), offset % 3),
                compare(pc.field("producerId"), offset % 5 - 1),
                pc.field("isTransactional"),
                pc.field("key").is_null(),
                pc.field("topic").is_valid(),
                OFFSET.isin([offset, offset + 3]),
                pc.match_substring(TOPIC, "z"),
                PARTITION.cast(pa.int64()) + OFFSET > offset,
            ]
        )
    )
    return expression


@st.composite
def expressions(draw: st.DrawFn) -> pc.Expression:
    expression = leaf(draw)
    for _ in range(draw(st.integers(0, 3))):
        other = leaf(draw)
        expression = draw(st.sampled_from([expression & other, expression | other, ~expression, expression & ~other]))
    return expression


@pytest.fixture(scope="module")
def tables() -> dict[str, tuple[Case, pa.Table]]:
    return {name: (case, kafkafmt.scan(case.log_dir, on_damage="skip").to_table()) for name, case in CASES.items()}


@pytest.mark.slow
@pytest.mark.hypothesis
@given(expression=expressions(), name=st.sampled_from(NAMES), engine=st.sampled_from(["columnar", "reference"]))
def test_rows_are_those_that_arrow_keeps_of_all(
    tables: dict[str, tuple[Case, pa.Table]], expression: pc.Expression, name: str, engine: Any
) -> None:
    case, table = tables[name]
    expected = table.filter(expression)
    scan = kafkafmt.scan(case.log_dir, on_damage="skip", filter=expression, engine=engine)
    assert scan.to_table().equals(expected)
    assert scan.select(["offset"]).to_table().equals(expected.select(["offset"]))
    assert scan.count(verify_checksums=True) == expected.num_rows
