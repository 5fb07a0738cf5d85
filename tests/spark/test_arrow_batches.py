"""Record batches of kafkafmt in the form that Spark accepts."""

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema

import kafkafmt
from kafkafmt.columns import SCHEMA
from pyspark_kafkafmt.arrow_batches import ROWS, SparkBatches, microseconds
from pyspark_kafkafmt.columns import FIRST_MS, LAST_MS, record_columns, select_columns
from tests.golden_cases import GOLDEN

CODECS = GOLDEN / "modern/01-codecs-4.3.1/log-dir"
ALL = list(record_columns())


def converted(names: list[str], batch: pa.RecordBatch, corrupt: str | None = None) -> list[pa.RecordBatch]:
    return list(SparkBatches(names, corrupt).convert(batch))


def test_types_are_those_that_spark_makes_of_the_schema() -> None:
    expected = to_arrow_schema(select_columns(record_columns(), None), timezone="UTC")
    assert SparkBatches(ALL, None).schema.equals(expected)


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_batches_have_the_schema_and_are_valid(engine: str) -> None:
    batches = SparkBatches([*ALL, "_corrupt"], "_corrupt")
    scan = kafkafmt.scan(CODECS, columns=batches.source_columns, engine=engine)  # type: ignore[arg-type]
    rows = 0
    for batch in scan.to_reader():
        for part in batches.convert(batch):
            part.validate(full=True)
            assert part.schema.equals(batches.schema)
            assert part.column("headers").to_pylist() == batch.column("headers").to_pylist()
            assert part.column("_corrupt").null_count == part.num_rows
            rows += part.num_rows
    assert rows == scan.count()


def test_headers_of_a_slice_are_those_of_its_rows() -> None:
    table = kafkafmt.scan(CODECS, columns=["headers"]).to_table().combine_chunks()
    batch = table.to_batches()[0].slice(17, 99)
    (part,) = converted(["headers"], batch)
    part.validate(full=True)
    assert part.column(0).to_pylist() == table["headers"].slice(17, 99).to_pylist()


def test_batches_are_cut_without_copying() -> None:
    rows = 2 * ROWS + 5
    batch = pa.record_batch([pa.array(range(rows), pa.int64())], schema=pa.schema([SCHEMA.field("offset")]))
    parts = converted(["offset"], batch)
    assert [part.num_rows for part in parts] == [ROWS, ROWS, 5]
    assert pa.concat_arrays([part.column(0) for part in parts]).to_pylist() == list(range(rows))
    assert {part.column(0).buffers()[1].address for part in parts} == {batch.column(0).buffers()[1].address}


def test_without_columns_there_are_rows_still() -> None:
    batch = pa.record_batch([pa.array(range(ROWS + 1), pa.int64())], schema=pa.schema([SCHEMA.field("offset")]))
    assert SparkBatches([], None).source_columns == ["offset"]
    parts = converted([], batch)
    assert [(part.num_rows, part.num_columns) for part in parts] == [(ROWS, 0), (1, 0)]
    (alone,) = converted(["bad"], batch.slice(0, 3), "bad")
    assert alone.column("bad").to_pylist() == [None] * 3


def test_there_are_nulls_for_as_many_rows_as_it_takes() -> None:
    batches = SparkBatches(["bad"], "bad")
    for rows in (1, 3 * ROWS, 2):
        batch = pa.record_batch([pa.array(range(rows), pa.int64())], schema=pa.schema([SCHEMA.field("offset")]))
        assert sum(part.column(0).null_count for part in batches.convert(batch)) == rows


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0, -1, FIRST_MS, LAST_MS],
        [FIRST_MS - 1, FIRST_MS, -1, LAST_MS, LAST_MS + 1],
        [-(2**63), 2**63 - 1],
    ],
    ids=["none", "all fit", "some fit", "none fits"],
)
@pytest.mark.parametrize("skipped", [0, 1])
def test_timestamps_are_exact_or_null(values: list[int], skipped: int) -> None:
    stamps = pa.array([0] * skipped + values, pa.int64()).view(pa.timestamp("ms", "UTC")).slice(skipped)
    found = microseconds(stamps)
    found.validate(full=True)
    assert found.type == pa.timestamp("us", "UTC")
    expected = [value * 1000 if FIRST_MS <= value <= LAST_MS else None for value in values]
    assert found.cast(pa.int64()).to_pylist() == expected
