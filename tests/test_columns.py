"""The columns: exact names, types and order; projection; record batches of bounded size."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import columns
from kafkafmt.record_columns import COLUMNS
from tests.engines import Engine
from tests.golden_cases import GOLDEN
from tests.logdir.builders import ABORT_KEY, CONTROL, TRANSACTIONAL, batch, file_name, segment

MIB = 1 << 20

pytestmark = pytest.mark.usefixtures("engine")

BY_THE_LETTER = """
    key binary?, value binary?, topic string?, partition int32?, offset int64, timestamp timestamp[ms, tz=UTC],
    timestampType int32, headers list<struct<key string, value binary?>>?, partitionLeaderEpoch int32, producerId int64,
    producerEpoch int16, sequence int32, isTransactional bool, isControl bool, controlType string?, magic int8,
    compression string, baseOffset int64, position int64, file string
"""
TYPES = {
    str(each): each for each in (pa.binary(), pa.string(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.bool_())
}


def written(field: pa.Field) -> str:
    """A field in the notation of the contract."""
    if pa.types.is_list(field.type):
        element = field.type.value_field
        inner = ", ".join(written(element.type.field(number)) for number in range(element.type.num_fields))
        text = f"list<struct<{inner}>{'?' * element.nullable}>"
    else:
        text = str(field.type)
    return f"{field.name} {text}{'?' * field.nullable}"


def test_names_types_nullability_and_order_are_those_of_the_contract() -> None:
    contract = " ".join(BY_THE_LETTER.split())
    assert ", ".join(written(field) for field in columns.SCHEMA) == contract
    assert kafkafmt.scan(GOLDEN / "modern" / "13-names-4.3.1").schema == columns.SCHEMA


def test_a_row_of_format_2_in_every_column(tmp_path: Path) -> None:
    content = batch(7, 2, key=b"k", value=None, header=b"x", timestamp=-1, epoch=3, attributes=TRANSACTIONAL)
    segment(tmp_path / "t-1", 0, batch(0), content)
    scan = kafkafmt.scan(tmp_path)
    row = scan.to_table().slice(2)
    assert row.column("timestamp").cast("int64").to_pylist() == [0]
    assert scan.to_table().slice(1, 1).column("timestamp").cast("int64").to_pylist() == [-1]
    (found,) = row.drop_columns("timestamp").to_pylist()
    assert found == {
        "key": b"k",
        "value": None,
        "topic": "t",
        "partition": 1,
        "offset": 8,
        "timestampType": 0,
        "headers": [{"key": "h", "value": b"x"}],
        "partitionLeaderEpoch": 3,
        "producerId": -1,
        "producerEpoch": -1,
        "sequence": -1,
        "isTransactional": True,
        "isControl": False,
        "controlType": None,
        "magic": 2,
        "compression": "none",
        "baseOffset": 7,
        "position": len(batch(0)),
        "file": f"t-1/{file_name(0)}",
    }


def test_control_records_have_their_type_and_headers_are_null_where_there_are_none(tmp_path: Path) -> None:
    marker = batch(0, key=ABORT_KEY, value=b"\0" * 6, attributes=CONTROL | TRANSACTIONAL)
    odd = batch(1, key=b"\x00\x00\x7f\x00", attributes=CONTROL)
    segment(tmp_path, 0, marker, odd, batch(2))
    names = ["isControl", "controlType", "headers"]
    rows = kafkafmt.scan(tmp_path, columns=names, control_records=True).to_table().to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (True, "ABORT", None),
        (True, "UNKNOWN", None),
        (False, None, None),
    ]
    assert kafkafmt.scan(tmp_path, columns=names).to_table().to_pylist() == rows[2:]


@pytest.mark.parametrize("names", [["file", "offset"], ["headers"], ["offset", "key", "controlType"], ["partition"]])
def test_columns_come_in_the_order_asked_for(names: list[str]) -> None:
    source = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"
    whole = kafkafmt.scan(source, control_records=True).to_table()
    for asked in (names, tuple(names), iter(names)):
        scan = kafkafmt.scan(source, control_records=True, columns=asked)  # type: ignore[arg-type]
        assert scan.schema.names == names
        assert scan.to_table() == whole.select(names)


def test_what_is_not_asked_for_is_not_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment(tmp_path, 0)

    def refuse(_: object) -> None:
        raise AssertionError

    for name in set(COLUMNS) - {"offset"}:
        sources = ("of_record", "of_batch", "of_origin")
        changed: dict[str, Any] = {source: refuse for source in sources if getattr(COLUMNS[name], source) is not None}
        assert len(changed) == 1
        monkeypatch.setitem(COLUMNS, name, replace(COLUMNS[name], **changed))
    assert kafkafmt.scan(tmp_path, columns=["offset"]).to_table().num_rows == 10


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ([], ValueError),
        (["offset", "offset"], ValueError),
        (["Offset"], ValueError),
        (["offset", "timestampMs"], ValueError),
        ("offset", TypeError),
        (7, TypeError),
    ],
)
def test_columns_that_make_no_sense_are_refused_before_anything_is_read(asked: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        columns.select(asked)  # type: ignore[arg-type]
    with pytest.raises(error):
        kafkafmt.scan("/nowhere", columns=asked)  # type: ignore[arg-type]


def test_record_batches_are_bounded_in_rows(tmp_path: Path, engine: Engine) -> None:
    segment(tmp_path, 0, batch(0, 12_000), *(batch(12_000 + n * 3, 3) for n in range(1500)))
    read = list(kafkafmt.scan(tmp_path, columns=["offset", "baseOffset"]).to_reader())
    # Data that is already columnar is not split.
    expected = [8192, 8192, 16_500 - 2 * 8192] if engine == "reference" else [16_500]
    assert [each.num_rows for each in read] == expected
    assert pa.Table.from_batches(read).column("offset").to_pylist() == list(range(16_500))
    bases = pa.Table.from_batches(read).column("baseOffset").to_pylist()
    assert bases == [0] * 12_000 + [12_000 + n * 3 for n in range(1500) for _ in range(3)]


@pytest.mark.parametrize("where", ["key", "value", "header"])
def test_record_batches_are_bounded_in_bytes_wherever_they_are(tmp_path: Path, where: str, engine: Engine) -> None:
    arguments: dict[str, Any] = {"value": None, where: bytes(1 << 20)}
    path = segment(tmp_path, 0, *(batch(2 * n, 2, **arguments) for n in range(20)))
    read = list(kafkafmt.scan(path).to_reader())
    if engine == "reference":
        assert [each.num_rows for each in read] == [16, 16, 8]
    else:
        assert all(each.num_rows * MIB < each.nbytes < 17 * MIB for each in read)
    assert pa.Table.from_batches(read).column("offset").to_pylist() == list(range(40))


def test_a_buffer_filled_by_the_last_record_leaves_no_empty_batch(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0, 8192))
    assert [each.num_rows for each in kafkafmt.scan(path).to_reader()] == [8192]
    assert list(kafkafmt.scan(segment(tmp_path, 5, b"")).to_reader()) == []
