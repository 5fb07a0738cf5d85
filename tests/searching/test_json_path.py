"""JSON paths: the part of a value at a path, compared or searched."""

import json
import re

import pyarrow as pa
import pytest

from kafkafmt.searching import record_search

ORDER = {
    "id": 4711,
    "customer": {"id": "4711", "name": "Größe", "a b": [1, {"c": "x"}], "vip": True, "none": None},
    "items": [{"price": 9.5, "name": "blue"}, {"price": 100, "name": "red"}, "loose"],
    "exact": 0,
}
VALUE = (
    json.dumps(ORDER).replace('"exact": 0', '"exact": 12345678901234567890.10, "huge": 1e99999999999999999999').encode()
)


def found(path: str, pattern: str | None = None, value: bytes = VALUE) -> bool:
    search = record_search(pattern, json_path=path)
    assert search.parts == ("value",)
    matched = search.matcher.matches(pa.array([value, None, b"", b"no JSON {", b'{"id": NaN}', b"\xff"], pa.binary()))
    first, null, *others = matched.to_pylist()
    assert null is None
    assert not any(others)
    if first:  # so that batches may be left out by them
        assert not search.matcher.literals or any(each in value for each in search.matcher.literals)
    return bool(first)


@pytest.mark.parametrize(
    "path",
    [
        "$.id=4711",
        "$.id==4711.0",
        "$.id = 47.11e2",
        "$.id!=4712",
        "$.id>=4711",
        "$.id<10000",
        "$.customer.id=4711",
        '$.customer.id="4711"',
        "$.customer.id>'",
        "$.customer.name=Größe",
        "$['customer']['a b'][0]=1",
        '$["customer"]["a b"][1].c=x',
        "$.customer.vip=true",
        "$.customer.none=null",
        "$.items[*].price>99",
        "$.items[1].name=red",
        "$.items[2]=loose",
        "$[*].name=Größe",
        "$.exact=12345678901234567890.1",
        "$.customer.vip!=false",
        "$.huge!=1",
    ],
)
def test_comparisons_that_hold(path: str) -> None:
    assert found(path)


@pytest.mark.parametrize(
    "path",
    [
        '$.id="4711"',
        "$.id=4712",
        "$.id<4711",
        "$.nothing=4711",
        "$.nothing!=4711",
        "$.id.x=4711",
        "$.customer=4711",
        "$.items[3].price>0",
        "$.items[0][0]=1",
        "$.exact=12345678901234567890.2",
        "$.customer.vip>false",
        "$.huge=1",
    ],
)
def test_comparisons_that_do_not_hold(path: str) -> None:
    assert not found(path)


@pytest.mark.parametrize(
    ("path", "pattern", "is_found"),
    [
        ("$.customer.name", "^Gr", True),
        ("$.customer.name", "blue", False),
        ("$.items", "^blue$", True),
        ("$.items[*].name", "^re", True),
        ("$.id", "^47", True),
        ("$.customer.none", "null", True),
        ("$", "loose", True),
        ("$", "price", False),
    ],
)
def test_a_pattern_at_a_place(path: str, pattern: str, is_found: bool) -> None:
    assert found(path, pattern) is is_found


def test_names_may_be_escaped_in_json() -> None:
    assert found("$.id=1", value=b'{"\\u0069d": 1}')
    assert found("$.a=x", value=b'{"a": "\\u0078"}')
    assert found("$.a=x\ny #&~", value=b'{"a": "x\\ny #&~"}')
    assert found("$['a\tb']=x", value=b'{"a\\tb": "x"}')


@pytest.mark.parametrize("number", ["4711", "4711.0", "4.711e3", "47.11E+2", "471100e-2", "4711.000"])
def test_numbers_are_equal_however_they_are_written(number: str) -> None:
    for value in ("4711", "4711.0", "4.711e3"):
        assert found(f"$.id={value}", value=f'{{"id": {number}}}'.encode())
    assert not found("$.id=4712", value=f'{{"id": {number}}}'.encode())
    assert found("$.id=1e99999999999999999999", value=b'{"id": "1e99999999999999999999"}')


def test_no_digit_is_lost() -> None:
    digits = "1234567890" * 4
    for number in (f"0.{digits}", f"1.{digits}0", digits, f"-{digits}.5"):
        assert found(f"$.id={number}", value=f'{{"id": {number}}}'.encode())
        assert not found(f"$.id={number}1", value=f'{{"id": {number}}}'.encode())


def test_values_that_are_no_text_are_nowhere() -> None:
    assert not found("$.id=\udcff")


def test_a_document_too_deep_to_read_does_not_match() -> None:
    assert not found("$.a=1", value=b'{"a":' + b"[" * 200_000)


@pytest.mark.parametrize("path", ["a", "$a", "$.a[", '$.a="', "$..a", "$.a.*", "$.a[x]", "$.a b=1", '$["\\q"]=1'])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{path!r} is not a JSON path")):
        record_search("x", json_path=path)


@pytest.mark.parametrize(
    ("pattern", "path", "message"),
    [("x", "$.a=1", "has a comparison"), (None, "$.a", "needs a pattern or a comparison"), (None, None, "neither")],
)
def test_a_comparison_or_a_pattern(pattern: str | None, path: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        record_search(pattern, json_path=path)


def test_parts_have_names() -> None:
    with pytest.raises(ValueError, match="not 'body'"):
        record_search("x", parts=["body"])
    with pytest.raises(ValueError, match="not none"):
        record_search("x", parts=[])
    with pytest.raises(TypeError):
        record_search("x", parts="key")
    assert record_search("x", parts=["headers", "key"]).parts == ("key", "headers")
