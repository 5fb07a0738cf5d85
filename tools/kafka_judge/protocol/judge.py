"""Random requests, responses and headers of all APIs and versions: Kafka's classes, the specs, and kafkafmt's codec.

Kafka's classes write messages with empty, null, extreme and long values, and with known and unknown tagged fields. The
parsers of formats/protocol/ and the codec of kafkafmt/protocol/ must read each to its end, with the fields of Kafka's
JSON. The codec encodes the same fields again, and none at all; Kafka must read them, and its own defaults. Mutations of
the messages must be read or refused as Kafka does, with the differences that are in `RULES`.
"""

import argparse
import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kaitaistruct import KaitaiStructError

from class_path import ToolError, kafka_class_path
from kafka_judge.java_programs import answers
from kafka_judge.messages.compare import MUTATED, without
from kafka_judge.messages.judge import nullable_fields
from kafka_judge.protocol import coded, parsed
from kafka_judge.verdict import Verdict
from kafkafmt.errors import KafkafmtError
from message_specs.schemas import Schema, SchemaError, read_protocol

MESSAGES = 6
"""Messages of each version: one for each kind that MessageJudge.java writes."""

MUTATIONS = 6

RULES = {
    "size of a tagged field": "Kafka reads a field of a known tag without checking its size: kafkafmt refuses a "
    "field that does not fit its size",
    "string that is not UTF-8": "Kafka reads U+FFFD in its place: the codec refuses it",
}
"""Intended differences between readings of messages that were changed after they were written."""

_PACKAGE = "org.apache.kafka.common.message"
_SHOWN = 600
_REFUSALS = (
    *(KafkafmtError, KaitaiStructError),
    *(parsed.BytesLeftError, parsed.NegativeCountError, coded.BytesLeftError),
)


@dataclass(frozen=True)
class _Written:
    """A message that Kafka's classes wrote, or a mutation of one.

    Attributes:
        name: Kafka's name of the message.
        version: version of the message.
        data: bytes of the message.
        is_mutated: whether the bytes were changed after they were written.
        kafkas_json: output of Kafka's JSON converter; None if Kafka refuses the mutation.
    """

    name: str
    version: int
    data: bytes
    is_mutated: bool
    kafkas_json: Any


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument(
        "--messages", type=int, default=MESSAGES, help="number of messages of each version (%(default)s)"
    )
    parser.add_argument(
        "--mutations", type=int, default=MUTATIONS, help="number of mutations of each message (%(default)s)"
    )


def judge(options: argparse.Namespace) -> Verdict:
    """Write messages with Kafka's classes, read the codec's messages with them, and compare.

    Raises:
        ToolError: a tool is missing or fails, or Kafka has a schema of an unknown kind.
    """
    classes = kafka_class_path()
    try:
        schemas = [source.schema for source in read_protocol(Path(classes.partition("*")[0]))]
    except SchemaError as error:
        raise ToolError(str(error)) from error
    all_written = _written(classes, schemas, options)
    found = Counter(text for one in all_written for text in _differences(one))
    findings = [text for text in found if text not in RULES]
    if options.messages >= MESSAGES and options.mutations >= MUTATIONS:
        findings += [f"no message needs the rule {rule!r}" for rule in RULES if not found[rule]]
    written = [one for one in all_written if not one.is_mutated]
    kinds = {(one.name, one.version) for one in written}
    findings += _encoded(classes, written, sorted(kinds))
    mutations = len(all_written) - len(written)
    compared = f"{len(written)} messages of {len(schemas)} kinds, {len(kinds)} versions, {mutations} mutations"
    return Verdict(compared, findings)


def _written(classes: str, schemas: list[Schema], options: argparse.Namespace) -> list[_Written]:
    """Write messages of all classes with Kafka's code, which also reads mutations of them."""
    questions = "".join(
        f"{_PACKAGE}.{schema['name']}Data\tplain\t{','.join(nullable_fields(schema, schema['name'] + 'Data'))}\n"
        for schema in schemas
    )
    numbers = (str(options.seed), str(options.messages), str(options.mutations))
    lines = (line.split("\t") for line in answers(classes, "MessageJudge", *numbers, questions=questions))
    return [
        _Written(
            name.removesuffix("Data"), int(version), base64.b64decode(data), form == MUTATED, json.loads(kafkas_json)
        )
        for name, version, form, data, kafkas_json in lines
    ]


def _differences(one: _Written) -> Iterator[str]:
    """Yield the differences of the specs and the codec from Kafka; an intended difference as the name of its rule."""
    name, version, to_end = one.name, one.version, not one.is_mutated  # Kafka's classes ignore bytes after a message
    readers: dict[str, Callable[[], Any]] = {
        "specs": lambda: parsed.parse(name, version, one.data, to_end=to_end),
        "codec": lambda: coded.as_json(
            name, version, coded.decode(name, version, one.data, to_end=to_end), one.kafkas_json
        ),
    }
    kafkas = json.dumps(one.kafkas_json)
    for who, read in readers.items():
        place = f"{name} {version} {one.data[:_SHOWN].hex()}"
        try:
            found = read()
        except _REFUSALS as error:
            if one.kafkas_json is not None:
                rule = _rule_of_refusal(name, error) if one.is_mutated else None
                yield rule or f"{place}:\n  {who} {type(error).__name__}: {error}\n  Kafka {kafkas[:_SHOWN]}"
            continue
        if json.dumps(found) != kafkas:
            tags = parsed.tagged_fields(name)
            # Kafka neither writes a tagged field with its default value nor shows one that a mutation added.
            if one.is_mutated and json.dumps(without(found, tags)) == json.dumps(without(one.kafkas_json, tags)):
                continue
            yield f"{place}:\n  {who} {json.dumps(found)[:_SHOWN]}\n  Kafka {kafkas[:_SHOWN]}"


def _rule_of_refusal(name: str, error: Exception) -> str | None:
    """Find the rule by which kafkafmt refuses a mutation that Kafka reads."""
    if isinstance(error, KafkafmtError) and error.message == "a string is not UTF-8":
        return "string that is not UTF-8"
    return "size of a tagged field" if parsed.tagged_fields(name) else None


def _encoded(classes: str, written: list[_Written], kinds: list[tuple[str, int]]) -> Iterator[str]:
    """Read the codec's output with Kafka's classes: the same messages, and messages without any given fields."""
    questions, expected = [], []
    for one in written:
        try:
            decoded = coded.decode(one.name, one.version, one.data)
        except _REFUSALS:  # already reported as a difference
            continue
        questions.append((one.name, one.version, coded.encode(one.name, one.version, decoded)))
        expected.append(coded.as_json(one.name, one.version, decoded))
    for name, version in kinds:
        questions.append((name, version, coded.encode(name, version, {})))
    lines = [
        f"{_PACKAGE}.{name}Data\t{version}\t{base64.b64encode(data).decode()}\n" for name, version, data in questions
    ]
    lines += [f"{_PACKAGE}.{name}Data\t{version}\t-\n" for name, version in kinds]
    read = answers(classes, "ProtocolJson", questions="".join(lines))
    expected += map(json.loads, read[len(questions) :])
    for (name, version, _), line, kafkas in zip(questions, read, expected, strict=False):
        found, _, reason = line.partition("\t")
        if json.dumps(json.loads(found)) != json.dumps(kafkas):
            shown = f"\n  meant {json.dumps(kafkas)[:_SHOWN]}\n  Kafka {reason or found[:_SHOWN]}"
            yield f"{name} {version}: encoded by the codec:{shown}"
