"""Avro values in bulk: the kernel gives the same values, errors and remaining bytes as the reader of single values."""

import json
import os
import uuid
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.values.avro import program
from kafkafmt.values.avro.avro_format import Avro
from kafkafmt.values.avro.bulk import BulkAvro
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.decoded import DecodedColumn, TooManyTogetherError
from kafkafmt.values.decoding import ValueDecoder
from kafkafmt.values.registered import RegisteredFormat
from kafkafmt.values.registry import Schemas
from kafkafmt.values.stored_schema import StoredSchema
from tests.engines import shown
from tests.values import random_avro
from tests.values.golden_values import rows, unpack

MUTATIONS = int(os.environ.get("KAFKAFMT_MUTATIONS", "2000"))
SEED = int(os.environ.get("KAFKAFMT_SEED", "0"))


def stored_schema(schema_id: int, schema: Any) -> StoredSchema:
    return StoredSchema(
        "t-value",
        version=schema_id,
        schema_id=schema_id,
        type="AVRO",
        state="active",
        is_superseded=False,
        references=(),
        metadata=None,
        rule_set=None,
        offsets=(schema_id,),
        schema=schema if isinstance(schema, str) else json.dumps(schema),
    )


def avro(*schemas: Any, reader: int | None = None) -> Avro:
    """The format of a topic whose subject has schemas with ids 1, 2, ..; the last one is the reader's."""
    stored = [stored_schema(number, each) for number, each in enumerate(schemas, 1)]
    known = Schemas(tuple(stored), {}, {})
    return Avro(known, "t-value", "value", Limits(), stored[-1 if reader is None else reader - 1])


def framed(schema_id: int, data: bytes) -> bytes:
    return b"\0" + schema_id.to_bytes(4, "big", signed=True) + data


def headers_of(rows: Iterable[list[tuple[str, bytes | None]] | None]) -> pa.Array:
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    pairs = [None if row is None else [{"key": key, "value": value} for key, value in row] for row in rows]
    return pa.array(pairs, kind)


def plain(array: pa.Array) -> list[Any]:
    """Comparable values: NaN equals NaN, 0.0 differs from -0.0, and times are numbers."""
    kind = array.type
    valid = array.is_valid().to_pylist()
    if pa.types.is_struct(kind):
        parts = [plain(array.field(number)) for number in range(kind.num_fields)]
        made: list[Any] = [list(each) for each in zip(*parts, strict=True)]
    elif pa.types.is_list(kind) or pa.types.is_map(kind):
        columns = [array.keys, array.items] if pa.types.is_map(kind) else [array.values]
        items = list(zip(*map(plain, columns), strict=True))
        offsets = array.offsets.to_pylist()
        made = [items[begin:end] for begin, end in pairwise(offsets)]
    elif pa.types.is_temporal(kind):
        made = array.view(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
    elif pa.types.is_floating(kind):
        made = [repr(each) for each in array.to_pylist()]
    else:
        made = array.to_pylist()
    return [each if is_valid else None for each, is_valid in zip(made, valid, strict=True)]


def compare(form: Avro, stored: list[bytes | None] | pa.Array, headers: pa.Array | None = None) -> DecodedColumn:
    """Decode in bulk and one by one, require equality, and return the result."""
    column = pa.array(stored, pa.binary())
    beside = headers if headers is not None else headers_of([None] * len(stored))
    one_by_one = RegisteredFormat.decode_all(form, column, beside)
    form.prefer_kernels()
    in_bulk = form.decode_all(column, beside)
    in_bulk.values.validate()
    assert is_valid(in_bulk.values) == is_valid(one_by_one.values)
    assert in_bulk.values.type == form.kind
    assert plain(in_bulk.values) == plain(one_by_one.values)
    assert in_bulk.schema_ids.to_pylist() == one_by_one.schema_ids.to_pylist()
    assert list(in_bulk.errors) == list(one_by_one.errors)
    assert [*map(of_error, in_bulk.errors.values())] == [*map(of_error, one_by_one.errors.values())]
    assert in_bulk.bytes_left == one_by_one.bytes_left
    return in_bulk


def is_valid(array: pa.Array) -> bool:
    """Whether an array passes Arrow's validation; times of day may exceed a day."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def of_error(error: DataError) -> tuple[object, ...] | None:
    return shown(error)


def pair(random: Random) -> tuple[Any, Any]:
    """A schema and an evolved version of it."""
    schemas = random_avro.Schemas(random)
    writer = schemas.record() if random.random() < 0.8 else schemas.type(3)
    return writer, writer if random.random() < 0.2 else schemas.grown(writer)


def format_of(random: Random) -> tuple[Avro, list[Node]] | None:
    """A format, and the schemas of its values; None if the reader's has no columns or too many."""
    writer, reader = pair(random)
    try:
        return avro(writer, reader), [parse(json.dumps(each)) for each in (writer, reader)]
    except KafkafmtError:
        return None


def values_of(random: Random, nodes: list[Node], count: int, *, change: bool = False) -> list[bytes | None]:
    """Values of schemas, with their ids; some have trailing bytes, one is null."""
    values = random_avro.Values(random)
    stored: list[bytes | None] = []
    for _ in range(count):
        schema_id = random.randrange(1, len(nodes) + 1)
        data = values.bytes_of(nodes[schema_id - 1])
        data = random_avro.mutated(random, data) if change else data
        stored.append(framed(schema_id, data + (b"more" if random.random() < 0.1 else b"")))
    stored.insert(random.randrange(count), None)
    return stored


@given(st.integers(0, 2**32))
def test_values_of_random_schemas(seed: int) -> None:
    random = Random(seed)
    if (made := format_of(random)) is not None:
        compare(made[0], values_of(random, made[1], 20))


def compare_changed(seed: int, count: int) -> tuple[int, int]:
    """Compare changed values, 20 per schema; return the numbers of values and of errors."""
    compared = errors = 0
    while compared < count:
        random = Random(seed)
        if (made := format_of(random)) is not None:
            try:
                errors += len(compare(made[0], values_of(random, made[1], 20, change=True)).errors)
            except BaseException as error:
                error.add_note(f"KAFKAFMT_SEED={seed} KAFKAFMT_MUTATIONS=1")
                raise
            compared += 20
        seed += 1
    return compared, errors


def test_changed_values() -> None:
    compared, errors = compare_changed(SEED, MUTATIONS)
    assert 0.2 < errors / compared < 0.9 or MUTATIONS == 1


@pytest.mark.slow
@pytest.mark.dosed
def test_more_changed_values() -> None:
    compare_changed(SEED + 10**6, 5 * MUTATIONS)


@pytest.mark.parametrize("case", ["avro", "registry", "framings", "damaged"])
def test_golden_values(case: str, tmp_path: Path) -> None:
    """Every topic of the golden cases with Avro values, with all its headers and framings."""
    source = unpack(case, tmp_path)
    compared = 0
    for topic in sorted({row["topic"] for row in rows(case, "values") if row.get("format") == "avro"}):
        scan = kafkafmt.scan(source, topics=topic).without_warnings()
        table = scan.select(["key", "value", "headers"]).to_table().combine_chunks()
        decoder = scan.decode(key="auto", value="auto").decoder
        assert isinstance(decoder, ValueDecoder)
        for form, part in zip(decoder.formats[topic], ("key", "value"), strict=True):
            if isinstance(form, Avro):
                columns = (table[name].chunk(0) for name in (part, "headers"))
                compared += len(compare(form, *columns).values)
    assert compared >= {"avro": 250, "registry": 30, "framings": 40, "damaged": 100}[case]


TEXT = '"string"'
EDGES = (0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF)


@pytest.mark.parametrize("before", [0, 1, 5, 30])
def test_text_is_utf8_as_python_has_it(before: int) -> None:
    texts = [bytes(each) for size in range(4) for each in product(EDGES, repeat=size)]
    texts += [bytes([first, second, 0x80, 0xBF]) for first, second in product(EDGES, EDGES)]
    texts = [b"x" * before + each for each in texts]
    form = avro(TEXT)
    form.prefer_kernels()
    stored = pa.array([framed(1, random_avro.varint(len(each)) + each) for each in texts], pa.binary())
    found = form.decode_all(stored, headers_of([None] * len(texts)))
    for text, value in zip(texts, found.values.to_pylist(), strict=True):
        try:
            assert value == text.decode()
        except UnicodeDecodeError:
            assert value is None, text


@pytest.mark.parametrize("kind", ["int", "long"])
@pytest.mark.parametrize("after", [b"", b"\0" * 10])
def test_numbers_of_all_lengths(kind: str, after: bytes) -> None:
    numbers = [sign * (1 << bits) + more for bits in range(64) for sign in (1, -1) for more in (-1, 0, 1)]
    bits = 31 if kind == "int" else 63
    stored: list[bytes | None] = [
        framed(1, random_avro.varint(each) + after) for each in numbers if -(1 << bits) <= each < 1 << bits
    ]
    for size in range(12):
        stored += [framed(1, b"\xff" * size + bytes([last]) + after) for last in (0, 1, 2, 15, 16, 127)]
        stored += [framed(1, b"\x80" * size + bytes([last]) + after) for last in (0, 1, 2, 15, 16, 127)]
    found = compare(avro(f'"{kind}"'), stored)
    assert 0 < len(found.errors) < len(stored) / 2


@pytest.mark.parametrize("fixed", [None, 5, 16, 17, 32, 40])
def test_decimals_at_their_bounds(fixed: int | None) -> None:
    for precision in (1, 2, 9, 11, 18, 19, 36, 38, 39, 57, 76):
        kind: dict[str, Any] = {"type": "bytes"} if fixed is None else {"type": "fixed", "name": "F", "size": fixed}
        schema = {**kind, "logicalType": "decimal", "precision": precision, "scale": precision // 2}
        if parse(json.dumps(schema)).logical is None:
            continue
        numbers = [sign * 10**precision + more for sign in (1, -1) for more in range(-2, 3)] + [0, 1, -1, 255, -256]
        stored: list[bytes | None] = [None]
        for number in numbers:
            for size in {fixed, 33, number.bit_length() // 8 + 1} if fixed is None else {fixed}:
                if size is not None and size >= number.bit_length() // 8 + 1:
                    data = number.to_bytes(size, "big", signed=True)
                    # Confluent's serializers write bytes at the top without a length.
                    stored.append(framed(1, data))
        stored.append(framed(1, b""))
        found = compare(avro(schema), stored)
        assert found.errors


def record(*fields: Any) -> Any:
    return {
        "type": "record",
        "name": "R",
        "fields": [{"name": f"f{at}", "type": each} for at, each in enumerate(fields)],
    }


LIST_OF_MAPS = {"type": "array", "items": {"type": "map", "values": ["null", "string"]}}


def test_memory_grows_with_values() -> None:
    schema = record("string", LIST_OF_MAPS, "bytes")
    values = random_avro.Values(Random(1), odd=0)
    (node,) = [parse(json.dumps(schema))]
    stored: list[bytes | None] = [framed(1, values.bytes_of(node)) for _ in range(30)]
    large = b"".join(
        [random_avro.varint(100_000), b"x" * 100_000, random_avro.varint(5000), b"\0" * 5000, b"\0", b"\x02y"]
    )
    for _ in range(3):
        stored.append(framed(1, large))
        # The items of a rejected value are discarded.
        stored.append(framed(1, large[:-1]))
    form = avro(schema)
    assert len(compare(form, [*stored, *stored]).errors) == 6
    # The buffer grows by what was found, for the next values.
    compare(form, stored)


def test_one_large_value_makes_no_room_for_many_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    form = avro(TEXT)
    compare(form, [framed(1, random_avro.varint(100_000) + b"x" * 100_000)])
    monkeypatch.setattr("kafkafmt.values.avro.bulk.MOST_TOGETHER", 10_000_000)
    monkeypatch.setattr(form, "_one_by_one", None)
    form.decode_all(pa.array([framed(1, b"\x02a")] * 10_000, pa.binary()), headers_of([None] * 10_000))


def test_a_value_of_too_much_memory_is_left_to_the_other_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.values.avro.bulk.MOST_TOGETHER", 3000)
    text = random_avro.varint(2000) + b"x" * 2000
    compare(avro(TEXT), [framed(1, text)])
    with pytest.raises(TooManyTogetherError):
        compare(avro(TEXT), [framed(1, text)] * 2)


@pytest.mark.parametrize("keys", [1, 2, 300, 600])
def test_a_key_that_comes_twice_replaces_the_first(keys: int) -> None:
    def entry(number: int) -> bytes:
        key = f"key{number}".encode()
        return random_avro.varint(len(key)) + key + random_avro.varint(number)

    def block(numbers: Iterable[int]) -> bytes:
        entries = [entry(number) for number in numbers]
        return random_avro.varint(len(entries)) + b"".join(entries)

    schema = record({"type": "map", "values": "int"}, "int")
    twice = block(range(keys)) + block([0, keys])
    stored: list[bytes | None] = [framed(1, data + b"\0\x02") for data in (block(range(keys)), twice, b"")]
    found = compare(avro(schema), stored)
    assert [len(each["f0"]) for each in found.values.to_pylist()] == [keys, keys + 1, 0]


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        ({"type": "array", "items": "null"}, b"\xfe\xff\xff\xff\x0f\0"),
        ({"type": "array", "items": "null"}, random_avro.varint(4000) + b"\0"),
        ({"type": "array", "items": "int"}, b"\xfe\xff\xff\xff\x0f\0"),
        ({"type": "array", "items": "int"}, random_avro.varint(-(2**63)) + b"\0\0"),
        ({"type": "array", "items": {"type": "array", "items": "null"}}, b"\x02" + random_avro.varint(5000) + b"\0\0"),
        ({"type": "map", "values": "null"}, b"\xfe\xff\xff\xff\x0f\0"),
        ("string", b"\1"),
        ("string", random_avro.varint(2**62)),
        ({"type": "fixed", "name": "F", "size": 30_000_000}, b"\0"),
        (["null", "int"], b"\x04"),
        (["null", "int"], b"\x01"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, b"\x02"),
        ("boolean", b"\2"),
        ("float", b"\0\0\0"),
        ("double", b"\0" * 7),
    ],
)
def test_values_that_are_none(schema: Any, data: bytes) -> None:
    random = Random(1)
    good = framed(1, random_avro.Values(random, odd=0).bytes_of(parse(json.dumps(schema)))[:1000])
    compare(avro(schema), [good, framed(1, data), good])
    # As a field that the reader omits.
    compare(avro(record("int", schema), record("int")), [framed(1, b"\x02" + data), framed(2, b"\x02")])


def test_several_schemas_framings_and_ids_in_one_column() -> None:
    schemas = (record("int", "string"), record("long", "string"), '"int"', '{"broken"', record("long"))
    form = avro(*schemas)
    value = b"\x0e\x04ab"
    name = "__value_schema_id"
    guid = b"\1" + uuid.UUID(stored_schema(1, schemas[0]).guid).bytes
    beside: list[tuple[bytes | None, list[tuple[str, bytes | None]] | None]] = [
        (framed(1, value), None),
        (None, None),
        (framed(2, value), []),
        (framed(5, b"\x0e"), [("other", b"1")]),
        (framed(3, b"\x0e"), None),
        (framed(4, b"\x0e"), None),
        (framed(99, b"\x0e"), None),
        (framed(1, b""), None),
        (b"text", None),
        (b"", None),
        (value, [(name, guid)]),
        (value, [(name, framed(2, b""))]),
        (value, [(name, framed(99, b""))]),
        (value, [(name, b"\7")]),
        (value, [(name, b"")]),
        (framed(1, value), [(name, None)]),
        (value, [(name, framed(3, b"")), (name, framed(2, b"")), (name, None)]),
        (None, [(name, framed(2, b""))]),
        (guid + value, None),
        (framed(1, value) + b"!", [("apicurio.value.globalId", bytes(8))]),
    ]
    headers = headers_of([each for _, each in beside])
    found = compare(form, [each for each, _ in beside], headers)
    assert found.values.to_pylist()[10:12] == [{"f0": 7}] * 2
    assert list(found.errors) == [4, 5, 6, 7, 8, 9, 12, 13, 14, 19]
    part = slice(7, 15)
    sliced = compare(form, [each for each, _ in beside[part]], headers[part])
    assert sliced.values.to_pylist() == found.values[part].to_pylist()


def test_symbols_and_defaults_that_would_grow_too_much_are_left_to_the_other_reader() -> None:
    symbol = {"type": "enum", "name": "E", "symbols": ["A" * 2000]}
    reader = {**record("int"), "fields": [{"name": "added", "type": "string", "default": "x" * 2000}]}
    for schemas, data in (((symbol,), b"\0"), ((record("int"), reader), b"\x02")):
        found = compare(avro(*schemas), [framed(1, data)] * 3)
        assert not found.errors


def test_json_text_is_made_beside_columns_of_the_kernel() -> None:
    several = ["null", "string", "long", "double"]
    fewer = ["null", "double", "string"]
    written = record("int", several, {"type": "array", "items": several}, "string")
    reader = record("long", fewer, {"type": "array", "items": fewer}, "string")
    reader["fields"].append({"name": "added", "type": ["string", "int"], "default": "none"})
    form = avro(written, reader)
    values = [
        b"\x02" + b"\x02\x02a" + b"\x04\0\x02\x02b\0" + b"\x02z",
        b"\x04" + b"\0" + b"\0" + b"\x02z" + b"more",
        # A long becomes a double; a string that is not UTF-8 is an error.
        b"\x06" + b"\x04\x0e" + b"\x02\x04\x0e\0" + b"\x02z",
        b"\x08" + b"\x02\x02\xff" + b"\0" + b"\x02z",
        b"\x0a" + b"\0" + b"\x02\x08\0" + b"\x02z",
    ]
    found = compare(form, [framed(1, each) for each in values])
    assert form.most_rows == 4096
    assert found.values.to_pylist()[:3] == [
        {"f0": 1, "f1": '{"string":"a"}', "f2": [None, '{"string":"b"}'], "f3": "z", "added": '{"string":"none"}'},
        {"f0": 2, "f1": None, "f2": [], "f3": "z", "added": '{"string":"none"}'},
        {"f0": 3, "f1": '{"double":7.0}', "f2": ['{"double":7.0}'], "f3": "z", "added": '{"string":"none"}'},
    ]
    assert list(found.errors) == [3, 4]
    assert found.bytes_left == 1


def test_a_branch_that_the_reader_lacks_in_json_text_is_an_error_of_its_value() -> None:
    written, reader = record("int", ["null", "string", "long"]), record("int", ["null", "string", "boolean"])
    values = [b"\x02\x04\x0e", b"\x02\x02\x02a", b"\x02\x04\x0e"]
    found = compare(avro(written, reader), [framed(1, each) for each in values])
    assert found.values.to_pylist() == [None, {"f0": 1, "f1": '{"string":"a"}'}, None]
    assert list(found.errors) == [0, 2]


def test_a_field_that_is_written_twice_is_an_error() -> None:
    """Once by an alias and once by its name: Java rejects these schemas."""
    reader = record("int")
    reader["fields"][0]["aliases"] = ["f1"]
    found = compare(avro(record("int", "int"), reader), [framed(1, b"\x02\x04")])
    assert found.values.to_pylist() == [None]
    assert list(found.errors) == [0]


def test_very_many_schemas_have_no_more_steps_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_MOST_OF_ALL", 7)
    schemas = [record("int", *["string"] * more) for more in range(6)]
    stored: list[bytes | None] = [framed(each, b"\x02" + b"\0" * (each - 1)) for each in range(1, 7)]
    assert not compare(avro(*schemas, reader=1), stored).errors


def test_threads_decode_side_by_side() -> None:
    form = avro(*[record("int", *["string"] * more) for more in range(6)], reader=1)
    form.prefer_kernels()

    def decode(seed: int) -> None:
        random = Random(seed)
        for _ in range(50):
            ids = [random.randrange(1, 7) for _ in range(200)]
            stored = pa.array([framed(each, b"\x02" + b"\0" * (each - 1)) for each in ids], pa.binary())
            found = form.decode_all(stored, headers_of([None] * 200))
            assert found.values.to_pylist() == [{"f0": 1}] * 200

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(decode, range(4))) == [None] * 4


def test_wide_schemas_are_decoded_in_small_parts() -> None:
    form = avro(record(*["long"] * 5000))
    assert 100 < form.most_rows < 2000
    assert avro(record("long")).most_rows > 50_000


def test_without_a_compiler_values_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise ImportError("no numba")

    monkeypatch.setattr(BulkAvro, "read", read)
    assert compare(avro(TEXT), [framed(1, b"\x02a")]).values.to_pylist() == ["a"]


def test_few_values_are_read_without_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BulkAvro, "is_loaded", False)
    asked = []

    def read(_: BulkAvro, stored: pa.Array, *__: object) -> tuple[pa.Array, Any]:
        asked.append(1)
        return pa.nulls(len(stored), pa.int32()), np.zeros(len(stored), np.uint8)

    monkeypatch.setattr(BulkAvro, "read", read)
    form = avro('"int"')
    for rows_of in (10, 4000, 1000):
        column = pa.array([framed(1, b"\x02")] * rows_of, pa.binary())
        form.decode_all(column, headers_of([None] * rows_of))
        assert len(asked) == (rows_of == 1000)


def test_the_json_encoding_is_found_behind_an_id() -> None:
    """Nothing before the value marks it, and its beginning is a valid value in the binary encoding."""
    values = [b"\x02", b'{"f0":7}', b'{"f0":"7"}', b'{"f1":7}', b"{x", b"{", b"\x02{", None]
    stored = [None if each is None else framed(1, each) for each in values]
    latest = record("long", "string")
    latest["fields"][1]["default"] = "d"
    found = compare(avro(record("long"), latest), stored)
    expected = [1, 7, -62, -62, -62, -62, 1]
    assert found.values.to_pylist() == [*({"f0": each, "f1": "d"} for each in expected), None]
    assert (found.errors, found.bytes_left) == ({}, 4)
