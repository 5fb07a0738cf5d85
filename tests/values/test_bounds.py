"""Few bytes that expand to very many fields, in values and in schemas: memory and time are bounded."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kafkafmt.errors import DataError, LimitExceededError
from kafkafmt.limits import Limits
from kafkafmt.values import decoded
from kafkafmt.values.avro import avro_format
from kafkafmt.values.avro.resolution import resolve
from kafkafmt.values.avro.schema import parse
from kafkafmt.values.decoded import Decoded, Gathered, TooManyTogetherError
from kafkafmt.values.json.schema import parse as parse_json
from kafkafmt.values.json.schema import type_of
from kafkafmt.values.protobuf import protobuf_format
from kafkafmt.values.protobuf.arrow import shape_of
from kafkafmt.values.protobuf.schema import link
from kafkafmt.values.protobuf.source import parse_source
from tests.values.hostile_values import FRAMING, HEADERS, batch_of, decoder_of, form_of

MIB = 1 << 20


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["kernel", "reference"])
@pytest.mark.parametrize("name", ["protobuf", "json", "avro columns", "avro defaults"])
def test_few_bytes_take_bounded_memory(name: str, reader: str) -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("hostile_values.py")), name, reader],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["rows"] >= 60
    assert found["batch"] <= decoded.MOST_TOGETHER
    # Unbounded it would be 1.9 to more than 12 GB.
    assert found["peak"] < 280 * MIB, found


LISTS: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "AVRO": (
        json.dumps({"type": "array", "items": "long"}),
        lambda count: bytes([2 * count % 128 + 128, 2 * count // 128]) + b"\2" * count + b"\0",
    ),
    "PROTOBUF": (
        'syntax = "proto3"; message M { repeated Item items = 1; } message Item { int64 n = 1; }',
        lambda count: b"\0" + b"\x0a\0" * count,
    ),
    "JSON": (
        json.dumps({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "integer"}}}}),
        lambda count: b'{"items":[' + b",".join([b"1"] * count) + b"]}",
    ),
}


@pytest.mark.parametrize("kind", LISTS)
def test_a_value_beyond_the_limit_is_an_error_that_names_it(kind: str) -> None:
    schema, value = LISTS[kind]
    form = form_of(kind, schema, limits=Limits(max_fields_per_value=1000))
    stored = pa.array([FRAMING + value(100), FRAMING + value(1200), FRAMING + value(200)], pa.binary())
    found = form.decode_all(stored, pa.nulls(3, HEADERS))
    assert list(found.errors) == [1]
    assert isinstance(found.errors[1], LimitExceededError)
    assert found.values.is_valid().to_pylist() == [True, False, True]


@pytest.mark.parametrize("kind", LISTS)
def test_values_of_too_much_memory_are_decoded_in_smaller_parts(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema, value = LISTS[kind]
    form = form_of(kind, schema)
    values = [FRAMING + value(100 + row % 7) for row in range(300)]
    decoder = decoder_of(form)
    (whole,) = decoder.decode(batch_of(values), decoder.new_account())
    for name in ("decoded", "avro.bulk", "protobuf.bulk", "json.bulk"):
        monkeypatch.setattr(f"kafkafmt.values.{name}.MOST_TOGETHER", 50_000)
    monkeypatch.setattr(decoded, "_MOST_PENDING", 10_000)
    parts = list(decoder.decode(batch_of(values), decoder.new_account()))
    assert len(parts) > 3
    assert pa.Table.from_batches(parts).combine_chunks().equals(pa.Table.from_batches([whole]))
    assert form.decode_column(batch_of(values).column("value"), pa.nulls(300, HEADERS)).values.equals(
        whole.column("value")
    )


def test_values_as_python_objects_become_arrays_before_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoded, "MOST_TOGETHER", 1000)
    monkeypatch.setattr(decoded, "_MOST_PENDING", 1000)
    gathered = Gathered(pa.string())
    gathered.add(Decoded("x" * 800))
    with pytest.raises(TooManyTogetherError):
        gathered.add(Decoded("x" * 800, fields=20))
    # A single value is never too many.
    one = Gathered(pa.string())
    one.add(Decoded("x" * 5000, fields=100))
    assert one.column().values.to_pylist() == ["x" * 5000]


def deep(opening: str, inner: str, closing: str, count: int) -> str:
    return opening * count + inner + closing * count


def avro_text(*fields: object) -> str:
    named = [{"name": f"f{number}", "type": each} for number, each in enumerate(fields)]
    return json.dumps({"type": "record", "name": "R", "fields": named})


def avro_powers() -> str:
    """Each record contains the previous one twice: 2^40 columns."""
    made: object = "int"
    for number in range(40):
        fields = [{"name": "a", "type": made}, {"name": "b", "type": f"R{number - 1}" if number else "int"}]
        made = {"type": "record", "name": f"R{number}", "fields": fields}
    return json.dumps(made)


def proto_powers() -> str:
    messages = "".join(f"message M{n} {{ M{n + 1} a = 1; M{n + 1} b = 2; }} " for n in range(40))
    return f'syntax = "proto3"; {messages} message M40 {{ int32 a = 1; }}'


def json_powers() -> str:
    defined = {f"d{n}": {"properties": {name: {"$ref": f"#/$defs/d{n + 1}"} for name in "ab"}} for n in range(40)}
    return json.dumps({"$ref": "#/$defs/d0", "$defs": {**defined, "d40": {"type": "integer"}}})


def read_avro(text: str) -> object:
    return form_of("AVRO", text)


def read_protobuf(text: str) -> object:
    return shape_of(link(parse_source(text)).messages[0])


def read_json(text: str) -> object:
    return type_of(parse_json(text))


PROTO3 = 'syntax = "proto3"; '
SCHEMAS: list[tuple[str, Callable[[str], object], Callable[[], str]]] = [
    ("avro deep", read_avro, lambda: deep('{"type":"array","items":', '"int"', "}", 50_000)),
    ("avro deep in range of JSON", read_avro, lambda: deep('{"type":"array","items":', '"int"', "}", 400)),
    ("avro powers", read_avro, avro_powers),
    ("avro wide", read_avro, lambda: avro_text(*["int"] * 20_000)),
    ("avro unions", read_avro, lambda: avro_text(["null", *({"type": "array", "items": "int"} for _ in range(5000))])),
    (
        "avro symbols",
        read_avro,
        lambda: json.dumps({"type": "enum", "name": "E", "symbols": [f"S{n}" for n in range(50_000)]}),
    ),
    ("avro precision", read_avro, lambda: json.dumps({"type": "bytes", "logicalType": "decimal", "precision": 10**9})),
    ("avro fixed", read_avro, lambda: json.dumps({"type": "fixed", "name": "F", "size": 2**31 - 1})),
    ("avro names", read_avro, lambda: json.dumps({"type": "record", "name": "a." * 50_000 + "R", "fields": []})),
    ("avro itself", read_avro, lambda: avro_text({"type": "array", "items": "R"}, "R")),
    ("protobuf deep", read_protobuf, lambda: PROTO3 + deep("message M { ", "int32 a = 1;", "}", 20_000)),
    ("protobuf powers", read_protobuf, proto_powers),
    (
        "protobuf wide",
        read_protobuf,
        lambda: PROTO3 + "message M {" + "".join(f"int32 f{n}={n};" for n in range(1, 15_000)) + "}",
    ),
    (
        "protobuf options",
        read_protobuf,
        lambda: PROTO3 + "message M { int32 a = 1 [(x) = " + deep("{ y: ", "1", "}", 20_000) + "]; }",
    ),
    ("protobuf reserved", read_protobuf, lambda: PROTO3 + "message M { reserved 1 to max; int32 a = 536870911; }"),
    ("protobuf comments", read_protobuf, lambda: PROTO3 + "/*" * 200_000 + "message M {}"),
    ("protobuf text", read_protobuf, lambda: PROTO3 + 'option a = "' + "\\\\" * 200_000),
    (
        "protobuf imports",
        read_protobuf,
        lambda: PROTO3 + "".join(f'import "f{n}.proto";' for n in range(20_000)) + "message M {}",
    ),
    (
        "protobuf itself",
        read_protobuf,
        lambda: PROTO3 + "message M { repeated M m = 1; N n = 2; } message N { M m = 1; }",
    ),
    ("json deep", read_json, lambda: deep('{"items":', "{}", "}", 50_000)),
    ("json deep in range of JSON", read_json, lambda: deep('{"type":"array","items":', "{}", "}", 450)),
    ("json powers", read_json, json_powers),
    ("json wide", read_json, lambda: json.dumps({"properties": {f"f{n}": {"type": "integer"} for n in range(20_000)}})),
    (
        "json circle",
        read_json,
        lambda: '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}',
    ),
    (
        "json dynamic circle",
        read_json,
        lambda: '{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"},"b":{"$recursiveRef":"#"}}}',
    ),
    (
        "json long pointer",
        read_json,
        lambda: json.dumps({"properties": {f"f{n}": {"$ref": "#" + "/a" * 20_000} for n in range(50)}}),
    ),
    (
        "json pointer of depth",
        read_json,
        lambda: (
            '{"$ref":"#'
            + "/properties/a" * 300
            + '",'
            + deep('"properties":{"a":{', '"type":"integer"', "}}", 300)
            + "}"
        ),
    ),
    (
        "json pattern",
        read_json,
        lambda: json.dumps({"type": "string", "pattern": "(a+)+$", "patternProperties": {"(a|a)*b": {}}}),
    ),
    ("json all of", read_json, lambda: json.dumps({"allOf": [{"properties": {f"f{n}": {}}} for n in range(5000)]})),
    ("json any of", read_json, lambda: json.dumps({"anyOf": [{"properties": {f"f{n}": {}}} for n in range(5000)]})),
    (
        "json ids",
        read_json,
        lambda: json.dumps({"properties": {f"f{n}": {"$id": f"http://a/{n}"} for n in range(5000)}}),
    ),
]


def nested(depth: int, name: str, other: str, leaf: str) -> list[Any]:
    """A union of two records with one field each, whose type is the next such union."""
    pair: list[Any] = [
        {"type": "record", "name": f"{each}0", "fields": [{"name": "f", "type": leaf}]} for each in (name, other)
    ]
    for level in range(1, depth):
        kinds = pair, [f"{name}{level - 1}", f"{other}{level - 1}"]
        pair = [
            {"type": "record", "name": f"{each}{level}", "fields": [{"name": "f", "type": kind}]}
            for each, kind in zip((name, other), kinds, strict=True)
        ]
    return pair


def test_schemas_that_do_not_fit_are_tried_once() -> None:
    depth = 40
    writer: Any = {"type": "record", "name": "W0", "fields": [{"name": "f", "type": "int"}]}
    for level in range(1, depth):
        writer = {"type": "record", "name": f"W{level}", "fields": [{"name": "f", "type": writer}]}
    writer, reader = (
        {"type": "record", "name": "R", "fields": [{"name": "f", "type": each}]}
        for each in (writer, nested(depth, "X", "Y", "string"))
    )
    begin = time.process_time()
    with pytest.raises(DataError, match="the schemas cannot be resolved"):
        resolve(parse(json.dumps(writer)), parse(json.dumps(reader)))
    assert time.process_time() - begin < 5  # without memoized failures it takes 2**depth steps


def test_pairs_of_types_are_bounded() -> None:
    def union(name: str, leaf: str) -> str:
        records = [
            {"type": "record", "name": f"{name}{n}", "fields": [{"name": "f", "type": leaf}]} for n in range(1000)
        ]
        return json.dumps({"type": "array", "items": ["int", *records]})

    with pytest.raises(LimitExceededError, match="the Avro schemas are too large to be resolved"):
        resolve(parse(union("A", "int")), parse(union("B", "string")))


@pytest.mark.parametrize("namespace", ["old", "new"])
def test_large_unions_of_records_are_resolved_by_name(namespace: str) -> None:
    def union(namespace: str, kind: str) -> str:
        records: list[Any] = [{"type": "record", "name": f"Event{n}", "namespace": namespace} for n in range(150)]
        for number, each in enumerate(records):
            each["fields"] = [{"name": f"f{number}_{n}", "type": kind} for n in range(20)]
        return json.dumps(records)

    resolved = resolve(parse(union("old", "int")), parse(union(namespace, "long")))
    assert [each.reader.name for each in resolved.inner] == [f"{namespace}.Event{number}" for number in range(150)]


def test_unions_of_other_names_are_refused_soon() -> None:
    def union(name: str) -> str:
        return json.dumps([{"type": "enum", "name": f"{name}{n}", "symbols": ["A"]} for n in range(15_000)])

    begin = time.process_time()
    with pytest.raises(DataError, match=r"found A0, expecting one of B0, B1, .*, B9, \.\.$"):
        resolve(parse(union("A")), parse(union("B")))
    assert time.process_time() - begin < 5  # pairwise comparison takes minutes


def test_names_of_avro_are_bounded() -> None:
    fixed = {"type": "fixed", "size": 1}
    parse(json.dumps({**fixed, "name": "a", "namespace": "n" * 998}))
    with pytest.raises(LimitExceededError, match="a name of the Avro schema is too long"):
        parse(json.dumps({**fixed, "name": "aa", "namespace": "n" * 998}))
    with pytest.raises(LimitExceededError, match="a name of the Avro schema is too long"):
        parse(json.dumps({"type": "record", "name": "R", "fields": [{"name": "f" * 1001, "type": "int"}]}))
    with pytest.raises(LimitExceededError, match="the Avro schema is too large"):
        parse(json.dumps([{**fixed, "name": "a", "aliases": [f"b{n}" for n in range(20_000)]}, "int"]))


def test_errors_of_many_branches_are_short() -> None:
    def union(name: str, count: int) -> str:
        space = {"namespace": name * 990}
        return json.dumps([{"type": "enum", "name": f"{name}{n}", "symbols": ["A"], **space} for n in range(count)])

    reader = union("B", 10)
    [*refused, _] = resolve(
        parse(json.dumps([*json.loads(union("A", 3000)), "int"])), parse(f'[{reader[1:-1]},"int"]')
    ).inner
    assert sum(len(each.reason) for each in refused) < 3000 * 600


def test_a_default_is_looked_at_once() -> None:
    items: list[Any] = [*range(200_000), "no int"]
    writer = [{"type": "record", "name": f"A{n}", "fields": []} for n in range(500)]
    field = {"name": "f", "type": {"type": "array", "items": "int"}, "default": items}
    begin = time.process_time()
    with pytest.raises(DataError, match="the schemas cannot be resolved"):
        resolve(
            parse(json.dumps(writer)), parse(json.dumps([{"type": "record", "name": "B", "fields": [field]}, "null"]))
        )
    assert time.process_time() - begin < 5  # a search per record takes minutes


def test_what_led_back_to_a_failed_pair_is_resolved_anew() -> None:
    """The writer's A.b leads back to A while A fails by its last field: B must not keep that A."""
    inner = {"type": "record", "name": "B", "fields": [{"name": "a", "type": ["null", "A"]}]}
    fields = [{"name": "b", "type": inner}, {"name": "z", "type": "int"}]
    writer = {
        "type": "record",
        "name": "T",
        "fields": [
            {"name": "u", "type": ["null", {"type": "record", "name": "A", "fields": fields}]},
            {"name": "b", "type": "B"},
        ],
    }
    other = json.loads(json.dumps(writer))
    other["fields"][0]["type"][1]["fields"][1]["type"] = "string"
    resolved = resolve(parse(json.dumps(writer)), parse(json.dumps(other)))
    (of_u, of_b) = (each for _, each in resolved.fields)
    assert of_u.inner[1].kind == "refused"
    assert of_b.fields[0][1].inner[1].kind == "refused"


@pytest.mark.parametrize(
    ("kind", "module", "function", "schemas"),
    [
        ("AVRO", avro_format, "resolve", ('"int"', '"long"')),
        ("PROTOBUF", protobuf_format, "link", tuple(f'syntax="proto3"; message M {{ int32 {n}=1; }}' for n in "ab")),
    ],
)
def test_a_schema_that_fails_is_tried_once(
    kind: str, module: object, function: str, schemas: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def failing(*schemas: object) -> object:
        tried.append(schemas)
        raise DataError("no")

    form = form_of(kind, *schemas)
    monkeypatch.setattr(module, function, failing)
    for _ in range(3):
        with pytest.raises(DataError, match=r"^no$") as caught:
            form.decode(b"\0\0\0\0\1\0\2")
        caught.value.message += " more"
    assert len(tried) == 1


@pytest.mark.parametrize(("read", "text"), [each[1:] for each in SCHEMAS], ids=[each[0] for each in SCHEMAS])
def test_hostile_schemas_end_soon(read: Callable[[str], object], text: Callable[[], str]) -> None:
    schema = text()
    begin = time.process_time()
    with suppress(DataError):
        read(schema)
    assert time.process_time() - begin < 10  # much less; unbounded work takes minutes
