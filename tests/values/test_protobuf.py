"""Protobuf values as written and as resolved, compared with protobuf for Python."""

import gzip
import json
import math
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import KafkafmtError
from kafkafmt.values.decoded import Decoded, TooManyTogetherError
from kafkafmt.values.framing import CONFLUENT_BYTES
from kafkafmt.values.protobuf.arrow import ToArrow, shape_of
from kafkafmt.values.protobuf.bulk import BulkProtobuf
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.json_form import UNKNOWN, VALUE, JsonForm
from kafkafmt.values.protobuf.message_indexes import message_of, split_indexes
from kafkafmt.values.protobuf.schema import ProtoMessage, ProtoSchema, link
from kafkafmt.values.protobuf.wire import ReadMessage, UnknownField, read_message
from tests.values.golden_values import Stored, raw, rows, text

CASES = ("protobuf", "damaged")
JUDGED = Path(__file__).parent / "protobuf_judged"

# protobuf for Python shows such text of proto2 as "b'\\xc3('"; Java puts U+FFFD in its place.
NO_TEXT_OF_PROTO2 = "text is not UTF-8"


@cache
def schema_of(case: str, subject: str, version: int) -> ProtoSchema:
    stored = Stored(case)
    row = stored.row(subject, version)
    return link(parse_schema(row["schema"]), [parse_schema(each) for each in stored.references(row)])


@cache
def subject_of(case: str, schema_id: int) -> tuple[str, int]:
    """A subject and version with this id: they all have the same schema."""
    return next((each["subject"], each["version"]) for each in rows(case, "schemas") if each["schemaId"] == schema_id)


def golden(case: str) -> Iterator[dict[str, Any]]:
    return (row for row in rows(case, "values") if row.get("format") == "protobuf")


def split(case: str, row: dict[str, Any]) -> tuple[ProtoMessage, bytes]:
    """The writer's message type of a row, and the message's bytes."""
    schema = schema_of(case, *subject_of(case, row["schemaId"]))
    if "header" in row["framing"]:
        return message_of(schema, row["messageIndexes"]), raw(row)
    payload = raw(row)[CONFLUENT_BYTES:]
    indexes, start = split_indexes(payload)
    return message_of(schema, indexes), payload[start:]


def without_unknown(value: Any) -> Any:
    if isinstance(value, dict):
        if VALUE in value:
            return without_unknown(value[VALUE])
        return {name: without_unknown(each) for name, each in value.items() if name != UNKNOWN}
    return [without_unknown(each) for each in value] if isinstance(value, list) else value


def unknown_in(read: ReadMessage, path: str = "") -> list[dict[str, Any]]:
    """Unknown fields in the form of the golden files."""
    found = [{"path": path, **each} for each in as_golden(read.unknown)]
    for number, value in read.values.items():
        if isinstance(value, ReadMessage):
            found += unknown_in(value, f"{path}{read.type.fields[number].name}.")
    return found


def as_golden(unknown: Sequence[UnknownField]) -> list[dict[str, Any]]:
    return [{"number": each.number, "wireType": each.wire, "data": data_of(each)} for each in unknown]


def data_of(unknown: UnknownField) -> Any:
    if isinstance(unknown.data, bytes):
        return {"$bytes": b64encode(unknown.data).decode()}
    return unknown.data if isinstance(unknown.data, int) else {"group": as_golden(unknown.data)}


@pytest.mark.parametrize("case", CASES)
def test_values_as_written(case: str) -> None:
    compared = 0
    for row in golden(case):
        made = unknown = None
        with suppress(KafkafmtError):
            message, data = split(case, row)
            read = read_message(message, data)
            made = text(without_unknown(JsonForm({}).of(read)))
            unknown = unknown_in(read)
        place = (row["topic"], row["offset"], row["part"])
        assert made == (text(row["written"]) if "written" in row else None), place
        if made is not None:
            assert unknown == row.get("writtenUnknown", []), place
        compared += 1
    assert compared >= {"protobuf": 291, "damaged": 1}[case]


def test_values_as_resolved() -> None:
    compared = 0
    for row in golden("protobuf"):
        if "message" not in row or "error" in row:
            continue
        _, data = split("protobuf", row)
        latest = schema_of("protobuf", row["latest"]["subject"], row["latest"]["version"]).by_name
        assert (row["message"] in latest) == ("resolvedError" not in row)
        if row["message"] in latest:
            read = read_message(latest[row["message"]], data)
            assert text(without_unknown(JsonForm({}).of(read))) == text(row["resolved"]), (row["topic"], row["offset"])
            assert unknown_in(read) == row.get("resolvedUnknown", [])
            assert (read.unknown_fields > 0) == ("resolvedUnknown" in row)
            compared += 1
    assert compared == 236


@cache
def judged_schema(name: str) -> ProtoSchema:
    return link(parse_schema((JUDGED / f"{name}.proto").read_text()))


@cache
def judged() -> list[dict[str, Any]]:
    """Cases of protobuf_judged, as read by protobuf for Python."""
    lines = gzip.decompress((JUDGED / "cases.jsonl.gz").read_bytes()).decode().splitlines()
    return [{**case, "data": b64decode(case["data"])} for case in map(json.loads, lines)]


def test_random_and_damaged_values_as_protobuf_reads_them() -> None:
    results = Counter[str]()
    for case in judged():
        schema = judged_schema(case["schema"])
        error = ""
        try:
            read = read_message(schema.by_name[case["message"]], case["data"])
            made = JsonForm(schema.by_name).of(read)
        except KafkafmtError as refused:
            error = str(refused)
        if "error" in case:
            assert error, case
            results["errors"] += 1
        elif error:
            assert case["schema"] == "two"
            assert NO_TEXT_OF_PROTO2 in error
        else:
            assert text(without_unknown(made)) == text(case["json"])
            assert (read.unknown_fields > 0) == case["hasUnknown"]
            results["values"] += 1
    assert results["errors"] > 300
    assert results["values"] > 500


class Both:
    """Reads values one by one and at once, and compares the results."""

    def __init__(self, schema: ProtoSchema, message: ProtoMessage) -> None:
        self._message = message
        self._shape = shape_of(message)
        json_form = JsonForm(schema.by_name)
        self._to_arrow = ToArrow(self._shape, json_form)
        self._remarks = Counter[str]()
        self._bulk = BulkProtobuf(self._shape, json_form, lambda data: Decoded(self._one(data)))

    def _one(self, data: bytes) -> Any:
        value = self._to_arrow.value(read_message(self._message, data))
        self._remarks.update(self._to_arrow.remarks)
        return value

    def check(self, values: Sequence[bytes | None]) -> tuple[pa.Array, dict[int, str]]:
        """Compare both; return the array and the errors."""
        single, errors = [], {}
        self._remarks.clear()
        for row, each in enumerate(values):
            made = None
            try:
                made = None if each is None else self._one(each)
            except KafkafmtError as error:
                errors[row] = str(error)
            single.append(made)
        remarks = +self._remarks
        self._remarks.clear()
        ends = np.cumsum([len(each or b"") for each in values]).astype(np.int64)
        begins = np.array([-1 if each is None else end - len(each) for each, end in zip(values, ends, strict=True)])
        source = np.frombuffer(b"".join(each or b"" for each in values), np.uint8)
        found = self._bulk.read(source, begins.astype(np.int64), ends)
        found.values.validate(full=True)
        expected = pa.array(single, self._shape.type)
        assert found.values.type == expected.type
        assert comparable(found.values.to_pylist()) == comparable(expected.to_pylist())
        assert {row: str(error) for row, error in found.errors.items()} == errors
        self._remarks.update({each.text: each.values for each in found.remarks})
        assert +self._remarks == remarks
        return found.values, errors


def comparable(value: Any) -> Any:
    """A comparable value: NaN equals NaN, and 0.0 differs from -0.0."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {name: comparable(each) for name, each in value.items()}
    return [comparable(each) for each in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("name", ["two", "three", "edition"])
def test_many_values_at_once_are_as_one_by_one(name: str) -> None:
    schema = judged_schema(name)
    both = Both(schema, schema.messages[0])
    values = [case["data"] for case in judged() if case["schema"] == name]
    _, errors = both.check([*values, None, b""])
    assert len(errors) > 50
    # With bytes cut and changed: the order decides the columns' content when a value is rolled back.
    changed = []
    for number, data in enumerate(values):
        at = number * 7 % (len(data) + 1)
        changed += [data[:at], data[:at] + bytes([number % 256]) + data[at + 1 :]]
    both.check(changed)


def test_many_values_are_decoded_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = judged_schema("edition")
    both = Both(schema, schema.messages[0])
    values = [case["data"] for case in judged() if case["schema"] == "edition"]
    monkeypatch.setattr("kafkafmt.values.decoded.MOST_TOGETHER", 1000)
    with pytest.raises(TooManyTogetherError):
        both.check(values)
    for each in values[:20]:
        both.check([each])


@pytest.mark.parametrize("number", range(20))
def test_golden_values_at_once(number: int) -> None:
    found: dict[tuple[str, int, str], list[bytes]] = {}
    for row in golden("protobuf"):
        if "message" in row:
            key = (row["latest"]["subject"], row["latest"]["version"], row["message"])
            found.setdefault(key, []).append(split("protobuf", row)[1])
    for (subject, version, message), values in list(found.items())[number::20]:
        schema = schema_of("protobuf", subject, version)
        if message in schema.by_name and schema.by_name[message].fields:
            Both(schema, schema.by_name[message]).check(values)


@given(st.lists(st.one_of(st.none(), st.binary(max_size=60)), max_size=30))
def test_any_bytes_give_values_or_errors(values: list[bytes | None]) -> None:
    schema = judged_schema("three")
    Both(schema, schema.messages[0]).check(values)


def schema_with(body: str, head: str = 'syntax = "proto3";') -> ProtoSchema:
    return link(parse_schema(f"{head} message M {{ {body} }}"))


def test_lists_grow() -> None:
    schema = schema_with(
        "repeated int32 n = 1; repeated M m = 2; map<int32, string> s = 3; repeated S e = 4; message S {}"
    )
    many = bytes([0x08, 7]) * 5000
    entries = b"".join(b"\x1a\x07\x08" + bytes([0x80 | each & 0x7F, each >> 7]) + b"\x12\x02ab" for each in range(3000))
    packed = b"\x0a\xd0\x0f" + bytes(2000)
    values, errors = Both(schema, schema.messages[0]).check([many, b"", entries, None, packed, b"\x22\0" * 3000, many])
    assert not errors
    assert [len(each["n"]) if each else None for each in values.to_pylist()] == [5000, 0, 0, None, 2000, 0, 5000]
    assert len(values[2]["s"]) == 3000


def test_enums_may_begin_with_another_number() -> None:
    # protoc rejects that, other compilers do not.
    schema = schema_with("E e = 1; map<int32, E> m = 2; repeated E r = 3; enum E { A = 1; B = 0; }")
    values, _ = Both(schema, schema.messages[0]).check([b"", b"\x08\0\x12\0\x1a\x02\0\1", b"\x08\1\x12\2\x10\0\x18\0"])
    assert [each["e"] for each in values.to_pylist()] == ["A", "B", "A"]
    assert [each["m"] for each in values.to_pylist()] == [[], [(0, "A")], [(0, "B")]]


def sized(prefix: bytes, data: bytes) -> bytes:
    """A tag, the length of the data (below 16 kB), and the data."""
    size = len(data)
    return prefix + (bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])) + data


@pytest.mark.parametrize(
    ("body", "data", "says"),
    [
        ("M m = 1;", None, "nested too deeply"),
        ("repeated W w = 1; message W { " + " ".join(f"int32 f{n} = {n};" for n in range(1, 1001)) + " }",
         b"\x0a\0" * 30, "too many fields"),
        ("bytes b = 1;", b"\x0a\xff\xff\xff\xff\x0f", "a length leaves the message"),
        ("repeated int32 n = 1;", b"\x0a\xff\xff\xff\xff\x0f", "a length leaves the message"),
        ("repeated fixed64 n = 1;", b"\x0a\x09" + bytes(9), "packed numbers have another size"),
        ("int32 n = 1;", b"\x0b" * 200, "nested too deeply"),
        ("int32 n = 1;", b"\x80\x80\x80\x80\x10\x01", "no valid number"),
    ],
    ids=["deep", "wide", "bytes", "packed", "half", "groups", "tag"],
)  # fmt: skip
def test_bombs_end_at_a_bound(body: str, data: bytes | None, says: str) -> None:
    if data is None:
        data = b""
        for _ in range(200):
            data = sized(b"\x0a", data)
    schema = schema_with(body)
    with pytest.raises(KafkafmtError, match=says):
        read_message(schema.messages[0], data)
    _, errors = Both(schema, schema.messages[0]).check([b"", data])
    assert says in errors[1]


def test_the_deepest_values() -> None:
    schema = link(parse_schema(
        'import "google/protobuf/struct.proto"; import "google/protobuf/any.proto"; '
        "message M { optional M m = 1; optional google.protobuf.Value v = 2; optional google.protobuf.Any any = 3; }"
    ))  # fmt: skip
    both = Both(schema, schema.messages[0])
    messages, lists, packed = [b""], b"", b""
    for _ in range(101):
        messages.append(sized(b"\x0a", messages[-1]))
    for _ in range(49):
        lists = sized(b"\x32", sized(b"\x0a", lists))
        packed = sized(b"\x1a", sized(b"\x0a", b"x/M") + sized(b"\x12", packed))
    values, errors = both.check([messages[100], messages[101], sized(b"\x12", lists), packed, sized(b"\x0a", packed)])
    found = values.to_pylist()
    assert found[0]["m"].count("{") == 100
    assert found[2]["v"] == "[" * 49 + "null" + "]" * 49
    assert found[3]["any"].count("x/M") == 49
    assert {row: "nested too deeply" in error for row, error in errors.items()} == {1: True}


def test_what_is_no_json() -> None:
    schema = link(parse_schema(
        'syntax = "proto3"; import "google/protobuf/any.proto"; import "google/protobuf/field_mask.proto"; '
        "message M { google.protobuf.Any any = 1; google.protobuf.FieldMask mask = 2; int32 n = 3; }"
    ))  # fmt: skip
    form = JsonForm(schema.by_name)

    def as_json(data: bytes) -> Any:
        return form.of(read_message(schema.messages[0], data))

    inner = b"\x18\x05"
    packed = b"\x0a\x07\x0a\x01x\x12\x02" + inner
    assert as_json(packed)["any"] == {"@type": "x", "value": "GAU="}
    packed = b"\x0a\x09\x0a\x03x/M\x12\x02" + inner
    assert as_json(packed)["any"] == {"@type": "x/M", "n": 5}
    assert as_json(b"\x12\x05\x0a\x03a_b")["mask"] == "aB"
    for path in (b"aB", b"a_", b"a__", b"a_1"):
        with pytest.raises(KafkafmtError, match="no JSON form"):
            as_json(bytes([0x12, len(path) + 2, 0x0A, len(path)]) + path)
    with pytest.raises(KafkafmtError, match="a number is cut"):
        as_json(b"\x0a\x08\x0a\x03x/M\x12\x01\x18")


def test_types_of_columns() -> None:
    schema = judged_schema("three")
    kind = shape_of(schema.messages[0]).type
    kinds = {field.name: field.type for field in kind}
    assert kinds["ul"] == pa.uint64()
    assert kinds["e"] == pa.string()
    assert kinds["at"] == pa.timestamp("us", "UTC")
    assert kinds["ds"] == pa.list_(pa.field("element", pa.duration("us")))
    assert kinds["w"] == pa.int64()
    assert kinds["st"] == kinds["me"] == pa.string()
    assert kinds["mt"] == pa.map_(pa.int64(), pa.timestamp("us", "UTC"))
    assert pa.types.is_struct(kinds["ms"].item_type)
    values, _ = Both(schema, schema.messages[0]).check([b"\xd8\x01\x63", b""])
    unknown, empty = values.to_pylist()
    assert unknown["e"] == "99"
    assert (empty["e"], empty["oi"], empty["i"], empty["sub"], empty["subs"], empty["w"]) == (
        "ZERO",
        None,
        0,
        None,
        [],
        None,
    )
    assert math.isclose(empty["d"], 0.0)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (b"\x0a\x02\x04\xd2\x18\x02", "12.34"),
        (b"\x0a\x01\xff\x18\x03", "-0.001"),
        (b"\x0a\x01\x07", "7"),
        (b"\x0a\x01\x07\x18\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "700"),
        (b"\x0a\x01\0\x18\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "0"),
        (b"", None),
        (b"\x0a\x01\x07\x18\xff\xff\xff\xff\x07", None),
    ],
)
def test_decimals_are_text(number: bytes, expected: str | None) -> None:
    schema = link(parse_schema(
        'syntax = "proto3"; import "confluent/type/decimal.proto"; '
        "message M { confluent.type.Decimal d = 1; repeated confluent.type.Decimal r = 2; }"
    ))  # fmt: skip
    sized = bytes([len(number)]) + number
    values, errors = Both(schema, schema.messages[0]).check([b"\x0a" + sized + b"\x12" + sized, b""])
    assert values.to_pylist()[0] == (None if expected is None else {"d": expected, "r": [expected]})
    assert [*errors] == ([0] if expected is None else [])
