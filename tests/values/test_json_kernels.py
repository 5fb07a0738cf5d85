"""JSON values read by kernels: the same columns, errors and remarks as by the reference reader, for any bytes."""

import json
import pickle
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkafmt.columnar import kernels
from kafkafmt.values.formats import Primitive, ReadColumn
from kafkafmt.values.framing import framing_of
from kafkafmt.values.json import columns
from kafkafmt.values.json.columns import JsonColumns
from kafkafmt.values.json.plain import PlainJson
from kafkafmt.values.json.schema import parse, type_of
from kafkafmt.values.json.types import ANY, JsonType, arrow_type
from tests.values.golden_values import Stored, raw, rows

BOOLEAN, INTEGER, NUMBER, STRING = (JsonType(kind) for kind in ("boolean", "integer", "number", "string"))
WIDE = JsonType("object", {str(number): STRING for number in range(40)})
ORDER = JsonType(
    "object",
    {
        "id": INTEGER,
        "total": NUMBER,
        "paid": BOOLEAN,
        "name": STRING,
        "any": ANY,
        "customer": JsonType("object", {"city": STRING, "tags": JsonType("array", inner=STRING), "näme": INTEGER}),
        "items": JsonType(
            "array", inner=JsonType("object", {"sku": STRING, "prices": JsonType("array", inner=NUMBER)})
        ),
        "labels": JsonType("map", inner=JsonType("object", {"x": INTEGER, "m": JsonType("map", inner=STRING)})),
    },
)


@pytest.fixture(autouse=True)
def kernels_from_the_first_byte_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_WORTH_IT", 0)


def by_kernels(json_type: JsonType, stored: pa.Array, skip: int = 0) -> ReadColumn:
    return JsonColumns(json_type).read(stored, skip)


def one_by_one(json_type: JsonType, stored: pa.Array, skip: int = 0) -> ReadColumn:
    return JsonColumns(json_type)._read_each(stored, range(len(stored)), skip)


def assert_same(json_type: JsonType, documents: Sequence[bytes | None], skip: int = 0) -> ReadColumn:
    stored = pa.array(documents, pa.binary())
    made, expected = by_kernels(json_type, stored, skip), one_by_one(json_type, stored, skip)
    made.values.validate(full=True)
    assert made.values.type == expected.values.type == arrow_type(json_type)
    # As text, where -0.0 differs from 0.0.
    assert list(map(repr, made.values.to_pylist())) == list(map(repr, expected.values.to_pylist()))
    assert {row: str(error) for row, error in made.errors.items()} == {
        row: str(error) for row, error in expected.errors.items()
    }
    assert list(made.errors) == sorted(made.errors)
    assert said(made) == said(expected)
    return made


def said(column: ReadColumn) -> Counter[str]:
    counts = Counter[str]()
    for each in column.remarks:
        counts[each.text] += each.values
    return counts


def test_kernels_read_plain_values() -> None:
    documents = [
        b'{"id":1,"total":-1.25e2,"paid":true,"name":"\xc3\xa4","any":[1, {}],"customer":{"city":"Graz","tags":[]}}',
        b'{"name":"\\u00e4\\ud83e\\udd80\\n","items":[{"sku":"a","prices":[0.1,-0,1e22]},null,{}],"labels":{"a":{"x":1}}}',
        b' { "customer" : { "n\xc3\xa4me" : 3 , "tags" : [ "x" , null ] } , "labels" : { "k" : { "m" : { } } } } ',
        b"null",
        b"{}",
    ]
    columns_of = JsonColumns(ORDER)
    found, rows_said = columns_of._kernels.read(*_bounds(documents))  # type: ignore[union-attr]
    assert rows_said.tolist() == [0] * 5
    assert found.to_pylist()[1]["name"] == "ä🦀\n"
    assert found.to_pylist()[3] is None
    assert_same(ORDER, [*documents, None])


def _bounds(documents: list[bytes]) -> tuple[Any, Any, Any]:
    ends = np.cumsum([len(each) for each in documents])
    return np.frombuffer(b"".join(documents), np.uint8), ends - [len(each) for each in documents], ends


@pytest.mark.parametrize(
    "number",
    [
        *(
            "0",
            "-0",
            "-0.0",
            "00",
            "01",
            "-",
            "+1",
            "1.",
            ".5",
            "1e",
            "1e+",
            "1e5",
            "1E-5",
            "1e400",
            "-1e400",
            "1e-400",
        ),
        *("9007199254740992", "9007199254740993", "999999999999999999", "9999999999999999999", "0.1", "1e22", "1e23"),
        *("0.9583970000393942", "123456789012345678901234567890", "4.9e-324", "2.2250738585072011e-308", "1.7e308"),
        *(
            "0.000000000000000000000000000000000000000001",
            "9223372036854775807",
            "-9223372036854775808",
            "1e1000000000",
        ),
        *(
            "1.0",
            "100e-2",
            "0e0",
            "1_0",
            "0x1",
            "NaN",
            "Infinity",
            "-Infinity",
            "nul",
            "null",
            "true",
            "tru",
            "1 2",
            "123e300",
        ),
    ],
)
def test_numbers(number: str) -> None:
    for json_type in (NUMBER, INTEGER, ANY, STRING, BOOLEAN):
        assert_same(json_type, [number.encode(), f"[{number}]".encode()])
        assert_same(JsonType("array", inner=json_type), [f"[{number}]".encode(), f"[0,{number}, {number} ]".encode()])


def test_integers_of_64_bits_are_plain() -> None:
    near = [2**63 - 1, 2**63 - 2, -(2**63), 1 - 2**63, 10**18, 10**18 - 1, -(10**18), 1559033907000123456]
    beyond = [2**63, -(2**63) - 1, 9999999999999999999, 10**19, -(10**19)]
    documents = [str(each).encode() for each in near + beyond]
    assert list(assert_same(INTEGER, documents).errors) == list(range(len(near), len(documents)))
    found, said_of_rows = JsonColumns(INTEGER)._kernels.read(*_bounds(documents[: len(near)]))  # type: ignore[union-attr]
    assert found.to_pylist() == near
    assert not said_of_rows.any()


@pytest.mark.parametrize("seed", range(3))
def test_random_doubles(seed: int) -> None:
    chosen = random.Random(seed)
    numbers = [repr(chosen.uniform(-1, 1) * 10.0 ** chosen.randint(-300, 300)) for _ in range(3000)]
    numbers += [
        f"{chosen.randint(0, 10**18)}.{chosen.randint(0, 10**9)}e{chosen.randint(-40, 40)}" for _ in range(3000)
    ]
    assert not assert_same(NUMBER, [each.encode() for each in numbers]).errors


@pytest.mark.parametrize(
    "text",
    [
        *(b'"', b'""', b'"a', b'"\\"', b'"\\x"', b'"\\u12"', b'"\\ud800"', b'"\\udc00"', b'"\\ud83e\\udd80"'),
        *(
            b'"\\ud83e\\u0041"',
            b'"\x00"',
            b'"\x1f"',
            b'"\x7f"',
            b'"\xc3\xa4"',
            b'"\xc3"',
            b'"\xc0\x80"',
            b'"\xed\xa0\x80"',
        ),
        *(
            b'"\xf0\x9f\xa6\x80"',
            b'"\xf4\x90\x80\x80"',
            b'"\xe0\x80\x80"',
            b'"aaaaaaaa"',
            b'"aaaaaaa\xff"',
            b'"\\u00E4\\/\\b\\f\\r\\t"',
        ),
        *(
            b'\xef\xbb\xbf""',
            b'\xff\xfe"\x00"\x00',
            b'"\\u0000"',
            b'"' + b"x" * 600 + b'"',
            b'"' + b"\xc3\xa4" * 600 + b'"',
        ),
    ],
)
def test_texts(text: bytes) -> None:
    for json_type in (STRING, ANY, NUMBER):
        assert_same(json_type, [text, text[:-1], text * 2])
    assert_same(
        ORDER, [b'{"name":' + text + b"}", b'{"any":' + text + b"}", b'{"x":' + text + b"}", b"{" + text + b":1}"]
    )
    assert_same(JsonType("map", inner=STRING), [b"{" + text + b":" + text + b"}"])


def documents_of(json_type: JsonType) -> st.SearchStrategy[Any]:
    """Documents that often fit a type."""
    anything = st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=5,
    )
    fitting: dict[str, st.SearchStrategy[Any]] = {
        "boolean": st.booleans(),
        "integer": st.integers(-(2**64), 2**64) | st.integers(-9, 9),
        "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
        "string": st.text(max_size=9),
        "text": anything,
    }
    if json_type.kind in fitting:
        made = fitting[json_type.kind]
    elif json_type.kind == "object":
        made = st.fixed_dictionaries({}, optional={name: documents_of(each) for name, each in json_type.fields.items()})
    else:
        assert json_type.inner is not None
        inner = documents_of(json_type.inner)
        made = (
            st.lists(inner, max_size=4)
            if json_type.kind == "array"
            else st.dictionaries(st.text(max_size=3), inner, max_size=4)
        )
    return st.one_of(made, made, made, made, made, made, st.none(), anything) if json_type.kind != "text" else made


TYPES = st.sampled_from([ORDER, WIDE, JsonType("array", inner=ORDER), JsonType("map", inner=NUMBER), ANY, STRING])


def packed(document: Any, is_ascii: bool, indent: int | None) -> bytes:
    return json.dumps(document, ensure_ascii=is_ascii, indent=indent).encode("utf-8", "surrogatepass")


@settings(max_examples=150)
@given(st.data(), TYPES, st.booleans(), st.sampled_from([None, 1]))
def test_any_documents(data: st.DataObject, json_type: JsonType, is_ascii: bool, indent: int | None) -> None:
    found = data.draw(st.lists(documents_of(json_type), max_size=6))
    assert_same(json_type, [packed(each, is_ascii, indent) for each in found])


@settings(max_examples=150)
@given(st.data(), TYPES)
def test_changed_bytes(data: st.DataObject, json_type: JsonType) -> None:
    document = packed(data.draw(documents_of(json_type)), is_ascii=False, indent=None)
    changed = []
    for _ in range(8):
        at = data.draw(st.integers(0, len(document)))
        piece = data.draw(
            st.sampled_from([b"", b"\0", b'"', b"}", b"]", b",", b":", b"\\", b"0", b"-", b"\xff", b" ", b"{", b"["])
        )
        changed.append(document[:at] + piece + document[at + data.draw(st.integers(0, 2)) :])
    assert_same(json_type, changed)


@settings(max_examples=100)
@given(st.lists(st.binary(max_size=12) | st.none(), max_size=8), TYPES, st.integers(0, 6))
def test_any_bytes(documents: list[bytes | None], json_type: JsonType, skip: int) -> None:
    assert_same(json_type, documents, skip)


def test_values_shorter_than_what_is_skipped() -> None:
    made = assert_same(NUMBER, [b"1", b"12", b"1234", b"123", b""], skip=3)
    assert made.values.to_pylist() == [None, None, 4.0, None, None]
    assert list(made.errors) == [0, 1, 3, 4]


def test_golden_values() -> None:
    stored = Stored("json-schema")
    for subject, version in (
        ("invoices-value", 3),
        ("draft-4-value", 1),
        ("json-odd-value", 1),
        ("json-union-value", 1),
    ):
        json_type = type_of(parse(stored.row(subject, version)["schema"]))
        documents = [
            framing_of(raw(row)).payload
            for row in rows("json-schema", "values")
            if row["part"] == "value" and not row.get("null") and row["topic"] != "json-headers"
        ]
        assert len(documents) > 50
        assert_same(json_type, documents)


def test_columns_that_grow() -> None:
    items = b",".join(b'{"sku":"%d","prices":[%d,0.5]}' % (number, number) for number in range(5000))
    labels = b",".join(b'"k%d":{"x":%d,"m":{"a":"b"}}' % (number, number) for number in range(30))
    many = (
        b'{"items":['
        + items
        + b'],"labels":{'
        + labels
        + b'},"customer":{"tags":["'
        + b'","'.join([b"t"] * 3000)
        + b'"]}}'
    )
    assert not assert_same(ORDER, [b"{}", many, None, b'{"items":[', many]).errors.keys() - {3}


def test_names_that_come_twice_and_many_keys() -> None:
    keys = b",".join(b'"%d":1' % number for number in range(100))
    assert_same(JsonType("map", inner=NUMBER), [b'{"a":1,"a":2}', b"{" + keys + b"}", b'{"a":1,"\\u0061":2}'])
    assert_same(ORDER, [b'{"id":1,"id":2}', b'{"id":1,"i\\u0064":2}', b'{"customer":{"city":"a"},"customer":null}'])
    assert_same(WIDE, [b'{"39":"z","0":"a","39":"y"}', b'{"7":"x","3":"y","40":"unknown"}'])


def test_depth_and_width() -> None:
    deep = b"[" * 61 + b"]" * 61
    assert_same(ANY, [deep, b"[" + deep + b"]", b'{"a":' * 70 + b"1" + b"}" * 70])
    wide = JsonType("array", inner=JsonType("object", {str(number): STRING for number in range(900)}))
    documents = [b"[" + b",".join([b"{}"] * 1000) + b"]", b"[" + b",".join([b"{}"] * 3000) + b"]"]
    assert list(assert_same(wide, documents).errors) == [1]
    many = JsonType("object", {str(number): STRING for number in range(2000)})
    assert JsonColumns(many)._kernels is None
    assert_same(many, [b'{"7":"x"}'])


def test_one_compilation_serves_all_buffers() -> None:
    by_kernels(ORDER, pa.array([b'{"id":1}'], pa.binary()))
    compiled = len(kernels.read_json._code)  # type: ignore[attr-defined]
    data = b'{"id":1}{"id":2}'
    for buffer in (
        pa.py_buffer(bytearray(data)),
        pa.py_buffer(data),
        pa.py_buffer(np.frombuffer(data, np.uint8).copy()),
    ):
        stored = pa.Array.from_buffers(pa.binary(), 2, [None, pa.py_buffer(np.array([0, 8, 16], np.int32)), buffer])
        assert [row["id"] for row in by_kernels(ORDER, stored).values.to_pylist()] == [1, 2]
        assert by_kernels(ORDER, stored.slice(1)).values.to_pylist()[0]["id"] == 2
        assert by_kernels(ORDER, stored.take(pa.array([1]))).values.to_pylist()[0]["id"] == 2
    assert len(kernels.read_json._code) == compiled  # type: ignore[attr-defined]


PLAIN = [
    *(b"{}", b' {"a": [1, 2]}\n', b'{"a":1}{', b"", b"\xff", b"NaN", b'"\\ud800"', b"\xef\xbb\xbf{}", b"null", None),
    *(b"1e400", b"9" * 5000, b"[" * 100 + b"]" * 100, b'{"\\u0061":1}', b'{"a":1,"a":2}', b"\xff\xfe{\x00}\x00"),
]


@given(st.lists(st.sampled_from(PLAIN) | st.binary(max_size=5), max_size=8))
def test_json_without_a_schema(documents: list[bytes | None]) -> None:
    stored, headers = pa.array(documents, pa.binary()), pa.nulls(len(documents))
    made = PlainJson().decode_all(stored, headers)
    expected = Primitive("json").decode_all(stored, headers)
    assert made.values.equals(expected.values)
    assert {row: str(error) for row, error in made.errors.items()} == {
        row: str(error) for row, error in expected.errors.items()
    }
    assert pickle.loads(pickle.dumps(PlainJson())).name == "json"


def test_small_columns_load_no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    made = JsonColumns(ORDER)
    made.read(pa.array([b"{}"] * 100, pa.binary()))
    assert "_kernels" not in vars(made)


def test_without_a_compiler_values_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> int:
        raise ImportError("no numba")

    monkeypatch.setattr("kafkafmt.values.json.bulk.read_json", none)
    assert by_kernels(ORDER, pa.array([b'{"id":1}'], pa.binary())).values.to_pylist()[0]["id"] == 1
    assert kernels.read_json is not none
