"""Protobuf schemas: .proto text and descriptors, compared with protoc's; message indexes; hostile schemas."""

import json
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import KafkafmtError
from kafkafmt.values.protobuf.arrow import shape_of
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.known import known_file, known_names
from kafkafmt.values.protobuf.message_indexes import bytes_of, index_bytes, message_of, split_indexes
from kafkafmt.values.protobuf.schema import GROUP, ProtoMessage, ProtoSchema, link
from tests.values.golden_values import rows

JUDGED = Path(__file__).parent / "protobuf_judged"
DESCRIPTORS: dict[str, str] = json.loads((JUDGED / "descriptors.json").read_text())
OWN = ("two.proto", "three.proto", "edition.proto")
# Options of protobuf's JSON that no registry knows.
NOT_KNOWN = {"google/protobuf/json_options.proto", "google/protobuf/json_enumvalue_options.proto"}


def facts(message: ProtoMessage) -> dict[str, Any]:
    """The properties that determine the encoding of a message."""
    return {
        "name": message.name,
        "isEntry": message.is_map_entry,
        "nested": [facts(each) for each in message.nested],
        "fields": [
            (each.number, each.name, each.kind, each.is_repeated, each.is_required, each.has_presence, each.oneof)
            + (each.wire == GROUP, each.message and each.message.name)
            + ((each.enum.name, each.enum.is_closed, dict(each.enum.numbers)) if each.enum else ())
            for _, each in sorted(message.fields.items())
        ],
    }


@pytest.mark.parametrize("name", [*OWN, *sorted(DESCRIPTORS.keys() - NOT_KNOWN - set(OWN))])
def test_text_is_read_as_protoc_reads_it(name: str) -> None:
    declared = parse_schema((JUDGED / name).read_text()) if name in OWN else known_file(name)
    judged = parse_schema(DESCRIPTORS[name])
    assert (declared.package, declared.imports) == (judged.package, judged.imports) or name in OWN
    found, expected = link(declared), link(judged)
    assert [facts(each) for each in found.messages] == [facts(each) for each in expected.messages]
    assert found.messages or name.endswith(("calendar_period.proto", "dayofweek.proto", "month.proto"))


def test_known_files_are_those_of_the_registry() -> None:
    assert known_names() == DESCRIPTORS.keys() - NOT_KNOWN - set(OWN) | {
        "confluent/meta.proto",
        "confluent/type/decimal.proto",
        "google/protobuf/field_mask.proto",
    }
    decimal = link(known_file("confluent/type/decimal.proto")).messages[0]
    assert [(each.name, each.kind) for each in decimal.fields.values()] == [
        ("value", "bytes"),
        ("precision", "uint32"),
        ("scale", "int32"),
    ]


def test_what_decides_nothing_is_passed_over() -> None:
    schema = link(parse_schema("""
        // a comment
        syntax = "proto" "3";
        package a.b; import public "google/protobuf/descriptor.proto"; import weak 'x.proto';
        option java_package = "x"; option (my.option).deep = { a: "}" b: [1, 2] c < d: 1 > };
        extend google.protobuf.FieldOptions { optional string tag = 50001; }
        message M {
          option (confluent.message_meta) = { tags: "PII" };
          reserved 5, 7 to 9, 100 to max; reserved "old"; extensions 200 to 300 [verification = UNVERIFIED];
          /* int32 not = 1; */ int32 n = 0x1 [deprecated = true, (tag) = "a;b", json_name = "x"];
          repeated .a.b.M.In ins = 02; ; message In { option deprecated = false; }
          oneof o { option (x) = 1; string s = 3 [(confluent.field_meta) = { params: [{ key: "k", value: "v" }] }]; }
          enum E { option allow_alias = true; reserved 9; A = 0 [deprecated = true]; B = 0; C = -0x1; }
          stream s2 = 12; message stream {} map < string , E > es = 13;
        }
        service S { rpc Do (M) returns (stream M) { option (http) = { get: "/x" }; } rpc No (M) returns (M); }
        """))  # fmt: skip
    (message,) = schema.messages
    assert {number: (each.name, each.kind) for number, each in message.fields.items()} == {
        1: ("n", "int32"),
        2: ("ins", "message"),
        3: ("s", "string"),
        12: ("s2", "message"),
        13: ("es", "message"),
    }
    assert [each.name for each in message.nested] == ["a.b.M.In", "a.b.M.stream", "a.b.M.EsEntry"]
    enum = message.fields[13].message.fields[2].enum  # type: ignore[union-attr]
    assert enum is not None
    assert enum.numbers == {0: "A", -1: "C"}


def test_names_are_found_from_the_inside() -> None:
    base = parse_schema("package a; message M { optional int32 base = 1; } message Other {}")
    schema = link(
        parse_schema(
            "package a.b; message M { optional int32 own = 1; message In { optional M inner = 1; "
            "optional .a.M outer = 2; optional Other other = 3; optional b.M by_package = 4; "
            "message M { optional int32 deep = 1; } } }"
        ),
        [base],
    )
    inner = schema.by_name["a.b.M.In"]
    names = {each.name: each.message and each.message.name for each in inner.fields.values()}
    assert names == {"inner": "a.b.M.In.M", "outer": "a.M", "other": "a.Other", "by_package": "a.b.M"}


@pytest.mark.parametrize("holders", [3, 60])
def test_a_name_that_many_scopes_have(holders: int) -> None:
    text = "package a; message T {} message Last { optional T t = 1; optional M1.T first = 2; } "
    text += " ".join(f"message M{number} {{ optional T t = 1; message T {{}} }}" for number in range(holders))
    schema = link(parse_schema(text))
    names = {name: each.fields[1].message.name for name, each in schema.by_name.items() if each.fields}  # type: ignore[union-attr]
    assert names == {"a.Last": "a.T"} | {f"a.M{number}": f"a.M{number}.T" for number in range(holders)}
    assert schema.by_name["a.Last"].fields[2].message is schema.by_name["a.M1.T"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("message M { int32 n = 1 }", "line 1 .* is not valid .expected ';', found '}'"),
        ("message M {", "found its end"),
        ("message M {\n\n int32 = 1; }", "line 3"),
        ("message M { int32 n = 0; }", "out of range"),
        ("message M { int32 n = 536870912; }", "out of range"),
        ("message M { int32 n = 1; int32 m = 1; }", "the number 1 twice"),
        ("message M { int32 n = 1; int32 n = 2; }", "a field name twice"),
        ("message M { Unknown n = 1; }", "no type Unknown"),
        ("extend Unknown { int32 n = 1; }", "no message Unknown"),
        ("message M { E e = 1; enum E {} }", "no values"),
        ("message M { enum E { A = 2147483648; } }", "out of range"),
        ("message M { option {} }", "name of an option"),
        ("message M { map<bytes, int32> m = 1; }", "not the entry of a map"),
        ("message M { map<string, int32> m = 1; MEntry e = 2; }", "and not a map"),
        ("hello world;", "a declaration"),
        ("\0", "not valid"),
        ("\n/* never closed", "line 2 .* is not valid .expected a comment that is closed"),
        ('syntax = "proto3', "is not valid .expected a string that is closed"),
        ("message M {" * 100, "nested too deeply"),
        ("message M { option (x) = " + "{" * 100_000, "closing bracket"),
        (f"message {'M' * 501} {{}}", "too long"),
        ("AAAA", "not base64|no valid number"),
        ("A", "not base64"),
    ],
    ids=range(23),
)
def test_schemas_that_are_none(text: str, says: str) -> None:
    with pytest.raises(KafkafmtError, match=says):
        link(parse_schema(text))


@pytest.mark.parametrize(
    "text",
    [
        'syntax = "proto3"; package google.protobuf; message Timestamp { string seconds = 1; }',
        "package google; message protobuf { message Struct { repeated Fields f = 1; message Fields {} } }",
        "package google.protobuf; message Any { optional string type_url = 1; repeated bytes value = 2; }",
        "package google.protobuf; message BoolValue {}",
    ],
)
def test_well_known_messages_are_as_they_are_known(text: str) -> None:
    with pytest.raises(KafkafmtError, match=r"another google\.protobuf\."):
        link(parse_schema(text))


def test_columns_are_bounded() -> None:
    text = "message M0 { optional int32 n = 1; }"
    for level in range(1, 40):
        text += f" message M{level} {{ optional M{level - 1} a = 1; optional M{level - 1} b = 2; }}"
    schema = link(parse_schema(text))
    assert shape_of(schema.by_name["M5"]).type.num_fields == 2
    with pytest.raises(KafkafmtError, match="too many columns"):
        shape_of(schema.by_name["M39"])
    chain = "".join(f"message M{level} {{ optional M{level + 1} a = 1; }} " for level in range(3000))
    kind = shape_of(link(parse_schema(chain + "message M3000 {}")).messages[0]).type
    for _ in range(100):
        (field,) = kind
        kind = field.type
    assert str(kind) == "string"


def schema_with_entries() -> ProtoSchema:
    return link(
        parse_schema(
            "message First { message A {} message B {} } "
            "message Second { map<int32, string> names = 1; message Only {} } "
            "message Third { map<int32, string> names = 1; message One {} message Two {} }"
        )
    )


@pytest.mark.parametrize(
    ("indexes", "name"),
    [
        ((0,), "First"),
        ((0, 1), "First.B"),
        # Java does not count map entries, Python does.
        ((1, 0), "Second.Only"),
        ((1, 1), "Second.Only"),
        ((2, 2), "Third.Two"),
        ((2, 0), "Third.One"),
        ((2, 1), None),
        ((3,), None),
        ((0, 2), None),
        ((0, 0, 0), None),
    ],
)
def test_the_message_of_indexes(indexes: tuple[int, ...], name: str | None) -> None:
    if name is not None:
        assert message_of(schema_with_entries(), indexes).name == name
        return
    with pytest.raises(KafkafmtError, match=r"could be|no message of|mean Third\.One or Third\.Two"):
        message_of(schema_with_entries(), indexes)


def test_message_indexes_of_many_values() -> None:
    values = [
        b"\0abc",
        b"\2\0",
        b"\2\4x",
        b"\4\2\6",
        b"",
        b"\2",
        b"\1",
        b"\2\x80\1",
        b"\x0e" + bytes(7),
        b"\x0c" + bytes(6),
    ]
    ends = np.cumsum([len(each) for each in values]).astype(np.int64)
    begins = ends - np.array([len(each) for each in values], np.int64)
    found = index_bytes(np.frombuffer(b"".join(values), np.uint8), begins, ends).tolist()
    assert [None if each < 0 else bytes_of(each) for each in found] == [
        b"\0", b"\2\0", b"\2\4", b"\4\2\6", None, None, None, None, None, b"\x0c" + bytes(6),
    ]  # fmt: skip
    assert [split_indexes(bytes_of(each))[0] for each in found if each >= 0] == [(0,), (0,), (2,), (1, 3), (0,) * 6]


def texts() -> list[str]:
    return [*{row["schema"] for row in rows("protobuf", "schemas")}, *((JUDGED / name).read_text() for name in OWN)]


@given(
    st.integers(0, 10**6), st.integers(0, 200), st.sampled_from(["", "}", "{", ";", "= 1", "message", '"', "[", "map<"])
)
def test_changed_text_gives_a_schema_or_an_error(at: int, size: int, put: str) -> None:
    known = texts()
    text = known[at % len(known)]
    at %= len(text)
    with suppress(KafkafmtError):
        use(parse_schema(text[:at] + put + text[at + size % 20 :]))


@given(st.integers(0, 10**6), st.binary(max_size=8), st.integers(0, 8))
def test_changed_descriptors_give_a_schema_or_an_error(at: int, put: bytes, size: int) -> None:
    known = [DESCRIPTORS[name] for name in (*OWN, "google/protobuf/struct.proto", "google/type/datetime.proto")]
    data = b64decode(known[at % len(known)])
    at %= len(data)
    with suppress(KafkafmtError):
        use(parse_schema(b64encode(data[:at] + put + data[at + size :]).decode()))


def use(declared: Any) -> None:
    for message in link(declared).messages:
        assert shape_of(message).type is not None
