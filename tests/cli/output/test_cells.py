"""Cells: JSON and CSV round-trip, and tables show no control characters."""

import base64
import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.cli.output import cells
from kafkafmt.codec.java_text import decode_utf8

INT64 = st.integers(-(2**63), 2**63 - 1)
TIME = pa.timestamp("ms", tz="UTC")
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
BYTES = st.none() | st.binary(max_size=40) | st.text(max_size=20).map(lambda text: text.encode())


def times(milliseconds: list[int | None]) -> pa.Array:
    return pa.array(milliseconds, pa.int64()).cast(TIME)


def from_json(array: pa.Array, bytes_as: str | None = None) -> list[Any]:
    return [json.loads(text) for text in cells.to_json(array, bytes_as)]


def from_csv(array: pa.Array, bytes_as: str | None = None) -> list[str | None]:
    """Cells as seen by a reader that distinguishes null from an empty string."""
    texts = cells.to_csv(array, bytes_as)
    rows = list(csv.reader(io.StringIO("".join(f"x,{text}\n" for text in texts), newline=""), strict=True))
    return [None if text == "" else row[1] for text, row in zip(texts, rows, strict=True)]


def as_json_cell(value: bytes) -> str | dict[str, str]:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


ENCODED: dict[str | None, Callable[[bytes], Any]] = {
    None: as_json_cell,
    "utf8": decode_utf8,
    "base64": lambda value: base64.b64encode(value).decode(),
    "hex": lambda value: value.hex(),
}


@pytest.mark.slow
@pytest.mark.parametrize("bytes_as", [None, "utf8", "base64", "hex"])
@given(values=st.lists(BYTES, min_size=1))
def test_bytes_in_json_and_csv(bytes_as: str | None, values: list[bytes | None]) -> None:
    array = pa.array(values, pa.binary())
    expected = [None if value is None else ENCODED[bytes_as](value) for value in values]
    assert from_json(array, bytes_as) == expected
    for text, cell in zip(from_csv(array, bytes_as), expected, strict=True):
        assert (json.loads(text or "") if isinstance(cell, dict) else text) == cell


@given(values=st.lists(st.none() | INT64, min_size=1))
def test_numbers_and_times_are_exact(values: list[int | None]) -> None:
    for array in (pa.array(values, pa.int64()), times(values)):
        assert from_json(array) == values
        assert [None if cell is None else int(cell) for cell in from_csv(array)] == values


@pytest.mark.slow
@given(values=st.lists(st.none() | st.text(), min_size=1))
def test_text_in_json_and_csv(values: list[str | None]) -> None:
    array = pa.array(values, pa.string())
    assert from_json(array) == values
    assert from_csv(array) == values


@pytest.mark.slow
@given(values=st.lists(BYTES | st.text(max_size=5).map(lambda text: text.encode()), min_size=1))
def test_nothing_in_a_table_acts_on_the_terminal(values: list[bytes | None]) -> None:
    for bytes_as in (None, "utf8", "base64", "hex"):
        for cell in cells.to_table(pa.array(values, pa.binary()), bytes_as):
            assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in cell)
    for cell in cells.to_csv(pa.array(values, pa.binary()), terminal=True):
        assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in cell)


@given(texts=st.lists(st.text(), min_size=1))
def test_json_holds_no_raw_character_that_ends_a_line_or_turns_it(texts: list[str]) -> None:
    for text in cells.to_json(pa.array([*texts, "\x7f\x9b\u2028\u202e\ufeff\x00\n"])):
        assert not any(character in "\x00\n\r\x7f\x85\x9b\u2028\u2029\u202e\u2066\ufeff" for character in text)


def test_nested_values() -> None:
    headers: list[Any] = [[("a", b"1"), ("b", None), ("c", b"\xff")], [], None]
    array = pa.array([row and [{"key": key, "value": value} for key, value in row] for row in headers], HEADERS)
    expected = [
        [{"key": "a", "value": "1"}, {"key": "b", "value": None}, {"key": "c", "value": {"base64": "/w=="}}],
        [],
        None,
    ]
    assert from_json(array) == expected
    assert from_json(array.slice(1)) == expected[1:]
    assert [cell if cell is None else json.loads(cell) for cell in from_csv(array)] == expected
    assert from_json(array, "hex")[0][2]["value"] == "ff"
    assert cells.to_table(array) == ["a=1, b=null, c=\\xff", "", "null"]


def test_nested_times_and_structs() -> None:
    kind = pa.struct([("at", TIME), ("names", pa.list_(pa.string())), ("share", pa.float64())])
    array = pa.array(
        [{"at": 5, "names": ["x", None], "share": 0.5}, None, {"at": None, "names": None, "share": float("nan")}],
        pa.struct([("at", pa.int64()), *[(field.name, field.type) for field in list(kind)[1:]]]),
    ).cast(kind)
    assert from_json(array) == [
        {"at": "1970-01-01T00:00:00.005Z", "names": ["x", None], "share": 0.5},
        None,
        {"at": None, "names": None, "share": "NaN"},
    ]
    assert cells.to_table(array) == [
        '{"at": "1970-01-01T00:00:00.005Z", "names": ["x", null], "share": 0.5}',
        "null",
        '{"at": null, "names": null, "share": "NaN"}',
    ]


def test_lists_in_a_table_are_their_items() -> None:
    pair = pa.struct([("key", pa.string()), ("value", pa.string())])
    shown = {
        "1, null": ([1, None], pa.list_(pa.int64())),
        "a, b": (["a", "b"], pa.list_(pa.string())),
        "1.50": ([Decimal("1.50")], pa.list_(pa.decimal128(9, 2))),
        "[1, 2], []": ([[1, 2], []], pa.list_(pa.list_(pa.int64()))),
        "a=b, c=null": ([{"key": "a", "value": "b"}, {"key": "c"}], pa.list_(pair)),
        # A struct of a key and a value is not a header.
        '{"key": "a", "value": "b"}': ({"key": "a", "value": "b"}, pair),
        '[1, "x"]': ([(1, "x")], pa.map_(pa.int64(), pa.string())),
    }
    for text, (value, kind) in shown.items():
        assert cells.to_table(pa.array([value], kind)) == [text]


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1795234584022, "2026-11-21T04:16:24.022Z"),
        (-2, "1969-12-31T23:59:59.998Z"),
        (-1, "-1"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (-62_135_596_800_001, "-62135596800001"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "253402300800000"),
        (2**63 - 1, str(2**63 - 1)),
        (-(2**63), str(-(2**63))),
        (None, "null"),
    ],
)
def test_times_in_a_table(milliseconds: int | None, shown: str) -> None:
    assert cells.to_table(times([milliseconds, 0]))[0] == shown
    assert cells.to_table(times([milliseconds]))[0] == shown


def test_other_units_of_time_become_milliseconds() -> None:
    array = pa.array([1_500_000], pa.timestamp("us", tz="UTC"))
    assert cells.to_json(array) == ["1500"]
    assert cells.to_table(array) == ["1970-01-01T00:00:01.500Z"]


def test_plain_values() -> None:
    assert cells.to_json(pa.array([True, False, None])) == ["true", "false", "null"]
    assert cells.to_csv(pa.array([True, None])) == ["true", ""]
    assert cells.to_table(pa.array([7, None], pa.int8())) == ["7", "null"]
    assert cells.to_json(pa.array([1.5, float("inf"), None])) == ["1.5", '"Infinity"', "null"]
    assert cells.to_table(pa.array([float("nan"), float("-inf"), None])) == ["NaN", "-Infinity", "null"]
    assert cells.to_csv(pa.array([float("nan"), None])) == ["NaN", ""]
    assert cells.to_csv(pa.array([1.5, None])) == ["1.5", ""]
    assert cells.to_table(pa.array(["a\tb", "", None])) == ["a\\tb", "", "null"]
    for write in (cells.to_json, cells.to_table):
        assert write(pa.nulls(2, pa.binary())) == ["null", "null"]
    assert cells.to_csv(pa.nulls(1, pa.string())) == [""]


def test_an_empty_string_differs_from_null_in_csv() -> None:
    assert cells.to_csv(pa.array(["", None, "a,b", 'a"b', "a\nb", " a "])) == [
        '""',
        "",
        '"a,b"',
        '"a""b"',
        '"a\nb"',
        " a ",
    ]


def test_a_table_shows_bytes_as_text_with_escapes() -> None:
    array = pa.array(["Größe 東京".encode(), b"\x00\xff\n", b"\\n"])
    assert cells.to_table(array) == ["Größe 東京", "\\x00\\xff\\n", "\\n"]
    assert cells.to_table(array, "base64")[1] == "AP8K"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "s", "PT0S"),
        (-5_500_000, "us", "-PT5.500000S"),
        (90_061_001, "ms", "P1DT1H1M1.001S"),
        (86_400, "s", "P1D"),
        (-3_600, "s", "-PT1H"),
        (60_000_000_001, "ns", "PT1M0.000000001S"),
        (-(2**63), "ns", "-P106751DT23H47M16.854775808S"),
    ],
)
def test_durations(value: int, unit: str, text: str) -> None:
    array = pa.array([value, None], pa.int64()).cast(pa.duration(unit))
    assert cells.to_json(array) == [f'"{text}"', "null"]
    assert cells.to_csv(array) == [text, ""]
    assert cells.to_table(array) == [text, "null"]


def test_structs_without_fields() -> None:
    assert cells.to_json(pa.array([{}, None, {}], pa.struct([])).slice(1)) == ["null", "{}"]
