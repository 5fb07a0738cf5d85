"""Typed keys and values in Spark: the data source's options, read_log_dirs, and decode_value on any column."""

import datetime as dt
import re
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DayTimeIntervalType, StringType, StructType, TimestampNTZType, TimestampType

import kafkafmt
from kafkafmt.errors import NotFoundError
from kafkafmt.values.decode_arguments import DecodeArguments
from kafkafmt.values.schema_export import write_schemas
from kafkafmt.values.typed import format_of_subject
from pyspark_kafkafmt import decode_value, read_log_dirs, typed_udfs
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.options import SourceOptions
from pyspark_kafkafmt.typed_values import TypedColumns, as_spark, spark_arrow_type, spark_type_of_values
from tests.values.golden_values import rows, unpack

pytestmark = pytest.mark.xdist_group("spark")

CASES = ("avro", "registry", "damaged", "protobuf", "json-schema", "primitives")
VALUES = DecodeArguments(key="bytes", on_damage="raise")
DECODED = ("key", "value", "keySchemaId", "valueSchemaId", "keyError", "valueError")
Read = Callable[..., DataFrame]


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {case: unpack(case, tmp_path_factory.mktemp(case)) for case in CASES}


ADVICE = re.compile("; choose one by [^(]*")
"""The advice in errors, which differs in wording."""


def by_data_source(spark: SparkSession, path: Path, topic: str, **options: Any) -> DataFrame:
    return spark.read.format("kafkafmt").options(subscribe=topic, valueFormat="auto", **options).load(str(path))


def by_log_dirs(spark: SparkSession, path: Path, topic: str, **options: Any) -> DataFrame:
    return read_log_dirs(spark, path, topics=topic, value_format="auto", **options)


@pytest.mark.parametrize("read", [by_data_source, by_log_dirs])
def test_values_are_those_of_decode(read: Read, spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    frame = read(spark, log_dirs["registry"], "crm.people").select("value", "valueSchemaId", "valueError")
    assert frame.schema["value"].dataType.simpleString() == "struct<price:string,colour:string,weight:int>"
    golden = [
        row["resolved"] for row in rows("registry", "values") if row["topic"] == "crm.people" and row["part"] == "value"
    ]
    found = frame.toArrow().to_pylist()
    assert len(golden) == 13
    assert sorted(str(row["value"]) for row in found) == sorted(map(str, golden))
    assert {row["valueSchemaId"] for row in found} == {2, 3, 4, 5}
    assert {row["valueError"] for row in found} == {None}


@pytest.mark.parametrize(
    ("case", "topic", "formats"),
    [
        ("protobuf", "proto-orders", {"value": "auto", "key": "auto"}),
        ("protobuf", "proto-nested", {"value": "protobuf", "key": "string"}),
        ("json-schema", "invoices", {"value": "auto", "key": "auto"}),
        ("json-schema", "json-odd", {"value": "json", "key": "string"}),
        ("primitives", "fx.int", {"value": "int", "key": "int"}),
        ("registry", "crm.people", {"value": "avro", "key": "auto"}),
    ],
)
def test_other_formats_and_keys_are_those_of_decode(
    case: str, topic: str, formats: dict[str, Any], spark: SparkSession, log_dirs: dict[str, Path]
) -> None:
    expected = kafkafmt.scan(log_dirs[case], topics=topic).decode(**formats, on_damage="skip").to_table()
    options = {"valueFormat": formats["value"], "keyFormat": formats["key"], "mode": "PERMISSIVE"}
    source = spark.read.format("kafkafmt").options(subscribe=topic, **options).load(str(log_dirs[case]))
    arguments = {"value_format": formats["value"], "key_format": formats["key"], "on_damage": "skip"}
    frames = (source, read_log_dirs(spark, log_dirs[case], topics=topic, **arguments))
    for frame in frames:
        found = frame.orderBy("partition", "offset").toArrow()
        assert len(found) == len(expected) > 3
        order = expected.sort_by([("partition", "ascending"), ("offset", "ascending")])
        for name in DECODED:
            decoded = as_spark(order[name].combine_chunks()).to_pylist()
            assert ADVICE.sub("", str(found[name].to_pylist())) == ADVICE.sub("", str(decoded)), name
        assert found["value"].null_count < len(found)


@pytest.mark.parametrize(
    ("case", "topic", "part"),
    [("protobuf", "proto-orders", "value"), ("avro", "events", "key"), ("json-schema", "invoices", "value")],
)
def test_any_column_is_decoded_from_all_formats(
    case: str, topic: str, part: Literal["key", "value"], spark: SparkSession, log_dirs: dict[str, Path]
) -> None:
    schemas = kafkafmt.values.schemas(log_dirs[case])
    stored = spark.read.format("kafkafmt").option("subscribe", topic).load(str(log_dirs[case]))
    column = decode_value(part, schemas=schemas, subject=f"{topic}-{part}", part=part, on_damage="skip")
    found = stored.select("partition", "offset", column.alias(part)).orderBy("partition", "offset").toArrow()
    formats: dict[str, Any] = {"key": "bytes", "value": "bytes", part: "auto"}
    decoded = kafkafmt.scan(log_dirs[case], topics=topic).decode(**formats, on_damage="skip").to_table()
    expected = decoded.sort_by([("partition", "ascending"), ("offset", "ascending")])[part].combine_chunks()
    assert str(found[part].to_pylist()) == str(as_spark(expected).to_pylist())
    assert found[part].null_count < len(found)


def test_all_types_reach_spark(spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    frame = by_data_source(spark, log_dirs["avro"], "types").select("value.*")
    kinds = {field.name: field.dataType for field in frame.schema.fields}
    assert kinds["tsmillis"] == kinds["tsnanos"] == TimestampType()
    assert kinds["ltsmicros"] == TimestampNTZType()
    assert kinds["tmicros"] == kinds["nothing"] == StringType()
    assert kinds["dec"].simpleString() == "decimal(20,4)"
    assert kinds["fixed5"].simpleString() == "binary"
    assert kinds["mapmap"].simpleString() == "map<string,map<string,bigint>>"
    found = frame.toArrow()
    expected = kafkafmt.scan(log_dirs["avro"], topics="types").decode().to_table()["value"].combine_chunks()
    assert len(found) == len(expected) > 10
    for name in ("optdec", "arrarr", "mapmap", "date", "dec", "fixed5", "uuid"):
        assert found[name].to_pylist() == expected.field(name).to_pylist(), name


def test_durations_are_intervals() -> None:
    kind = pa.struct([("one", pa.duration("us")), ("many", pa.list_(pa.duration("us")))])
    made = spark_type_of_values(kind)
    assert isinstance(made, StructType)
    assert made["one"].dataType == DayTimeIntervalType()
    assert made.simpleString() == "struct<one:interval day to second,many:array<interval day to second>>"
    values = [{"one": dt.timedelta(microseconds=-1), "many": [dt.timedelta(days=3_652_500), None]}, None]
    assert as_spark(pa.array(values, kind)).to_pylist() == values


def test_durations_reach_spark(spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    decoded = kafkafmt.scan(log_dirs["protobuf"], topics="proto-known").decode(on_damage="skip").to_table()
    values = [value or {"f_duration": None, "r_duration": None} for value in decoded["value"].to_pylist()]
    assert sum(each["f_duration"] is not None for each in values) > 3
    typed = by_data_source(spark, log_dirs["protobuf"], "proto-known", mode="PERMISSIVE").orderBy("offset")
    assert [row[0] for row in typed.select("value.f_duration").collect()] == [each["f_duration"] for each in values]
    lists = by_log_dirs(spark, log_dirs["protobuf"], "proto-known", on_damage="skip").orderBy("offset")
    found = lists.select("value.r_duration").toArrow()["r_duration"].to_pylist()
    assert found == [each["r_duration"] for each in values]


def test_times_that_spark_cannot_hold_are_null() -> None:
    times = pa.array(
        [0, 253_402_300_800_000, -62_135_596_800_001, None, -62_135_596_800_000], pa.timestamp("ms", "UTC")
    )
    assert [None if each is None else each.year for each in as_spark(times).to_pylist()] == [1970, None, None, None, 1]
    nanoseconds = pa.array([-1, 2**63 - 1], pa.timestamp("ns"))
    assert as_spark(nanoseconds).type == pa.timestamp("us")
    assert as_spark(pa.array([dt.time(1, 2, 3)], pa.time32("ms"))).to_pylist() == ["01:02:03.000"]


def test_nested_values_keep_their_nulls_and_offsets() -> None:
    kind = pa.struct(
        [("at", pa.timestamp("ms", "UTC")), ("many", pa.list_(pa.map_(pa.string(), pa.decimal256(50, 1))))]
    )
    values: list[Any] = [
        None,
        {"at": None, "many": [None, [], [("a", Decimal("1.5")), ("b", None)]]},
        {"at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "many": None},
        {"at": None, "many": []},
    ]
    for begin in range(3):
        made = as_spark(pa.array(values, kind).slice(begin))
        assert made.type == spark_arrow_type(kind)
        assert str(made.to_pylist()).replace("'1.5'", "Decimal('1.5')") == str(
            pa.array(values, kind).slice(begin).to_pylist()
        )


@pytest.mark.parametrize(
    ("read", "skip"), [(by_data_source, {"mode": "PERMISSIVE"}), (by_log_dirs, {"on_damage": "skip"})]
)
def test_what_does_not_decode(read: Read, skip: dict[str, str], spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    with pytest.raises(PythonException, match=r"meters.mixed-0, offset 1: the value cannot be decoded"):
        read(spark, log_dirs["damaged"], "meters.mixed").select("value").collect()
    found = read(spark, log_dirs["damaged"], "meters.mixed", **skip).orderBy("offset").select("value", "valueError")
    assert [row.valueError is None for row in found.collect()] == [True, *[False] * 6, True]
    assert found.first().value.city == 2.5  # type: ignore[union-attr]  # there is one


def test_stored_bytes_are_there_on_request(spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    path = log_dirs["damaged"]
    stored = kafkafmt.scan(path, topics="meters.mixed", columns=["offset", "key", "value"]).to_table().to_pylist()
    frame = by_data_source(spark, path, "meters.mixed", mode="PERMISSIVE", includeBytes=True).orderBy("offset")
    assert frame.columns[-5:] == ["keyError", "valueError", "keyBytes", "valueBytes", "_corrupt_record"]
    found = frame.collect()
    assert [(row.offset, row.keyBytes, row.valueBytes) for row in found] == [tuple(row.values()) for row in stored]
    assert sum(row.value is None and row.valueError is not None for row in found) == 6
    assert "valueBytes" not in by_data_source(spark, path, "meters.mixed", mode="PERMISSIVE").columns
    assert "valueBytes" not in by_log_dirs(spark, path, "meters.mixed", on_damage="skip").columns
    named = by_log_dirs(spark, path, "meters.mixed", on_damage="skip", columns=["offset", "valueBytes"])
    assert [row.valueBytes for row in named.orderBy("offset").collect()] == [row["value"] for row in stored]
    with pytest.raises(OptionError, match="option includeBytes: has no effect on its own; it goes with valueFormat"):
        SourceOptions.parse({"path": "x", "includeBytes": "true"})


SECOND = "shop.v1.Second"
OTHERS = {"subscribe": "proto-nested", "valueFormat": "auto"}


def golden_of_second() -> list[Any]:
    """The values of one message, as read by protobuf's own classes with the latest schema."""
    return [
        row["resolved"]
        for row in rows("protobuf", "values")
        if (row["topic"], row["part"]) == ("proto-nested", "value") and row["message"] == SECOND
    ]


def as_json(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "names": {str(key): name for key, name in value["names"]}}


def test_one_message_of_several(spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    path = log_dirs["protobuf"]
    assert len(golden_of_second()) == 4
    for read, options in ((by_data_source, {"record": SECOND}), (by_log_dirs, {"record": SECOND})):
        frame = read(spark, path, "proto-nested", **options).orderBy("offset")
        assert [as_json(row) for row in frame.toArrow()["value"].to_pylist()] == golden_of_second()
        # Even if no column is decoded.
        assert [row.offset for row in frame.select("offset").collect()] == [12, 13, 14, 21]
    narrow = spark.read.format("kafkafmt").options(**OTHERS, record=SECOND).schema("offset bigint").load(str(path))
    assert sorted(row.offset for row in narrow.collect()) == [12, 13, 14, 21]
    stored = spark.read.format("kafkafmt").option("subscribe", "proto-nested").load(str(path)).orderBy("offset")
    wanted: dict[str, Any] = {"schemas": str(path), "subject": "proto-nested-value", "record": SECOND}
    values = stored.select(decode_value("value", **wanted).alias("value")).toArrow()["value"].to_pylist()
    assert [as_json(each) for each in values if each is not None] == golden_of_second()
    assert len(values) == 23
    telling = decode_value("value", **wanted, on_damage="skip", with_error=True).alias("told")
    told = stored.select(telling).toArrow()["told"].to_pylist()
    assert [each["value"] is not None for each in told] == [each is not None for each in values]
    assert {each["error"] for each in told} == {None}


def test_errors_name_the_argument_that_chooses_a_message(spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    path = log_dirs["protobuf"]
    with pytest.raises(PythonException) as by_option:
        by_data_source(spark, path, "proto-nested").select("value").collect()
    assert r"a value of another message; choose one by the option record (expected" in str(by_option.value)
    with pytest.raises(PythonException) as by_argument:
        by_log_dirs(spark, path, "proto-nested").select("value").collect()
    assert "a value of another message; choose one by record= (expected" in str(by_argument.value)
    stored = spark.read.format("kafkafmt").option("subscribe", "proto-nested").load(str(path))
    with pytest.raises(PythonException) as by_function:
        stored.select(decode_value("value", schemas=str(path), subject="proto-nested-value")).collect()
    assert "a value of another message; choose one by record= (expected" in str(by_function.value)
    known = "proto-nested-value version 2 has no record type shop.v1.Third; it has: shop.v1."
    with pytest.raises(NotFoundError, match=known):
        decode_value("value", schemas=str(path), subject="proto-nested-value", record="shop.v1.Third")
    with pytest.raises(NotFoundError, match=r"no schema of the record type Second; there are: shop\.v1\.Second"):
        by_log_dirs(spark, path, "proto-nested", record="Second")
    with pytest.raises(Exception, match=r"no schema of the record type Second; there are: shop\.v1\.Second"):
        by_data_source(spark, path, "proto-nested", record="Second")
    with pytest.raises(ValueError, match="record goes with value_format"):
        read_log_dirs(spark, path, topics="proto-nested", record=SECOND, key_format="auto")
    with pytest.raises(OptionError, match="option record: has no effect on its own; it goes with valueFormat"):
        SourceOptions.parse({"path": "x", "keyFormat": "auto", "record": SECOND})


@pytest.mark.parametrize("subject", ["crm.people-value", "crm.people-value:4"])
def test_any_column_is_decoded(subject: str, spark: SparkSession, log_dirs: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "schemas"
    write_schemas(kafkafmt.values.schemas(log_dirs["registry"]), folder)
    stored = spark.read.format("kafkafmt").option("subscribe", "crm.people").load(str(log_dirs["registry"]))
    found = stored.select(decode_value("value", schemas=str(folder), subject=subject).alias("person"))
    assert isinstance(found.schema["person"].dataType, StructType)
    golden = [
        row["resolved"] for row in rows("registry", "values") if row["topic"] == "crm.people" and row["part"] == "value"
    ]
    assert sorted(str(row["person"]) for row in found.toArrow().to_pylist()) == sorted(map(str, golden))


def test_bad_values_of_any_column(spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    schemas = kafkafmt.values.schemas(log_dirs["registry"])
    frame = spark.createDataFrame([(b"\0\0\0\0\2\2a",), (b"other",), (None,)], "value binary")
    skipping = frame.select(decode_value("value", schemas=schemas, subject="crm.people-value", on_damage="skip"))
    assert [row[0] if row[0] is None else row[0].price for row in skipping.collect()] == ["a", None, None]
    telling = decode_value("value", schemas=schemas, subject="crm.people-value", on_damage="skip", with_error=True)
    told = [row[0] for row in frame.select(telling).collect()]
    assert [each.value is None for each in told] == [False, True, True]
    assert [each.error is None for each in told] == [True, False, True]
    assert "the bytes are not framed" in told[1].error
    with pytest.raises(ValueError, match='with_error goes with on_damage="skip"'):
        decode_value("value", schemas=schemas, subject="crm.people-value", with_error=True)
    with pytest.raises(PythonException, match="the bytes are not framed"):
        frame.select(decode_value("value", schemas=schemas, subject="crm.people-value")).collect()
    with pytest.raises(NotFoundError, match=r"no schema crm.person-value: .*crm.people-value"):
        decode_value("value", schemas=schemas, subject="crm.person-value")


def test_values_that_become_null_are_counted(log_dirs: dict[str, Path], caplog: pytest.LogCaptureFixture) -> None:
    schemas = kafkafmt.values.schemas(log_dirs["registry"])
    decode = typed_udfs.ValuesDecoder(format_of_subject(schemas, "crm.people-value", "value"), "skip")
    decode(pa.array([b"\0\0\0\0\2\2a", None]))
    assert caplog.text == ""
    assert decode(pa.array([b"other", b"\0\0\0\0\2\2a", b""])).null_count == 2
    assert "decode_value made null of 2 of 3 values; the first: the bytes are not framed" in caplog.text


def test_spark_4_0_has_no_functions_of_arrays(
    spark: SparkSession, log_dirs: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typed_udfs, "require_spark", lambda: (4, 0))
    schemas = kafkafmt.values.schemas(log_dirs["avro"])
    stored = spark.read.format("kafkafmt").option("subscribe", "types").load(str(log_dirs["avro"]))
    plain = stored.select("offset", decode_value("value", schemas=schemas, subject="types-value").alias("value"))
    monkeypatch.undo()
    arrays = stored.select("offset", decode_value("value", schemas=schemas, subject="types-value").alias("value"))
    found, expected = (frame.orderBy("offset").toArrow().to_pylist() for frame in (plain, arrays))
    for row in (*found, *expected):
        # Plain Python rows have maps in another order.
        maps = row["value"]["mapmap"] or [] if row["value"] else []
        maps[:] = [(name, sorted(inner)) for name, inner in sorted(maps)]
    assert str(found) == str(expected)
    assert any(row["value"]["mapmap"] for row in found if row["value"])


def test_options_are_checked(spark: SparkSession, log_dirs: dict[str, Path]) -> None:
    options = SourceOptions.parse({"path": "x", "valueFormat": "avro", "keyFormat": "string", "schemas": "folder"})
    assert (options.value_format, options.key_format, options.schemas) == ("avro", "string", "folder")
    with pytest.raises(OptionError, match="option schemas: has no effect on its own; it goes with valueFormat"):
        SourceOptions.parse({"path": "x", "schemas": "folder"})
    with pytest.raises(OptionError, match="valueFormat"):
        SourceOptions.parse({"path": "x", "valueFormat": "arvo"})
    with pytest.raises(Exception, match=r"the values of .* have different types.* choose one topic by subscribe"):
        spark.read.format("kafkafmt").options(subscribe="orders,tree", valueFormat="auto").load(str(log_dirs["avro"]))


def test_internal_topics_are_not_decoded(log_dirs: dict[str, Path], tmp_path: Path) -> None:
    for name in ("crm.people-0", "_schemas-0"):
        shutil.copytree(log_dirs["registry"] / name, tmp_path / name)
    with pytest.raises(
        ValueError, match=r"_schemas and crm\.people have different types: decode one topic of crm\.people"
    ):
        TypedColumns.of(kafkafmt.scan(tmp_path), VALUES)
    typed = TypedColumns.of(kafkafmt.scan(tmp_path, topics="crm.people"), VALUES)
    assert typed.decoder.internal == ()
