"""The faster varints and records against the generated ones, and the errors of generated parsers."""

import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import kafkafmt_specs.kafka_header
import kafkafmt_specs.kafka_record
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kafkafmt_specs.kafka_log_segment import KafkaLogSegment
from kafkafmt_specs.kafka_message import KafkaMessage
from kafkafmt_specs.kafka_record import KafkaRecord
from kafkafmt_specs.kafka_record_batch import KafkaRecordBatch
from kafkafmt_specs.kafka_varint import KafkaVarint
from kafkafmt_specs.kafka_varlong import KafkaVarlong
from kaitaistruct import (
    BytesIO,
    EndOfStreamError,
    KaitaiStream,
    KaitaiStructError,
    ValidationExprError,
    ValidationLessThanError,
    ValidationNotEqualError,
)

from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.errors import CorruptError, KafkafmtError, TruncatedError
from kafkafmt.limits import Limits
from kafkafmt.reference import parsers
from kafkafmt.reference.generated_errors import generated_errors, validation_error
from kafkafmt.reference.parsers import parse_batch_header, parse_message, parse_message_header
from kafkafmt.reference.streams import LargeRecordStream, RecordStream, stream
from tests.golden_cases import Case, cases
from tests.reference.builder import batch, message

NUMBER_BYTES = st.lists(st.integers(0, 255) | st.integers(128, 255), max_size=12).map(bytes)


def outcome(parse: Callable[[KaitaiStream], Any], data: bytes) -> tuple[Any, ...]:
    """Value and bytes consumed, or class of the error."""
    io = KaitaiStream(BytesIO(data))
    try:
        return parse(io).value, io.pos()
    except KaitaiStructError as error:
        return (type(error),)
    except EOFError as error:
        return (type(error),)


@given(data=NUMBER_BYTES)
@example(b"")
@example(b"\x80")
@example(b"\xff\xff\xff\xff\x7f")
@example(b"\xff\xff\xff\xff\x8f\x00")
@example(b"\xff" * 9 + b"\x01")
@example(b"\xff" * 9 + b"\x7f")
@example(b"\xff" * 11)
def test_fast_varints_read_what_the_generated_ones_read_and_fail_where_they_fail(data: bytes) -> None:
    assert outcome(parsers._Varint, data) == outcome(KafkaVarint, data)
    assert outcome(parsers._Varlong, data) == outcome(KafkaVarlong, data)


def plain(record: Any) -> dict[str, Any]:
    """All fields of a parsed record, numbers as numbers."""
    body = record.body
    fields = {name: getattr(body, name, "missing") for name in ("attributes", "key", "value", "rest")}
    for name in ("timestamp_delta", "offset_delta", "len_key", "len_value", "num_headers"):
        fields[name] = getattr(body, name).value
    headers = [
        (header.len_key.value, header.key, header.len_value.value, getattr(header, "value", "missing"))
        for header in body.headers
    ]
    return {"len_body": record.len_body.value, **fields, "headers": headers}


@pytest.mark.parametrize("case", [case for case in cases() if "15-large" not in case.name], ids=str)
def test_fast_records_are_the_generated_ones_on_golden_batches(case: Case) -> None:
    # A sample of each case; other tests use the fast parsers anyway.
    rows = [row for row in case.jsonl("batches.jsonl") if row["magic"] == 2 and row["isValid"] and row["count"]]
    for row in rows[:: max(1, len(rows) // 20)]:
        data = (case.log_dir / row["file"]).read_bytes()[row["position"] :][: row["sizeInBytes"]]
        codec = Compression(int(parse_batch_header(data).attributes.compression))
        payload = decompress(codec, data[61:], magic=2, limits=Limits())
        fast, generated = RecordStream(payload), KaitaiStream(BytesIO(payload))
        for _ in range(row["count"]):
            assert plain(parsers.record_parser(1000)(fast)) == plain(KafkaRecord(generated))
            assert fast.pos() == generated.pos()
        assert fast.pos() == fast.size()


def test_the_public_generated_classes_stay_as_they_were_generated() -> None:
    # In a process of its own: what they are before kafkafmt is imported, and that importing it changes nothing.
    program = """
import importlib, pkgutil, kafkafmt_specs
names = [module.name for module in pkgutil.iter_modules(kafkafmt_specs.__path__)]
modules = [importlib.import_module("kafkafmt_specs." + name) for name in names]
def state():
    found = {}
    for module in modules:
        for name, value in vars(module).items():
            found[module.__name__, name] = id(value)
            if isinstance(value, type):
                for nested, attribute in vars(value).items():
                    found[module.__name__, name, nested] = id(attribute)
                    if isinstance(attribute, type):
                        found.update({(module.__name__, name, nested, k): id(v) for k, v in vars(attribute).items()})
    return found
before = state()
import kafkafmt, kafkafmt.reference.parsers
after = state()
assert before == after, set(before.items()) ^ set(after.items())
assert len(before) > 100
"""
    subprocess.run(
        [sys.executable, "-c", program], check=True, env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "0"}
    )
    assert kafkafmt_specs.kafka_record.kafka_varint.KafkaVarint is KafkaVarint
    assert kafkafmt_specs.kafka_header.kafka_varint.KafkaVarint is KafkaVarint
    assert parsers.record_parser(1000)._read is not KafkaRecord._read


def test_what_is_no_python_function_cannot_get_other_globals() -> None:
    with pytest.raises(TypeError, match="is not a Python function"):
        parsers.with_globals(len)


@pytest.mark.parametrize("data", [message(magic=0), message()], ids=["v0", "v1"])
def test_a_parsed_message_is_what_the_spec_gives(data: bytes) -> None:
    parsed, generated = parse_message(memoryview(data)), KafkaLogSegment.Entry(0, stream(data)).body
    assert {name: value for name, value in vars(parsed).items() if isinstance(value, (int, bytes))} == {
        name: value for name, value in vars(generated).items() if isinstance(value, (int, bytes))
    }


def test_a_parsed_batch_header_is_what_the_spec_gives() -> None:
    parsed, generated = parse_batch_header(memoryview(batch())), KafkaLogSegment.Entry(0, stream(batch())).body
    assert {name: value for name, value in vars(parsed).items() if isinstance(value, (int, bytes))} == {
        name: value for name, value in vars(generated).items() if isinstance(value, (int, bytes))
    }


@pytest.mark.parametrize("attributes", [0, 0x7FFF, 0xFFFF, *(1 << bit for bit in range(16)), 5, 6, 7])
def test_each_bit_of_the_attributes_is_what_the_spec_says(attributes: int) -> None:
    data = batch()
    data = data[:21] + attributes.to_bytes(2, "big") + data[23:]
    parsed, generated = parse_batch_header(data), KafkaRecordBatch(stream(data[12:]))
    for name in ("reserved", "has_delete_horizon", "is_control", "is_transactional", "timestamp_type", "compression"):
        assert getattr(parsed.attributes, name) == getattr(generated.attributes, name), name


def test_a_parsed_batch_header_is_freed_without_the_garbage_collector() -> None:
    parsed = parse_batch_header(batch())
    seen = weakref.ref(parsed)
    del parsed
    assert seen() is None


@pytest.mark.parametrize("data", [message(magic=0)[:25], message()[:30], batch(count=-1), batch()[:40]], ids=repr)
def test_entries_that_are_cut_or_break_a_rule_are_corrupt(data: bytes) -> None:
    parse = parse_batch_header if data[16] == 2 else parse_message
    with pytest.raises(CorruptError):
        parse(data)


def header_or_error(parse: Callable[[], Any]) -> list[object]:
    try:
        with generated_errors():
            parsed = parse()
    except KafkafmtError as error:
        return [type(error), error.message, error.expected, error.found]
    return [parsed.crc, parsed.magic, int(parsed.attributes.compression), parsed.attributes.reserved]


@pytest.mark.parametrize("data", [message(magic=0, key=b"k"), message(), message(magic=-1, value=None)], ids=repr)
def test_a_message_header_cut_anywhere_ends_as_the_generated_parser_does(data: bytes) -> None:
    for end in range(17, len(data) + 1):
        entry = data[:end]
        found = header_or_error(lambda e=entry: parse_message_header(lambda n: e[:n], len(e)))  # type: ignore[misc]
        assert found == header_or_error(lambda e=entry: KafkaMessage(stream(e[12:]))), end  # type: ignore[misc]


def test_a_batch_header_cut_anywhere_ends_as_the_generated_parser_does() -> None:
    for data in (batch(), batch(count=-1), batch(magic=1)):
        for end in range(17, 62):
            found = header_or_error(lambda e=data[:end]: parse_batch_header(e))  # type: ignore[misc]
            assert found == header_or_error(lambda e=data[12:end]: KafkaRecordBatch(stream(e))), end  # type: ignore[misc]


def test_an_early_end_becomes_truncated_with_what_was_needed() -> None:
    with pytest.raises(TruncatedError) as caught, generated_errors():
        stream(b"abc").read_bytes(5)
    assert (caught.value.expected, caught.value.found) == ("5 bytes", "3 bytes")
    assert isinstance(caught.value.__cause__, EndOfStreamError)


def test_a_negative_length_becomes_corrupt() -> None:
    with pytest.raises(CorruptError, match="-1"), generated_errors():
        stream(b"abc").read_bytes(-1)


@pytest.mark.parametrize("error", [KaitaiStructError("odd", "/seq/0"), ValueError("odd")])
def test_any_other_error_of_generated_code_becomes_corrupt(error: Exception) -> None:
    with pytest.raises(CorruptError, match="odd") as caught, generated_errors():
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    ("data", "expected", "found"),
    [
        (b"\xff\xff\xff\xff\xff", "at most 127", 255),
        (batch(count=-1), "at least 0", -1),
    ],
    ids=["maximum", "minimum"],
)
def test_a_value_beyond_a_bound_of_the_spec_is_named_with_the_bound(data: bytes, expected: object, found: int) -> None:
    with pytest.raises(CorruptError) as caught, generated_errors():
        parsers._Varint(stream(data)) if len(data) == 5 else KafkaLogSegment.Entry(0, stream(data))
    assert (caught.value.expected, caught.value.found) == (expected, found)


def test_validation_errors_name_values_parsed_objects_and_sizes_of_bytes() -> None:
    io = stream(b"")
    equal = validation_error(ValidationNotEqualError(b"", b"12345", io, "/seq/9"))
    assert (equal.expected, equal.found) == ("0 bytes", "5 bytes")
    assert "/seq" not in equal.message
    number = parsers._Varint(stream(b"\x01"))
    assert validation_error(ValidationLessThanError(0, number, io, "/seq/1")).found == -1
    expression = validation_error(ValidationExprError(7, io, "/seq/2"))
    assert (expression.expected, expression.found) == (None, 7)


@pytest.mark.parametrize("large", [1, 2, 3, 2**20])
@pytest.mark.parametrize("count", [-1, 0, 1, 3, 4, 2**40])
def test_a_record_stream_reads_and_ends_as_a_kaitai_stream_does(
    count: int, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def outcome(io: Any) -> Any:
        try:
            with generated_errors():
                return io.read_bytes(count), io.pos(), io.read_bytes_full(), io.pos(), io.size()
        except CorruptError as error:
            return type(error), error.expected, error.found

    expected = outcome(KaitaiStream(BytesIO(b"abc")))
    assert outcome(RecordStream(b"abc")) == expected
    monkeypatch.setattr("kafkafmt.reference.streams.LARGE", large)
    assert outcome(LargeRecordStream(memoryview(b"abc"))) == expected


@pytest.mark.parametrize("io", [RecordStream(b"a"), LargeRecordStream(memoryview(b"a"))])
def test_a_record_stream_at_its_end_has_no_byte(io: Any) -> None:
    assert io.read_u1() == ord("a")
    with pytest.raises(TruncatedError), generated_errors():
        io.read_u1()
