"""spark.read.format("kafkafmt") on a real session: its schema, and rows that are those of kafkafmt.scan."""

import re
import shutil
import textwrap
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import kafkafmt
import pyspark_kafkafmt
from pyspark_kafkafmt import KafkafmtDataSource, options, register
from tests.golden_cases import GOLDEN
from tests.spark.data_source_rows import load, load_all_columns, rows_of, scanned

pytestmark = pytest.mark.xdist_group("spark")

CODECS = GOLDEN / "modern/01-codecs-4.3.1/log-dir"
CASES = [
    CODECS,
    GOLDEN / "modern/02-timestamps-4.3.1/log-dir",
    GOLDEN / "modern/04-transactions-4.3.1/log-dir",
    GOLDEN / "modern/05c-swap-4.3.1/log-dir",
    GOLDEN / "modern/06-retention-4.3.1/log-dir",
    GOLDEN / "modern/07-three-nodes-diverged-4.3.1/log-dir",
    GOLDEN / "modern/13-names-4.3.1/log-dir",
    GOLDEN / "modern/14-running-4.3.1/log-dir",
    GOLDEN / "modern/15-large-4.3.1/log-dir",
    GOLDEN / "legacy/m0-codecs-0.8.2.2/log-dir",
    GOLDEN / "legacy/m1-codecs-0.10.2.2/log-dir",
    GOLDEN / "legacy/mixed-magic-2.8.2/log-dir",
    GOLDEN / "legacy/upgrade-0.8.2.2-to-2.8.2/log-dir",
]
KAFKA_SOURCE_SCHEMA = (
    "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,timestamp:timestamp,timestampType:int>"
)
METADATA = (
    "partitionLeaderEpoch:int,producerId:bigint,producerEpoch:smallint,sequence:int,isTransactional:boolean,"
    "isControl:boolean,controlType:string,magic:tinyint,compression:string,baseOffset:bigint,position:bigint,"
    "file:string,timestampMs:bigint"
)


@pytest.mark.slow
@pytest.mark.parametrize("log_dir", CASES, ids=lambda path: str(path.relative_to(GOLDEN)))
def test_rows_are_those_of_scan(spark: SparkSession, log_dir: Path) -> None:
    expected = scanned(log_dir)
    assert expected
    assert rows_of(load_all_columns(spark, log_dir)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["modern/04-transactions-4.3.1", "legacy/transactions-1.1.1"])
@pytest.mark.parametrize("level", ["read_uncommitted", "read_committed"])
def test_isolation_is_that_of_scan(spark: SparkSession, name: str, level: Any) -> None:
    log_dir = GOLDEN / name / "log-dir"
    expected = scanned(log_dir, isolation_level=level)
    everything = scanned(log_dir)
    assert (len(expected) < len(everything)) == (level == "read_committed")
    found = load_all_columns(spark, log_dir, **{"kafka.isolation.level": level, "maxPartitionBytes": 3000})
    assert found.rdd.getNumPartitions() > 3
    assert rows_of(found) == expected


@pytest.mark.slow
@pytest.mark.parametrize("bytes_each", [7_000, 50_000])
def test_rows_do_not_depend_on_how_they_are_split(spark: SparkSession, bytes_each: int) -> None:
    found = load_all_columns(spark, CODECS, maxPartitionBytes=bytes_each)
    assert found.rdd.getNumPartitions() > 1
    assert rows_of(found) == scanned(CODECS)


def test_rows_come_in_the_order_of_offsets_within_a_partition(spark: SparkSession) -> None:
    rows = load(spark, CODECS / "codec-none-0").select("offset").collect()
    assert [row.offset for row in rows] == sorted(row.offset for row in rows)
    assert rows


def test_the_default_schema_is_that_of_the_kafka_source(spark: SparkSession) -> None:
    schema = load(spark, CODECS).schema
    assert schema.simpleString() == KAFKA_SOURCE_SCHEMA
    assert all(field.nullable for field in schema)


def test_columns_are_appended_in_order(spark: SparkSession) -> None:
    headers = ",headers:array<struct<key:string,value:binary>>"
    plain = KAFKA_SOURCE_SCHEMA[:-1]
    damaged = {"mode": "permissive", "columnNameOfCorruptRecord": "_damage"}
    for given, expected in (
        ({"includeHeaders": True}, plain + headers + ">"),
        ({"includeMetadata": True}, f"{plain},{METADATA}>"),
        ({"includeHeaders": True, "includeMetadata": True}, f"{plain}{headers},{METADATA}>"),
        ({"includeMetadata": True, **damaged}, f"{plain},{METADATA},_damage:string>"),
        ({"mode": "Permissive"}, f"{plain},_corrupt_record:string>"),
        ({"mode": "dropmalformed"}, KAFKA_SOURCE_SCHEMA),
    ):
        schema = load(spark, CODECS, **given).schema
        assert schema.simpleString() == expected
        assert '"nullable":false' not in schema.json().replace(" ", "")
        assert '"containsNull":false' not in schema.json().replace(" ", "")


def test_headers_are_null_where_a_record_has_none(spark: SparkSession) -> None:
    expected = {row["offset"]: row["headers"] for row in scanned(CODECS / "codec-none-0")}
    rows = load(spark, CODECS / "codec-none-0", includeHeaders=True).collect()
    found = {row.offset: row.headers and [(each.key, each.value) for each in row.headers] for row in rows}
    assert found == {
        offset: each and [(pair["key"], pair["value"] and bytearray(pair["value"])) for pair in each]
        for offset, each in expected.items()
    }
    assert None in found.values()
    assert any(found.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "schema",
    [
        "offset bigint",
        "value binary, key binary",
        "timestampMs bigint",
        "file string, timestamp timestamp",
        "headers array<struct<key string, value binary>>, magic tinyint",
        "producerEpoch smallint, isControl boolean, controlType string, partition int, topic string",
    ],
)
def test_a_schema_of_ones_own_is_a_projection(spark: SparkSession, schema: str) -> None:
    frame = spark.read.format("kafkafmt").schema(schema).load(str(CODECS))
    names = [each.split()[0] for each in re.split(r", (?=\w+ \w)(?![^<]*>)", schema)]
    assert frame.columns == names
    expected = [{name: row[name] for name in names} for row in scanned(CODECS)]
    assert sorted(map(repr, rows_of(frame))) == sorted(map(repr, expected))
    assert frame.count() == len(expected)


@pytest.mark.slow
def test_no_column_at_all_can_be_counted(spark: SparkSession) -> None:
    from pyspark.sql.types import StructType

    frame = spark.read.format("kafkafmt").schema(StructType([])).load(str(CODECS))
    assert frame.count() == kafkafmt.scan(CODECS).count()


def test_what_is_not_in_the_schema_is_not_decoded(spark: SparkSession, tmp_path: Path) -> None:
    """An unrequested column may exceed an Arrow array: here it is not even touched."""
    from pyspark_kafkafmt.options import SourceOptions
    from pyspark_kafkafmt.reader import KafkafmtReader, SplitPartition

    frame = spark.read.format("kafkafmt").schema("offset bigint").load(str(CODECS))
    reader = KafkafmtReader(SourceOptions.parse({"path": str(CODECS)}), frame.schema)
    (first, *_) = reader.partitions()
    assert isinstance(first, SplitPartition)
    assert first.reading.schema.names == ["offset"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("offset int", "column offset is bigint, not int"),
        ("value string", "column value is binary, not string"),
        ("headers map<string, binary>", "column headers is array<struct<key:string,value:binary>>, not map"),
        ("Offset bigint", "there is no column Offset; it is written offset"),
        ("ofset bigint", "there is no column ofset; there are key, value, topic"),
        ("offset bigint not null", "column offset, and all within it, must be nullable"),
        ("headers array<struct<key string not null, value binary>>", "column headers, and all within it, must be"),
        ("_corrupt_record string", "the column of corrupt records exists only in mode PERMISSIVE"),
    ],
)
def test_a_schema_that_does_not_fit_is_refused(spark: SparkSession, schema: str, message: str) -> None:
    with pytest.raises(AnalysisException, match=re.escape(message)):
        spark.read.format("kafkafmt").schema(schema).load(str(CODECS)).count()


@pytest.mark.slow
def test_spark_finds_it_by_itself_and_registering_changes_nothing(spark: SparkSession) -> None:
    assert pyspark_kafkafmt.DefaultSource is KafkafmtDataSource
    count = load(spark, CODECS).count()
    register(spark)
    register(spark)
    assert load(spark, CODECS).count() == count == kafkafmt.scan(CODECS).count()
    assert spark.read.format("KafkaFmt").load(str(CODECS)).count() == count


@pytest.mark.slow
def test_it_is_there_in_sql(spark: SparkSession) -> None:
    spark.sql(f"create or replace temporary view records using kafkafmt options (path '{CODECS}')")
    (row,) = spark.sql("select count(*) records, count(distinct topic) topics from records").collect()
    expected = scanned(CODECS)
    assert (row.records, row.topics) == (len(expected), len({each["topic"] for each in expected}))


@pytest.mark.slow
def test_a_table_in_sql_has_no_options_of_its_own(spark: SparkSession) -> None:
    spark.sql(f"create table records_table using kafkafmt options (path '{CODECS}')")
    try:
        with pytest.raises(AnalysisException, match="option path: nothing to read is named"):
            spark.sql("select count(*) from records_table").collect()
        (row,) = spark.sql(f"select count(*) records from records_table with (path = '{CODECS}')").collect()
        assert row.records == len(scanned(CODECS))
    finally:
        spark.sql("drop table records_table")


def test_the_docstring_names_every_option_and_column() -> None:
    text = re.sub(r"\s+", " ", KafkafmtDataSource.__doc__ or "")
    for name in (*options.KAFKA_SOURCE_OPTIONS, *options.OWN_OPTIONS):
        assert f"`{name}`" in text or name == "paths", name
    for name, kind in (each.split(":") for each in METADATA.split(",")):
        assert f"{name} {kind}" in text


@pytest.mark.slow
def test_the_docstrings_example_runs(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(CODECS, tmp_path / "var/lib/kafka/data")
    example = re.search(r"\n\n((?:        .*\n)+)", KafkafmtDataSource.__doc__ or "")
    assert example is not None
    code = textwrap.dedent(example[1]).replace("/var/lib", f"{tmp_path}/var/lib").replace("orders", "codec-none")
    exec(code, {"spark": spark})
    shown = capsys.readouterr().out
    assert "CAST" in shown or "key" in shown
    assert shown.count("\n|") > 2
