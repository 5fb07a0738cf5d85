"""Tables whose columns change with the schemas of decoded values, and types that a table does not have."""

import io
import json
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.loading.load import Load, offsets_of
from kafkafmt.loading.table_types import TableRows, TableTypes, for_delta, for_iceberg, identical
from kafkafmt.scanning.decoded_scan import DecodedScan
from tests.loading.conftest import Lake
from tests.logdir.builders import batch, segment

TYPED = Path(__file__).parents[2] / "docs" / "examples" / "typed" / "log-dir"
ITEM = {"type": "record", "name": "Item", "fields": [{"name": "sku", "type": "string"}]}


def record(*fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": name, "type": kind} for name, kind in fields]}


def written(place: Path, offset: int, schema: dict[str, Any], *values: dict[str, Any]) -> "DecodedScan[Any]":
    """A scan of a log with more values, decoded by their schema."""
    batches = []
    for number, value in enumerate(values):
        data = io.BytesIO()
        fastavro.schemaless_writer(data, fastavro.parse_schema(schema), value)
        batches.append(batch(offset + number, value=data.getvalue()))
    segment(place / "t-0", offset, *batches)
    (place / "schema.avsc").write_text(json.dumps(schema))
    return kafkafmt.scan(place / "t-0").decode(value="avro", schema=str(place / "schema.avsc"))


def values_of(lake: Lake) -> list[Any]:
    values: list[Any] = lake.table().sort_by("offset").column("value").to_pylist()
    return values


def test_new_and_removed_fields(tmp_path: Path, lake: Lake) -> None:
    first = record(("id", "int"), ("name", "string"), ("items", {"type": "array", "items": ITEM}))
    kafkafmt.load(written(tmp_path, 0, first, {"id": 1, "name": "a", "items": [{"sku": "x"}]}), lake.to())
    more = {**ITEM, "fields": [{"name": "count", "type": "long"}, *ITEM["fields"]]}
    inner = {"type": "record", "name": "Inner", "fields": [{"name": "a", "type": ["null", "double"]}]}
    second = record(("new", inner), ("items", {"type": "array", "items": more}), ("id", "int"))
    value = {"new": {"a": 0.5}, "items": [{"count": 3, "sku": "y"}], "id": 2}
    loaded = kafkafmt.load(written(tmp_path, 1, second, value), lake.to())
    assert loaded.rows_loaded == 1
    if lake.kind == "directory":
        # Files of both are there: readers that join columns by name see them.
        import duckdb

        query = f"select value from read_parquet('{lake.place}/t/*.parquet', union_by_name=true) order by \"offset\""
        found = [row[0] for row in duckdb.connect().sql(query).fetchall()]
    else:
        found = values_of(lake)
    assert found == [
        {"id": 1, "name": "a", "items": [{"sku": "x", "count": None}], "new": None},
        {"id": 2, "name": None, "items": [{"sku": "y", "count": 3}], "new": {"a": 0.5}},
    ]


@pytest.mark.parametrize(
    ("earlier", "later", "value"),
    [("int", "string", "x"), ({"type": "array", "items": "int"}, "int", 1), ("string", ITEM, {"sku": "x"})],
)
def test_another_type_is_refused_before_anything_is_written(
    tmp_path: Path, lake: Lake, earlier: Any, later: Any, value: Any
) -> None:
    of_earlier = {"int": 7, "string": "s"}.get(str(earlier), [7])
    kafkafmt.load(written(tmp_path, 0, record(("id", earlier)), {"id": of_earlier}), lake.to())
    before, rows = sorted(lake.place.rglob("*.parquet")), lake.table()
    with pytest.raises(SourceError, match=r"the type of column value.id does not fit that in the table"):
        kafkafmt.load(written(tmp_path, 1, record(("id", later)), {"id": value}), lake.to())
    assert sorted(lake.place.rglob("*.parquet")) == before
    assert lake.table() == rows
    assert offsets_of(lake.to()) == {("t", 0): 1}


def test_a_wider_type(tmp_path: Path, lake: Lake) -> None:
    kafkafmt.load(written(tmp_path, 0, record(("id", "int")), {"id": 1}), lake.to())
    wider = written(tmp_path, 1, record(("id", "long")), {"id": 2**40})
    if lake.kind == "iceberg":
        kafkafmt.load(wider, lake.to())
        assert values_of(lake) == [{"id": 1}, {"id": 2**40}]
    else:
        with pytest.raises(SourceError, match="does not fit"):
            kafkafmt.load(wider, lake.to())


def test_a_narrower_type_is_cast(tmp_path: Path, lake: Lake) -> None:
    kafkafmt.load(written(tmp_path, 0, record(("id", "long")), {"id": 1}), lake.to())
    kafkafmt.load(written(tmp_path, 1, record(("id", "int")), {"id": 2}), lake.to())
    assert values_of(lake) == [{"id": 1}, {"id": 2}]


def test_a_field_whose_name_has_another_case(tmp_path: Path, lake: Lake) -> None:
    def version(name: str, sku: str) -> dict[str, Any]:
        of_lists = {**ITEM, "name": "InList", "fields": [{"name": sku, "type": "string"}]}
        of_maps = {**ITEM, "name": "InMap", "fields": [{"name": sku, "type": "string"}]}
        kinds = {"array": {"type": "array", "items": of_lists}, "map": {"type": "map", "values": of_maps}}
        return record((name, "int"), ("items", kinds["array"]), ("by", kinds["map"]))

    first, second = version("customerId", "sku"), version("CustomerID", "SKU")
    kafkafmt.load(
        written(tmp_path, 0, first, {"customerId": 1, "items": [{"sku": "a"}], "by": {"x": {"sku": "b"}}}), lake.to()
    )
    kafkafmt.load(
        written(tmp_path, 1, second, {"CustomerID": 2, "items": [{"SKU": "c"}], "by": {"y": {"SKU": "d"}}}), lake.to()
    )
    assert values_of(lake) == [
        {"customerId": 1, "items": [{"sku": "a"}], "by": [("x", {"sku": "b"})]},
        {"customerId": 2, "items": [{"sku": "c"}], "by": [("y", {"sku": "d"})]},
    ]


def test_a_value_that_cannot_be_decoded(tmp_path: Path, lake: Lake) -> None:
    written(tmp_path, 0, record(("id", "string")), {"id": "a"}, {"id": "b"})
    path = tmp_path / "t-0" / f"{0:020d}.log"
    path.write_bytes(batch(0, value=b"\2a") + batch(1, value=b"\2") + batch(2, value=b"\2c"))
    scan = kafkafmt.scan(tmp_path / "t-0")
    with pytest.raises(kafkafmt.DataError):
        kafkafmt.load(scan.decode(value="avro", schema=str(tmp_path / "schema.avsc")), lake.to())
    decoded = scan.decode(value="avro", schema=str(tmp_path / "schema.avsc"), on_damage="skip")
    loading = Load(decoded, lake.to())
    loading.run()
    assert values_of(lake) == [{"id": "a"}, None, {"id": "c"}]
    assert [each is None for each in lake.table().sort_by("offset").column("valueError").to_pylist()] == [1, 0, 1]
    assert any("cannot be decoded" in note for note in loading.loaded.notes)


@pytest.mark.parametrize("topic", ["orders", "payments"])
def test_decoded_topics(lake: Lake, topic: str) -> None:
    kafkafmt.load(TYPED, lake.to(), topics=topic, decode=True)
    expected = kafkafmt.scan(TYPED, topics=topic).decode().to_table()
    found = lake.table().sort_by([("partition", "ascending"), ("offset", "ascending")])
    assert found.column("offset").to_pylist() == expected.column("offset").to_pylist()
    for ours, theirs in zip(found.column("value").to_pylist(), expected.column("value").to_pylist(), strict=True):
        assert {name: ours[name] for name in theirs} == theirs
    assert kafkafmt.load(TYPED, lake.to(), topics=topic, decode=True).commits == []


def test_topics_of_several_types_need_a_table_each(lake: Lake) -> None:
    with pytest.raises(ValueError, match="have different types: decode one topic"):
        kafkafmt.load(TYPED, lake.to(), decode=True)


UNUSUAL: dict[str, tuple[pa.Array, Any, Any]] = {
    "uint8": (pa.array([255], pa.uint8()), pa.int16(), pa.int32()),
    "uint32": (pa.array([2**32 - 1], pa.uint32()), pa.int64(), pa.int64()),
    "uint64": (pa.array([2**64 - 1], pa.uint64()), pa.decimal128(20, 0), pa.decimal128(20, 0)),
    "int8": (pa.array([-1], pa.int8()), pa.int8(), pa.int32()),
    "dictionary": (pa.array(["a"]).dictionary_encode(), pa.string(), pa.string()),
    "large": (pa.array(["a"], pa.large_string()), pa.string(), pa.string()),
    "fixed": (pa.array([b"ab"], pa.binary(2)), pa.binary(), pa.binary()),
    "time": (pa.array([1_500_000], pa.time64("us")), pa.string(), pa.time64("us")),
    "ms": (pa.array([1500], pa.timestamp("ms")), pa.timestamp("us"), pa.timestamp("us")),
    "narrow": (pa.array([1], pa.decimal256(38, 2)), pa.decimal128(38, 2), pa.decimal128(38, 2)),
    "null": (pa.nulls(1), None, None),
    "empty": (pa.array([{}], pa.struct([])), None, None),
}


@pytest.mark.parametrize("name", UNUSUAL)
@pytest.mark.parametrize("leaf", [for_delta, for_iceberg])
def test_types_without_a_counterpart(name: str, leaf: Any) -> None:
    array, in_delta, in_iceberg = UNUSUAL[name]
    wanted = in_delta if leaf is for_delta else in_iceberg
    rows = pa.record_batch(
        [pa.array([1]), array, pa.array([[array[0].as_py()]], pa.list_(array.type))], ["o", "x", "l"]
    )
    schema = TableTypes(leaf).schema(rows.schema)
    found = TableRows(schema).conformed(rows)
    if wanted is None:
        assert schema.names == ["o"]
        assert found.num_columns == 1
    else:
        assert schema.types == [pa.int64(), wanted, pa.list_(pa.field("element", wanted))]
        assert str(found.column("x")[0].as_py()) in {str(array[0].as_py()), "00:00:01.500000"}


@pytest.mark.parametrize("leaf", [for_delta, for_iceberg])
@pytest.mark.parametrize("kind", [pa.decimal256(60, 2), pa.duration("us"), pa.month_day_nano_interval()])
def test_types_that_no_table_holds(kind: pa.DataType, leaf: Any) -> None:
    rows = pa.schema([("value", pa.struct([("a", pa.list_(kind))]))])
    with pytest.raises(SourceError, match=r"value\.a\.element has the type"):
        TableTypes(leaf).schema(rows)
    assert TableTypes(identical).schema(rows).names == ["value"]


def test_names_that_differ_in_case_alone() -> None:
    rows = pa.schema([("value", pa.struct([("a", pa.int32()), ("A", pa.int32())]))])
    with pytest.raises(SourceError, match=r"value\.a and value\.A differ only in case"):
        TableTypes(for_delta).schema(rows)
