"""Random Protobuf schemas and values, some of them damaged: what protobuf-java reads of them, and what kafkafmt reads.

kafkafmt reads each schema as text and as a descriptor, and each value by itself and together with the others.
`_is_intended` lists the intended differences. Where kafkafmt replaced a field, protobuf-java must read the rest as
before.
"""

import argparse
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any, Final

import numpy as np
import pyarrow as pa

from class_path import TOOLS, ToolError, class_path
from kafka_judge.java_programs import answers
from kafka_judge.protobuf.random_schemas import Schema, Values
from kafka_judge.protobuf.redactions import differences as redaction_differences
from kafka_judge.protobuf.redactions import redactions
from kafka_judge.verdict import Verdict
from kafkafmt.errors import KafkafmtError
from kafkafmt.values.decoded import Decoded
from kafkafmt.values.protobuf.arrow import ToArrow, shape_of
from kafkafmt.values.protobuf.bulk import BulkProtobuf
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.json_form import UNKNOWN, VALUE, JsonForm
from kafkafmt.values.protobuf.schema import ProtoSchema, link
from kafkafmt.values.protobuf.wire import read_message

SCHEMAS: Final = 300
VALUES: Final = 20

_HOME = TOOLS / "kafka_judge" / "protobuf"
_OUT_OF_RANGE = re.compile(r"is not valid\. See proto definition .*?\(-?(\d+)\)")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--schemas", type=int, default=SCHEMAS, help="number of schemas (%(default)s)")
    parser.add_argument("--values", type=int, default=VALUES, help="number of values of each schema (%(default)s)")


def judge(options: argparse.Namespace) -> Verdict:
    """Read all values with ProtobufJudge.java, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    random = Random(options.seed)
    asked = []
    lines: list[str] = []
    for _ in range(options.schemas):
        schema = Schema.random(random)
        message = random.choice([*schema.messages])
        values = [Values(schema, random).value(message) for _ in range(options.values)]
        redacted = redactions(schema, link(parse_schema(schema.text())), message, values, random)
        asked.append((schema, message, values, redacted))
        lines.append(f"schema {_text_of(schema.descriptor())}")
        lines += [f"value {message} {_text_of(each)}" for each in (*values, *(each.made for each in redacted))]
    said = answers(class_path(_HOME, "protobuf-java-util", [_HOME]), "ProtobufJudge", questions="\n".join(lines) + "\n")
    if len(said) != len(lines) - options.schemas:
        raise ToolError(f"ProtobufJudge gave {len(said)} answers")
    findings: list[str] = []
    refused = replaced = 0
    rest = iter(said)
    for number, (schema, message, values, redacted) in enumerate(asked):
        of_java = [*islice(rest, len(values))]
        found = [*differences(schema, f"judged.{message}", values, of_java)]
        for each in redacted:
            found += redaction_differences(values, each, of_java[each.row], next(rest))
        findings += [f"schema {number}, {text}" for text in found]
        refused += sum(line.startswith("!") for line in of_java)
        replaced += len(redacted)
    of_schemas = f"{options.schemas * options.values} values of {options.schemas} schemas"
    return Verdict(f"{of_schemas}, {refused} refused by protobuf-java; {replaced} with a field replaced", findings)


def differences(schema: Schema, name: str, values: list[bytes], of_java: list[str]) -> Iterator[str]:
    """The differences in the values of a schema.

    Args:
        schema: the schema.
        name: full name of the message.
        values: encoded values of the message.
        of_java: answer of protobuf-java for each value.
    """
    linked = link(parse_schema(schema.text()))
    by_descriptor = link(parse_schema(_text_of(schema.descriptor())))
    if shape_of(linked.by_name[name]).type != shape_of(by_descriptor.by_name[name]).type:
        yield f"{name}: its text and its descriptor give other columns"
    for value, theirs in zip(values, of_java, strict=True):
        made, has_unknown = as_json(linked, name, value)
        if made != as_json(by_descriptor, name, value)[0]:
            yield f"{name}: by its text {value.hex()} is another value than by its descriptor"
        expected = theirs if theirs.startswith("!") else _sorted(json.loads(theirs))
        if made != expected and not _is_intended(schema, made, expected, has_unknown=has_unknown):
            yield f"{name}: of {value.hex()} protobuf-java gives {expected}, we {made}: {schema.text()}"
    yield from _at_once(linked, name, values)


def as_json(schema: ProtoSchema, name: str, value: bytes) -> tuple[str, bool]:
    """The reading of kafkafmt: JSON, or "!" and the error; and whether it has fields that the schema does not know."""
    try:
        read = read_message(schema.by_name[name], value)
        return _sorted(_without_unknown(JsonForm(schema.by_name).of(read))), read.unknown_fields > 0
    except KafkafmtError as error:
        return f"!{error}", False


def _is_intended(schema: Schema, ours: str, theirs: str, *, has_unknown: bool) -> bool:
    """Whether a difference is intended: protobuf for Python and C++ (upb) differs from Java, too.

    Both refuse the value, for different reasons. Java puts U+FFFD into proto2 strings that are not UTF-8, cuts tags and
    lengths to 32 bits, and accepts some numbers of more than ten bytes. A map entry with fields that the schema does
    not know, or with a number that its enum does not know, is an unknown field: Java drops the fields and keeps the
    entry. If a map has a key twice, the last entry counts: Java also refuses the value if times in the others are out
    of range.
    """
    if ours.startswith("!"):
        lenient = ("a field has no valid number", "a number has more than", "a length leaves the message")
        is_no_text = schema.syntax == "proto2" and "text is not UTF-8" in ours
        return theirs.startswith("!") or is_no_text or any(text in ours for text in lenient)
    fields = [each for fields in schema.messages.values() for each in fields]
    maps = {each.name for each in fields if each.key is not None or each.type == "google.protobuf.Struct"}
    if not theirs.startswith("!") and _with_floats(json.loads(ours)) == _with_floats(json.loads(theirs)):
        return True
    refused = _OUT_OF_RANGE.search(theirs)
    if refused is not None and theirs.startswith("!"):
        return bool(maps) and (has_unknown or refused[1] not in ours)
    if not has_unknown or theirs.startswith("!"):
        return False
    return _without(maps, json.loads(ours)) == _without(maps, json.loads(theirs))  # type: ignore[no-any-return]


def _with_floats(value: Any) -> Any:  # noqa: ANN401 - JSON
    """The value with numbers rounded to 32-bit floats."""
    if isinstance(value, dict):
        return {name: _with_floats(each) for name, each in value.items()}
    if isinstance(value, list):
        return [*map(_with_floats, value)]
    return repr(np.float32(value)) if isinstance(value, float) and abs(value) < 3e38 else value


def _without(names: set[str], value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _without(names, each) for name, each in value.items() if name not in names}
    return [_without(names, each) for each in value] if isinstance(value, list) else value


def _at_once(schema: ProtoSchema, name: str, values: list[bytes]) -> Iterator[str]:
    """Compare values that are read together with the same values read one by one."""
    shape = shape_of(schema.by_name[name])
    json_form = JsonForm(schema.by_name)
    to_arrow = ToArrow(shape, json_form)

    def one(data: bytes) -> Any:  # noqa: ANN401 - as the message is
        return to_arrow.value(read_message(schema.by_name[name], data))

    expected: list[Any] = []
    for value in values:
        made = None
        try:
            made = one(value)
        except KafkafmtError as error:
            made = error
        expected.append(made)
    ends = np.cumsum([len(each) for each in values]).astype(np.int64)
    begins = ends - np.array([len(each) for each in values], np.int64)
    found = BulkProtobuf(shape, json_form, lambda data: Decoded(one(data))).read(
        np.frombuffer(b"".join(values), np.uint8), begins, ends
    )
    found.values.validate(full=True)
    single = pa.array([None if isinstance(each, KafkafmtError) else each for each in expected], shape.type)
    for row, (one_by_one, together) in enumerate(zip(single.to_pylist(), found.values.to_pylist(), strict=True)):
        is_error = isinstance(expected[row], KafkafmtError)
        if repr(one_by_one) != repr(together) or is_error != (row in found.errors):
            yield f"{name}: {values[row].hex()} is {together} together with others, {one_by_one} by itself"


def _without_unknown(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        if VALUE in value:
            return _without_unknown(value[VALUE])
        return {name: _without_unknown(each) for name, each in value.items() if name != UNKNOWN}
    return [_without_unknown(each) for each in value] if isinstance(value, list) else value


def _sorted(value: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(value, sort_keys=True)


def _text_of(data: bytes) -> str:
    return b64encode(data).decode()
