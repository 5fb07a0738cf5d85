"""Arrow and Parquet files: DuckDB, Polars, pandas and pyarrow read back what was written, types included."""

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kafkafmt
from kafkafmt.cli.output import Form, Kind, binary_forms, open_output
from kafkafmt.cli.output.destination import Destination
from tests.golden_cases import cases

CASE = next(case for case in cases("modern") if case.name == "02-timestamps-4.3.1")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[pa.Table, Path, Path]:
    """A golden case as a table, a Parquet file and an Arrow file."""
    directory = tmp_path_factory.mktemp("columns")
    scan = kafkafmt.scan(CASE.log_dir)
    kinds: tuple[Kind, ...] = ("parquet", "arrow")
    for kind in kinds:
        with open_output(Form(kind, str(directory / f"rows.{kind}")), scan.schema) as output:
            for batch in scan.to_reader():
                output.write(batch)
    return scan.to_table(), directory / "rows.parquet", directory / "rows.arrow"


def test_pyarrow_reads_the_same_table(written: tuple[pa.Table, Path, Path]) -> None:
    table, parquet, arrow = written
    assert pq.read_table(parquet).cast(table.schema).equals(table)
    with pa.OSFile(str(arrow)) as file:
        assert pa.ipc.open_file(file).read_all().equals(table)


def test_polars_reads_both(written: tuple[pa.Table, Path, Path]) -> None:
    polars = pytest.importorskip("polars", reason="pip install polars")
    table, parquet, arrow = written
    for frame in (polars.read_parquet(parquet), polars.read_ipc(arrow)):
        assert frame.columns == table.schema.names
        assert frame["timestamp"].cast(polars.Int64).to_list() == table["timestamp"].cast("int64").to_pylist()
        assert frame["value"].to_list() == table["value"].to_pylist()


def test_duckdb_reads_both(written: tuple[pa.Table, Path, Path]) -> None:
    duckdb = pytest.importorskip("duckdb", reason="pip install duckdb")
    table, parquet, arrow = written
    expected: list[Any] = list(zip(table["topic"].to_pylist(), table["offset"].to_pylist(), strict=True))
    connection = duckdb.connect()
    query = 'select topic, "offset" from {} order by file, position, "offset"'
    assert sorted(connection.execute(query.format(f"'{parquet}'")).fetchall()) == sorted(expected)
    with pa.OSFile(str(arrow)) as file:
        connection.register("rows", pa.ipc.open_file(file).read_all())
        assert sorted(connection.execute(query.format("rows")).fetchall()) == sorted(expected)


def test_pandas_reads_both(written: tuple[pa.Table, Path, Path]) -> None:
    pandas = pytest.importorskip("pandas", reason="pip install pandas")
    table, parquet, arrow = written
    for frame in (pandas.read_parquet(parquet, columns=["offset"]), pandas.read_feather(arrow, columns=["offset"])):
        assert frame["offset"].to_list() == table["offset"].to_pylist()


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_rows_come_in_groups_of_a_sensible_size(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary_forms, "GROUP_ROWS", 100)
    schema = pa.schema([("offset", pa.int64())])
    stream = io.BytesIO()
    writer = binary_forms.open_writer(kind, Destination(stream, is_terminal=False, is_file=True), schema)
    for begin in range(0, 250, 10):
        writer.write(pa.RecordBatch.from_pydict({"offset": range(begin, begin + 10)}, schema))
    writer.finish()
    if kind == "parquet":
        file = pq.ParquetFile(io.BytesIO(stream.getvalue()))
        assert [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)] == [100, 100, 50]
    else:
        reader = pa.ipc.open_file(io.BytesIO(stream.getvalue()))
        assert [reader.get_batch(number).num_rows for number in range(reader.num_record_batches)] == [100, 100, 50]


def test_large_rows_make_a_group_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary_forms, "GROUP_BYTES", 1000)
    schema = pa.schema([("value", pa.binary())])
    stream = io.BytesIO()
    writer = binary_forms.open_writer("parquet", Destination(stream, is_terminal=False, is_file=True), schema)
    for _ in range(3):
        writer.write(pa.RecordBatch.from_pydict({"value": [b"v" * 2000]}, schema))
    writer.finish()
    assert pq.ParquetFile(io.BytesIO(stream.getvalue())).num_row_groups == 3


def test_a_pipe_gets_the_streaming_format() -> None:
    schema = pa.schema([("offset", pa.int64())])
    stream = io.BytesIO()
    writer = binary_forms.open_writer("arrow", Destination(stream, is_terminal=False, is_file=False), schema)
    writer.finish()
    assert pa.ipc.open_stream(stream.getvalue()).schema == schema


def test_an_abandoned_parquet_file_has_no_end() -> None:
    schema = pa.schema([("offset", pa.int64())])
    stream = io.BytesIO()
    destination = Destination(stream, is_terminal=False, is_file=False)
    writer = binary_forms.open_writer("parquet", destination, schema)
    destination.abandon()
    destination.flush()
    del writer
    with pytest.raises(pa.ArrowInvalid):
        pq.read_table(io.BytesIO(stream.getvalue()))


def test_parquet_has_statistics_of_all_columns_but_values() -> None:
    stream = io.BytesIO()
    schema = pa.schema([("key", pa.binary()), ("value", pa.binary()), ("offset", pa.int64())])
    writer = binary_forms.open_writer("parquet", Destination(stream, is_terminal=False, is_file=True), schema)
    writer.write(pa.RecordBatch.from_pydict({"key": [b"k"], "value": [b"v"], "offset": [7]}, schema=schema))
    writer.finish()
    group = pq.ParquetFile(io.BytesIO(stream.getvalue())).metadata.row_group(0)
    assert [group.column(number).is_stats_set for number in range(3)] == [True, False, True]
    assert group.column(2).statistics.max == 7
