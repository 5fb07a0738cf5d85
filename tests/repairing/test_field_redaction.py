"""`extract --redact value:FIELD`: the fields are replaced in place, and nothing else."""

import json
import math
import re
import shutil
import struct
from hashlib import shake_256
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt as library
from kafkafmt.errors import CorruptError, DataError, KafkafmtError, LimitExceededError
from kafkafmt.repairing.avro_redaction import masked_avro, names_of_fields
from kafkafmt.repairing.field_redaction import FieldMask
from kafkafmt.repairing.like_numbers import same_magnitude, smaller_decimal, smaller_varint
from kafkafmt.repairing.redaction import parsed
from kafkafmt.repairing.schema_redaction import SchemaRedaction
from kafkafmt.values.avro.datum import Datum
from kafkafmt.values.avro.schema import parse
from kafkafmt.values.framing import Framing
from kafkafmt.values.registry import Schemas
from kafkafmt.writing.write import write
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.change_events import GOLDEN, TOPIC, encoded, events, written
from tests.values.golden_values import rows, unpack
from tests.values.test_schema_files import schema
from tests.varints import write_varlong

EMAIL = re.compile(rb"@[a-z]+\.(org|com)")


def mask(*paths: str) -> FieldMask:
    return FieldMask(paths, lambda data, size: shake_256(data).digest(size), 8)


def masked(text: str, *paths: str) -> str:
    return mask(*paths).masked(text.encode()).decode()


@pytest.mark.parametrize(
    ("text", "paths", "kept"),
    [
        ('{"a": "secret", "b": "open"}', ["a"], {"b": "open"}),
        ('{"a":{"b":{"c":1,"d":"x"},"e":[1,{"f":"g"}]},"h":2}', ["a"], {"h": 2}),
        ('{"a":[{"b":"x","c":1},{"b":"y"},3]}', ["a.b"], {"a": [{"c": 1}, {}, 3]}),
        (r'{"\u0061":"x","a":"y","ab":"z"}', ["a"], {"ab": "z"}),
        ('[{"a":"secret","b":1}]', ["a"], [{"b": 1}]),
    ],
)
def test_other_fields_stay(text: str, paths: list[str], kept: Any) -> None:
    made = masked(text, *paths)
    assert len(made.encode()) == len(text.encode())
    assert without(json.loads(made), [path.split(".") for path in paths]) == kept
    assert made != text
    assert masked(text, *paths) == made


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"customer":{"shop.Customer":{"email":"a@b.org","name":"x"}},"id":1}', ["shop.Customer", "name", "id"]),
        ('{"shop.Order":{"customer":{"email":{"string":"a@b.org"},"name":"x"}}}', ["name"]),
        ('{"customer":{"array":[{"shop.Customer":{"email":{"string":"a@b.org"}}}]}}', []),
    ],
)
def test_branches_of_unions_in_avros_json_are_passed_through(text: str, kept: list[str]) -> None:
    made = mask("customer.email").masked(text.encode(), has_branches=True)
    assert b"a@b.org" not in made
    assert json.loads(made).keys() == json.loads(text).keys()
    assert all(json.dumps(name).encode() in made for name in kept)
    assert len(made) == len(text.encode())


def test_two_members_are_no_branch() -> None:
    text = '{"customer":{"a":{"email":"stays"},"b":1}}'
    assert mask("customer.email").masked(text.encode(), has_branches=True).decode() == text
    assert masked('{"customer":{"a":{"email":"stays"}}}', "customer.email") == '{"customer":{"a":{"email":"stays"}}}'


def test_apicurios_json_is_masked_through_branches() -> None:
    payload = b'{"customer":{"shop.Customer":{"email":"a@b.org"}}}'
    # An Apicurio id may be that of another schema in _schemas.
    other = Schemas((schema("orders-value", type="JSON", schema="{}"),), {}, {})
    framings = (
        Framing("apicurio-header", payload, 1),
        Framing("apicurio-8", payload, 1),
        Framing("confluent", payload, 1),
    )
    for framing, known in product(framings, (Schemas((), {}, {}), other)):
        made = SchemaRedaction(known).masked(mask("customer.email"), framing, "orders-value")
        assert b"a@b.org" not in made
    plain = SchemaRedaction(Schemas((), {}, {})).masked(
        mask("customer.email"), Framing("none", payload), "orders-value"
    )
    assert plain == payload


def without(document: Any, paths: list[list[str]]) -> Any:
    if isinstance(document, list):
        return [without(each, paths) for each in document]
    if not isinstance(document, dict):
        return document
    return {
        name: without(value, [path[1:] for path in paths if path[0] == name])
        for name, value in document.items()
        if [name] not in paths
    }


def test_values_keep_their_types_and_lengths() -> None:
    text = '{"s":"jane@example.com","n":-12.50e3,"i":9223372036854775807,"z":0.07,"t":true,"f":false,"e":"","u":null}'
    made = json.loads(masked(text, *"snieztfu"))
    before = json.loads(text)
    for name, value in made.items():
        assert type(value) is type(before[name])
    assert (len(made["s"]), made["e"], made["u"], made["t"], made["f"]) == (16, "", None, True, True)
    assert made["s"] != before["s"]
    assert -(2**63) <= made["i"] < 2**63
    assert -99.99e3 <= made["n"] <= -10e3
    assert 0 <= made["z"] < 1


def test_equal_values_stay_equal() -> None:
    text = r'{"a":["jane@example.com","jane@example.com","john@example.com",4711123,4711123,"4711123"]}'
    made = json.loads(masked(text, "a"))["a"]
    assert made[0] == made[1] != made[2]
    assert made[3] == made[4] != 4711123


@pytest.mark.parametrize("text", ["", "1", '"x"', "{", '{"a":NaN}', '{"a":1} x', '{"a":"\x01"}', "{'a':1}"])
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(CorruptError):
        mask("a").masked(text.encode())
    with pytest.raises(CorruptError):
        mask("a").masked(b"\xff" + text.encode())


def test_deep_documents_are_refused() -> None:
    with pytest.raises(LimitExceededError):
        mask("a").masked(b'{"a":' * 100_000)


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from("abcd"), DOCUMENTS), st.booleans(), st.sampled_from([None, 2]))
def test_any_document(document: Any, is_ascii: bool, indent: int | None) -> None:
    text = json.dumps(document, ensure_ascii=is_ascii, indent=indent)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return
    made = mask("a", "b.c").masked(data)
    assert len(made) == len(data)
    paths = [["a"], ["b", "c"]]
    assert without(json.loads(made), paths) == without(document, paths)
    assert mask("x").masked(data) == data


@given(st.binary(max_size=40))
def test_any_bytes(data: bytes) -> None:
    for each in (data, b'{"a":' + data, b'{"a":"' + data + b'"}'):
        try:
            made = mask("a").masked(each)
        except DataError:
            continue
        assert len(made) == len(each)


@pytest.mark.parametrize("parts", [["value:"], ["value:a..b"], ["headers:a"], ["values:a", "x"], [":a"]])
def test_parts_that_are_none(parts: list[str]) -> None:
    with pytest.raises(ValueError, match="redact must be some of keys, values, headers, value:FIELD or key:FIELD"):
        parsed(parts)


def test_parts_and_fields() -> None:
    assert parsed(["value:a.b", "key", "value:c"]) == (frozenset({"keys"}), {"values": ["a.b", "c"]})
    assert parsed(["value:a", "values"]) == (frozenset({"values"}), {})


@pytest.mark.parametrize("form", ["json", "json-schema"])
def test_an_extract_without_some_fields(form: str, tmp_path: Path) -> None:
    source = written(tmp_path, form)
    fields = ("value:before.email", "value:after.email", "value:after.last_name", "key")
    library.extract(source, tmp_path / "out", topics=TOPIC, redact=fields, salt="s")
    scans = [library.scan(each, topics=TOPIC).to_table().to_pylist() for each in (source, tmp_path / "out")]
    paths = [["before", "email"], ["after", "email"], ["after", "last_name"]]
    for stored, made, event in zip(*scans, events(), strict=True):
        same = ("offset", "timestamp", "headers")
        assert {name: stored[name] for name in same} == {name: made[name] for name in same}
        if stored["value"] is None:
            assert made["value"] is None
            continue
        assert len(made["value"]) == len(stored["value"])
        skip = 5 if form == "json-schema" else 0
        assert made["value"][:skip] == stored["value"][:skip]
        assert without(json.loads(made["value"][skip:]), paths) == without(event["value"], paths)
        assert b"@noanswer.org" not in made["value"]
        assert made["key"] is None or (made["key"] != stored["key"] and len(made["key"]) == len(stored["key"]))


def test_no_half_redaction_is_written(tmp_path: Path) -> None:
    source = written(tmp_path, "avro")
    shutil.rmtree(source / "_schemas-0")
    with pytest.raises(
        KafkafmtError, match=r"customers-0, offset 0: fields of this value cannot be redacted"
    ) as refused:
        library.extract(source, tmp_path / "out", topics=TOPIC, redact="value:after.email")
    assert "Redact values as a whole" in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_an_extract_of_avro_without_some_fields(tmp_path: Path) -> None:
    source = written(tmp_path, "avro")
    fields = ("value:after.email", "value:before.email", "value:source.lsn", "value:ts_ms")
    library.extract(source, tmp_path / "out", topics=[TOPIC, "_schemas"], redact=fields, salt="s")
    tables = [library.scan(each, topics=TOPIC).decode().to_table().to_pylist() for each in (source, tmp_path / "out")]
    stored = [library.scan(each, topics=TOPIC).to_table()["value"].to_pylist() for each in (source, tmp_path / "out")]
    paths = [field.partition(":")[2].split(".") for field in fields]
    assert [value and len(value) for value in stored[0]] == [value and len(value) for value in stored[1]]
    for before, after in zip(*tables, strict=True):
        assert without(before["value"], paths) == without(after["value"], paths)
        if before["value"]:
            assert 0 <= after["value"]["source"]["lsn"] < before["value"]["source"]["lsn"]
            assert 0 <= after["value"]["ts_ms"] < before["value"]["ts_ms"]
            assert b"@" not in stored[1][before["offset"]]


@pytest.fixture(scope="module")
def golden_avro(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("avro", tmp_path_factory.mktemp("avro"))


AVRO_TOPICS = sorted({row["topic"] for row in rows("avro", "values") if row.get("framing") == "confluent"})


@pytest.mark.parametrize("topic", AVRO_TOPICS)
def test_real_avro_values_stay_readable(topic: str, golden_avro: Path, tmp_path: Path) -> None:
    before = (
        library.scan(golden_avro, topics=topic).without_warnings().decode(key="bytes", on_damage="skip", resolve=False)
    )
    values = before.to_table()["value"].to_pylist()
    documents = [json.loads(value) for value in values if value is not None]
    names = sorted({name for each in documents if isinstance(each, dict) for name in each if "." not in name})[::2]
    assert names
    out = tmp_path / "out"
    if topic in ("plain", "shifts"):  # some of their values are bytes or text
        with pytest.raises(KafkafmtError, match="which has no fields"):
            library.extract(golden_avro, out, topics=topic, redact="value:a")
        return
    library.extract(golden_avro, out, topics=[topic, "_schemas"], redact=[f"value:{name}" for name in names])
    decoded = (
        library.scan(out, topics=topic)
        .without_warnings()
        .decode(key="bytes", on_damage="skip", resolve=False, schemas=library.values.schemas(golden_avro))
    )
    table = decoded.to_table()
    assert table["valueError"].to_pylist() == before.to_table()["valueError"].to_pylist()
    versions = [each for each in library.values.schemas(golden_avro).all if each.subject == f"{topic}-value"]
    has_aliases = topic.startswith(("orders", "types", "drift"))
    of_aliases = names_of_fields(parse(each.schema) for each in versions) if has_aliases else {}
    paths = [[other] for name in names for other in of_aliases.get(name, [name])]
    for stored, value in zip(values, table["value"].to_pylist(), strict=True):
        if stored is None:
            assert value is None
        else:
            assert without(json.loads(value), paths) == without(json.loads(stored), paths)


@pytest.mark.parametrize("name", ["client", "customer"])
def test_fields_of_avro_under_all_their_names(name: str, golden_avro: Path, tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    # The values of `client` in the latest schema were written as `customer` by the first ones.
    options = ("--out", tmp_path / "out", "--topic", "orders", "--redact", f"value:{name}", "--salt", "some")
    answer = kafkafmt("extract", golden_avro, *options)
    assert answer.status == 0
    assert "without value" not in answer.stderr
    known = library.values.schemas(golden_avro)
    before, after = (
        library.scan(each, topics="orders").without_warnings().decode(schemas=known).to_table()["value"].to_pylist()
        for each in (golden_avro, tmp_path / "out")
    )
    assert len(before) == 34
    long = [
        (each["client"], made["client"]) for each, made in zip(before, after, strict=True) if each and each["client"]
    ]
    assert len(long) > 20
    assert all(was != made for was, made in long)
    some = kafkafmt(
        "extract", golden_avro, *options[:1], tmp_path / "some", *options[2:4], "--redact", "value:discount"
    )
    assert "note: nothing was redacted in 13 values without value:discount" in some.stderr


def test_names_by_aliases() -> None:
    schema = parse(
        '{"type":"record","name":"R","fields":[{"name":"c","aliases":["b"],"type":"int"},'
        '{"name":"r","type":["null",{"type":"array","items":{"type":"record","name":"S","fields":'
        '[{"name":"b","aliases":["a"],"type":"int"},{"name":"again","type":["null","R"]}]}}]}]}'
    )
    assert names_of_fields([schema]) == dict.fromkeys("abc", frozenset("abc"))


AVRO_EVENT = encoded(json.loads((GOLDEN / "envelope.avsc").read_text()), events()[3]["value"], {})


@given(st.integers(0, len(AVRO_EVENT)), st.binary(max_size=3), st.integers(0, 3))
def test_changed_avro_is_redacted_or_refused(at: int, piece: bytes, size: int) -> None:
    node = parse((GOLDEN / "envelope.avsc").read_text())
    data = AVRO_EVENT[:at] + piece + AVRO_EVENT[at + size :]
    try:
        made = masked_avro(mask("after.email", "before", "source.lsn"), node, data, {})
    except DataError:
        return
    assert len(made) == len(data)
    assert masked_avro(mask("nothing"), node, made, {}) == made  # it still fits the schema


@given(st.integers(-(2**63), 2**63 - 1), st.binary(min_size=10, max_size=10))
def test_masked_numbers_keep_their_sign_and_are_not_larger(number: int, digest: bytes) -> None:
    found = write_varlong(number)
    made = smaller_varint(found, digest[: len(found)])
    value = Datum(made).read_long()
    assert len(made) == len(found)
    assert (value < 0) == (number < 0)
    assert abs(value) <= abs(number)


@given(st.integers(-(2**100), 2**100), st.integers(0, 3), st.binary(min_size=20, max_size=20))
def test_masked_decimals_are_not_larger(number: int, more: int, digest: bytes) -> None:
    size = number.bit_length() // 8 + 1 + more
    made = smaller_decimal(number.to_bytes(size, "big", signed=True), digest[:size])
    assert len(made) == size
    assert abs(int.from_bytes(made, "big", signed=True)) <= abs(number)


@given(st.floats(), st.binary(min_size=8, max_size=8))
def test_masked_doubles_stay_finite(number: float, digest: bytes) -> None:
    for form, size in (("<d", 8), ("<f", 4)):
        try:
            found = struct.pack(form, number)
        except OverflowError:
            continue
        (made,) = struct.unpack(form, same_magnitude(found, digest[:size]))
        (stored,) = struct.unpack(form, found)
        assert math.isfinite(made) == math.isfinite(stored)
        if math.isfinite(stored) and stored:
            assert math.copysign(1, made) == math.copysign(1, stored)
            assert abs(made) < 2.01 * abs(stored) or abs(stored) < 2**-120


def test_a_field_that_no_record_has_is_a_finding(tmp_path: Path) -> None:
    table = pa.table({"value": [b'{"a":"12345678"}'], "timestamp": [1]})
    write(table, tmp_path / "log", topic="t", partitions=1)
    made = library.extract(tmp_path / "log", tmp_path / "out", redact=("value:a", "value:emial", "key:b"))
    notes = [str(note) for note in made.notes if note.is_finding]
    assert notes == [
        "no record has value:emial, so it redacted nothing",
        "no record has key:b, so it redacted nothing",
    ]


def test_the_command(tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    source = written(tmp_path, "json")
    assert any(EMAIL.search(path.read_bytes()) for path in Path(source).rglob("*.log"))
    wanted = ("extract", source, "--topic", TOPIC, "--out", tmp_path / "out", "--redact")
    assert kafkafmt(*wanted, "value:after.email,value:before.email").status == 0
    twice = ("extract", source, "--topic", TOPIC, "--out", tmp_path / "twice", "--redact", "value:after.email")
    assert kafkafmt(*twice, "--redact", "value:before.email").status == 0
    for name in ("out", "twice"):
        # Not b"@" alone, which may occur in a CRC: the salt differs each time.
        assert not any(EMAIL.search(path.read_bytes()) for path in (tmp_path / name).rglob("*.log"))
    events_of_connect = written(tmp_path, "connect")
    keys = kafkafmt("extract", events_of_connect, "--out", tmp_path / "keys", "--redact", "key:payload.id,value:emial")
    assert keys.status == 1
    assert keys.stderr.startswith("kafkafmt: no record has value:emial, so it redacted nothing\n")
    damaged = kafkafmt("extract", events_of_connect, "--out", tmp_path / "no", "--redact", "headers:a")
    assert damaged.status == 2
    refused = kafkafmt(*wanted, "value:")
    assert refused.status == 2
    assert "value:FIELD" in refused.stderr
