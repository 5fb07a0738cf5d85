"""Avro values as written and as resolved, compared with Apache Avro for Java (golden/values)."""

import json
from collections.abc import Iterator
from contextlib import suppress
from math import isfinite, isnan
from typing import Any

import pytest

from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError
from kafkafmt.values.avro.arrow import arrow_type, converter
from kafkafmt.values.avro.datum import Branch
from kafkafmt.values.avro.json_encoding import binary_of_json
from kafkafmt.values.avro.reading import read_value, reading
from kafkafmt.values.avro.resolution import resolve
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.framing import framing_of
from tests.values.golden_values import Stored, as_golden, raw, rows, text

CASES = ("avro", "framings", "registry", "damaged")

# Real readers disagree, or accept bytes that no writer writes: an error is the better answer.
STRICTER = {
    ("meters.mutated", 28): "Java takes U+FFFD for what is not UTF-8, Python refuses it",
    ("meters.one", 3): "the same",
    ("meters.one", 4): "the same of a surrogate",
    ("meters.one", 6): "Java cuts an int of more than 32 bits, Python gives a larger number",
    ("meters.one", 16): "Java takes a boolean 2 for false, Python for true",
    ("meters.one", 17): "the same of 255",
    ("meters.one", 34): "3,000 levels: more than the bound of 250",
}
# Their errors concern the framing or the schema, not the bytes.
ELSEWHERE = {"unknown schema id", "not framed", "unknown schema guid", "wrong magic", "truncated header"}


def golden(case: str) -> Iterator[dict[str, Any]]:
    for row in rows(case, "values"):
        is_avro = row.get("format") == "avro" and row.get("subject") and "glue" not in row["framing"]
        if is_avro and row.get("error", {}).get("kind") not in ELSEWHERE:
            yield row


def node_of(case: str, subject: str, version: int) -> Node:
    stored = Stored(case)
    row = stored.row(subject, version)
    return parse(row["schema"], stored.references(row))


def payload(row: dict[str, Any]) -> bytes:
    return raw(row) if "header" in row["framing"] else framing_of(raw(row)).payload


def value_of(row: dict[str, Any], writer: Node, reader: Node | None) -> tuple[Any, int]:
    data = payload(row)
    if row["framing"].endswith("-json"):
        data = binary_of_json(writer, data)
    if writer.type == "bytes" and (reader or writer).type == "bytes":
        return data, 0
    return read_value(reading(writer, reader), data)


def as_text(row: dict[str, Any], writer: Node, reader: Node | None) -> tuple[str, int] | None:
    """The value in the form of the golden files, and the remaining bytes; None for an error."""
    try:
        value, left = value_of(row, writer, reader)
        if (reader or writer).logical == "decimal" and not value:
            return None
        return text(as_golden(reader or writer, value)), left
    except KafkafmtError:
        return None


@pytest.mark.parametrize("case", CASES)
def test_values_as_written(case: str) -> None:
    compared = 0
    for row in golden(case):
        made = as_text(row, node_of(case, row["subject"], row["version"]), None)
        place = (row["topic"], row["offset"])
        if "written" in row and place not in STRICTER:
            assert made == (text(row["written"]), row.get("bytesLeft", 0)), place
        elif not _is_empty_decimal(row):
            assert made is None, place
        compared += 1
    assert compared >= {"avro": 316, "framings": 45, "registry": 39, "damaged": 100}[case]


@pytest.mark.parametrize("case", CASES)
def test_values_as_resolved(case: str) -> None:
    compared = 0
    for row in golden(case):
        if row.get("latest") and {"resolved", "resolvedError"}.intersection(row):
            writer = node_of(case, row["subject"], row["version"])
            made = as_text(row, writer, node_of(case, row["latest"]["subject"], row["latest"]["version"]))
            expected = text(row["resolved"]) if "resolved" in row else None
            assert (made and made[0]) == expected, (row["topic"], row["offset"])
            compared += 1
    assert compared >= {"avro": 297, "framings": 0, "registry": 0, "damaged": 5}[case]


def _is_empty_decimal(row: dict[str, Any]) -> bool:
    """Whether it is a decimal without bytes: the reader gives the bytes, and its conversion rejects them."""
    return "Zero length BigInteger" in row.get("error", {}).get("says", {}).get("avro-java", "")


@pytest.mark.parametrize("case", CASES)
def test_cut_and_changed_values_give_values_or_errors(case: str) -> None:
    seen = 0
    for row in list(golden(case))[::7]:
        writer = node_of(case, row["subject"], row["version"])
        read = reading(writer)
        data = payload(row)[:80]
        for end in range(len(data)):
            changed = data[:end] + bytes([data[end] ^ 1 << end % 8]) + data[end + 1 :]
            for each in (data[:end], changed, changed + b"\xff" * 9):
                with suppress(KafkafmtError):
                    read_value(read, each)
                seen += 1
    assert seen > 100


DEEP = '{"type":"record","name":"R","fields":[{"name":"next","type":["null","R"]}]}'


def json_encoding(node: Node, value: Any) -> Any:
    """A value of the reference reader in Avro's JSON encoding."""
    match node.type:
        case "bytes" | "fixed":
            return value.decode("latin-1")
        case "array":
            return [json_encoding(node.inner[0], each) for each in value]
        case "map":
            return {name: json_encoding(node.inner[0], each) for name, each in value}
        case "record":
            return {each.name: json_encoding(each.type, value[each.name]) for each in node.fields}
        case "union" if value is not None:
            name = value.name if isinstance(value, Branch) else node.optional and node.optional.branch_name
            (branch,) = [each for each in node.inner if each.branch_name == name]
            return {name: json_encoding(branch, value.value if isinstance(value, Branch) else value)}
    is_number = not isinstance(value, float) or isfinite(value)
    return value if is_number else "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


@pytest.mark.parametrize("case", ["avro", "framings", "registry"])
def test_the_json_encoding_has_the_same_values(case: str) -> None:
    compared = 0
    for row in golden(case):
        writer = node_of(case, row["subject"], row["version"])
        if row["framing"].endswith("-json") or "written" not in row:
            continue
        value, _ = value_of(row, writer, None)
        try:
            binary = binary_of_json(writer, json.dumps(json_encoding(writer, value)).encode())
        except LimitExceededError:  # a tree of 200 levels
            continue
        again, left = read_value(reading(writer), binary)
        assert (text(as_golden(writer, again)), left) == (text(as_golden(writer, value)), 0)
        compared += 1
    assert compared >= {"avro": 310, "framings": 30, "registry": 30}[case]


@pytest.mark.parametrize(
    ("schema", "data", "says"),
    [
        (DEEP, b'{"next":{"R":' * 400 + b"null" + b"}}" * 400, "nested too deeply"),
        (DEEP, b"{}", "R has no field 'next'"),
        (DEEP, b'{"next":{"Other":null}}', "expecting one of null, R"),
        ('"string"', b'"\\ud800"', "surrogates not allowed"),
        ('"long"', b"9223372036854775808", "expecting long"),
        ('"long"', b"{", "not JSON"),
    ],
    ids=range(6),
)
def test_json_that_is_no_value(schema: str, data: bytes, says: str) -> None:
    writer = parse(schema)
    with pytest.raises(KafkafmtError, match=says):
        read_value(reading(writer), binary_of_json(writer, data))


@pytest.mark.parametrize(
    ("schema", "data", "says"),
    [
        (DEEP, b"\2" * 100_000, "nested too deeply"),
        ('{"type":"array","items":"null"}', b"\xfe\xff\xff\xff\x0f\0", "too many items"),
        ('{"type":"array","items":{"type":"record","name":"E","fields":[]}}', b"\x80\x80\x80\x80\x10\0", "too many"),
        ('{"type":"array","items":"int"}', b"\xfe\xff\xff\xff\x0f\0", "too many items"),
        ('{"type":"map","values":"null"}', b"\xfe\xff\xff\xff\x0f\0", "too many items"),
        ('"bytes"', b"\xfe\xff\xff\xff\x0f\0", "a length leaves the value"),
        ('"string"', b"\1", "a length leaves the value"),
        ('{"type":"fixed","name":"F","size":2147483647}', b"\0", "ends early"),
        ('{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}', b"", "nested too deeply"),
    ],
    ids=["deep", "nulls", "empty records", "ints", "map", "bytes", "string", "fixed", "endless"],
)
def test_bombs_end_at_a_bound(schema: str, data: bytes, says: str) -> None:
    read = reading(parse(schema))
    with pytest.raises(KafkafmtError, match=says):
        read_value(read, data)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"type":"array","items":' * 300 + '"int"' + "}" * 300, "too large"),
        ('{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}', "'a' twice"),
        ('{"type":"record","name":"R","fields":[{"name":"","type":"int"}]}', "a field without a name"),
        ('["int",["int"]]', "holds a union"),
        ('["int","int"]', "a type twice"),
        ('"Unknown"', "no type 'Unknown'"),
        ('{"type":"fixed","name":"F","size":-1}', "no size"),
        ('{"type":"record","fields":[]}', "no name"),
        ('{"type":"array"}', "no 'items'"),
        ("17", "not a name, list or object"),
    ],
    ids=range(12),
)
def test_schemas_that_are_none(schema: str, says: str) -> None:
    with pytest.raises(KafkafmtError, match=says):
        parse(schema)


def test_a_default_that_does_not_fit_cannot_be_resolved() -> None:
    writer = parse('{"type":"record","name":"R","fields":[]}')
    reader = parse('{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":"text"}]}')
    with pytest.raises(KafkafmtError, match='found "text", expecting int'):
        reading(writer, reader)


def doubling(levels: int, default: str = "") -> str:
    """A record that contains the next one twice, and so on: a small schema with 2**levels columns."""
    inner = '{"type":"record","name":"R0","fields":[{"name":"x","type":"int"}]}'
    for level in range(1, levels):
        field = f'{{"name":"a","type":{inner}{default}}},{{"name":"b","type":"R{level - 1}"{default}}}'
        inner = f'{{"type":"record","name":"R{level}","fields":[{field}]}}'
    return inner


def test_columns_of_a_schema_are_bounded() -> None:
    assert arrow_type(parse(doubling(8))).num_fields == 2
    with pytest.raises(LimitExceededError, match="too many columns"):
        arrow_type(parse(doubling(40)))


def test_schemas_that_refer_on_and_on_end_at_a_bound() -> None:
    texts = ['{"type":"record","name":"R0","fields":[]}']
    texts += [
        f'{{"type":"record","name":"R{number}","fields":[{{"name":"a","type":"R{number - 1}"}}]}}'
        for number in range(1, 3000)
    ]
    *references, last = texts
    node = parse(last, references)
    for make in (arrow_type, reading):
        with pytest.raises(LimitExceededError, match="nested too deeply"):
            make(node)


@pytest.mark.parametrize(
    ("schema", "size", "says"),
    [
        ('{"type":"bytes","logicalType":"decimal","precision":9000}', 5000, "too many bytes"),
        ('{"type":"fixed","name":"F","size":5000,"logicalType":"decimal","precision":9000}', 5000, "too many bytes"),
        ('{"type":"bytes","logicalType":"decimal","precision":9}', 8, "more than its 9 digits"),
    ],
    ids=["bytes", "fixed", "precision"],
)
def test_decimals_are_bounded(schema: str, size: int, says: str) -> None:
    node = parse(schema)
    assert node.logical == "decimal"
    with pytest.raises(KafkafmtError, match=says):
        converter(node)(b"\x7f" * size)


def test_defaults_that_no_column_holds() -> None:
    with pytest.raises(KafkafmtError, match="lone surrogate"):
        parse('{"type":"record","name":"R","fields":[{"name":"a","type":"string","default":"\\ud800"}]}')
    reader = parse(f'{{"type":"record","name":"R","fields":[{{"name":"a","type":"double","default":1{"0" * 400}}}]}}')
    with pytest.raises(KafkafmtError, match="beyond a double"):
        reading(parse('{"type":"record","name":"R","fields":[]}'), reader)


A, C, D = ({"name": name, "type": "int"} for name in "acd")


@pytest.mark.parametrize(
    ("writer", "reader", "expected"),
    [
        ((A, C), ({**C, "aliases": ["a"]},), "'a' and 'c' of R are both 'c'"),
        ((A, C), ({**D, "aliases": ["a", "c"]},), "'a' and 'c' of R are both 'd'"),
        ((A,), (A, {**C, "aliases": ["a"]}), "R needs the field 'a', which is missing and has no default"),
        ((A,), ({**A, "default": 1}, {**C, "aliases": ["a"]}), ["c"]),
        ((A,), ({**C, "aliases": ["a"]}, {**A, "default": 1}), ["c"]),
        ((A, C), ({**C, "aliases": ["a"]}, {**A, "aliases": ["c"]}), "renames 'a' to 'c' and 'c' to 'a'"),
        ((A,), ({**C, "aliases": ["a"]}, {**D, "aliases": ["c"]}), "renames 'a' to 'c' and 'c' to 'd'"),
        ((A, C), ({**A, "aliases": ["a", "b"]}, {**C, "aliases": ["a"]}), ["a", "c"]),
        ((A,), ({**A, "aliases": ["a"]}, {**C, "default": 2}), ["a"]),
        ((A,), ({**D, "aliases": ["a"]},), ["d"]),
    ],
)
def test_an_alias_comes_before_a_name_as_in_java(
    writer: tuple[Any, ...], reader: tuple[Any, ...], expected: list[str] | str
) -> None:
    """Java rejects two writer fields that become one, and treats an alias of an alias in two ways."""
    nodes = [parse(json.dumps({"type": "record", "name": "R", "fields": [*each]})) for each in (writer, reader)]
    if isinstance(expected, str):
        with pytest.raises(CorruptError, match=expected):
            resolve(*nodes)
    else:
        assert [name for name, _ in resolve(*nodes).fields] == expected


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (("m.Other", "m.A"), "m.A"),
        (("m.A", "m.Other", "o.A", "p.Other"), "o.A"),
        (("m.A", "n.A", "o.A"), "n.A"),
        (("m.X", "m.Y"), "m.X"),
    ],
)
def test_a_record_of_a_union_has_a_branch_by_its_name_or_structure_as_in_java(
    names: tuple[str, ...], taken: str
) -> None:
    def union(names: tuple[str, ...]) -> Node:
        kinds = [{"type": "record", "name": name, "fields": [A]} for name in names]
        return parse(json.dumps([*kinds, {"type": "record", "name": "q.A", "fields": [C]}]))

    assert resolve(union(("n.A",)), union(names)).inner[0].reader.name == taken


@pytest.mark.parametrize(
    ("branches", "taken"),
    [
        ({"A": [], "B": ["A"]}, "B"),
        ({"B": ["A"], "A": []}, "B"),
        ({"B": ["A"], "A": [], "D": ["A"]}, "D"),
        ({"B": ["X"], "A": []}, "A"),
    ],
)
def test_an_alias_of_a_branch_comes_before_the_name_of_another_as_in_java(
    branches: dict[str, list[str]], taken: str
) -> None:
    kinds = [{"type": "record", "name": name, "aliases": each, "fields": [A]} for name, each in branches.items()]
    writer = parse(json.dumps([{"type": "record", "name": "A", "fields": [A]}, "null"]))
    assert resolve(writer, parse(json.dumps([*kinds, "null"]))).inner[0].reader.name == taken


def test_a_missing_field_is_named_with_the_record_that_needs_it() -> None:
    record = '{{"type":"record","name":"{}","fields":[{{"name":"{}","type":"int"}}]}}'
    with pytest.raises(CorruptError, match="resolved: New needs the field 'b', which is missing and has no default"):
        resolve(parse(record.format("Old", "a")), parse(record.format("New", "b")))
