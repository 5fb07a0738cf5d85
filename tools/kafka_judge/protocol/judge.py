"""Random requests, responses and headers of all APIs and versions: Kafka's classes, the specs, and kafkafmt's codec.

Kafka's classes write messages with empty, null, extreme and long values, and with known and unknown tagged fields. The
parsers of formats/protocol/ and the codec of kafkafmt/protocol/ must read each to its end, with the fields of Kafka's
JSON. The codec encodes the same fields again, and none at all; Kafka must read them, and its own defaults.
"""

import argparse
import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kaitaistruct import KaitaiStructError

from class_path import ToolError, kafka_class_path
from kafka_judge.java_programs import answers
from kafka_judge.messages.judge import nullable_fields
from kafka_judge.protocol import coded, parsed
from kafka_judge.verdict import Verdict
from kafkafmt.errors import KafkafmtError
from message_specs.schemas import Schema, SchemaError, read_protocol

MESSAGES = 6
"""Messages of each version: one of each of the kinds of MessageJudge.java."""

_PACKAGE = "org.apache.kafka.common.message"
_SHOWN = 600
_REFUSALS = (KafkafmtError, KaitaiStructError, parsed.BytesLeftError, coded.BytesLeftError)


@dataclass(frozen=True)
class _Written:
    """A message that Kafka's classes wrote: Kafka's name, version, bytes, and what its JSON converter says of it."""

    name: str
    version: int
    data: bytes
    kafkas_json: Any


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge alone."""
    parser.add_argument(
        "--messages", type=int, default=MESSAGES, help="number of messages of each version (%(default)s)"
    )


def judge(options: argparse.Namespace) -> Verdict:
    """Let Kafka write messages and read those of the codec, and compare.

    Raises:
        ToolError: a tool is missing or fails, or Kafka has a schema of an unknown kind.
    """
    classes = kafka_class_path()
    try:
        schemas = [source.schema for source in read_protocol(Path(classes.partition("*")[0]))]
    except SchemaError as error:
        raise ToolError(str(error)) from error
    written = _written(classes, schemas, options)
    findings = [text for one in written for text in _differences(one)]
    kinds = {(one.name, one.version) for one in written}
    findings += _encoded(classes, written, sorted(kinds))
    compared = f"{len(written)} messages of {len(schemas)} kinds, {len(kinds)} versions, by specs and codec"
    return Verdict(compared, findings)


def _written(classes: str, schemas: list[Schema], options: argparse.Namespace) -> list[_Written]:
    """Let Kafka write messages of all classes."""
    questions = "".join(
        f"{_PACKAGE}.{schema['name']}Data\tplain\t{','.join(nullable_fields(schema, schema['name'] + 'Data'))}\n"
        for schema in schemas
    )
    numbers = (str(options.seed), str(options.messages), "0")
    lines = (line.split("\t") for line in answers(classes, "MessageJudge", *numbers, questions=questions))
    return [
        _Written(name.removesuffix("Data"), int(version), base64.b64decode(data), json.loads(kafkas_json))
        for name, version, _, data, kafkas_json in lines
    ]


def _differences(one: _Written) -> Iterator[str]:
    """Say how what the specs and the codec read differs from what Kafka says."""
    readers: dict[str, Callable[[], Any]] = {
        "specs": lambda: parsed.parse(one.name, one.version, one.data),
        "codec": lambda: coded.as_json(one.name, one.version, coded.decode(one.name, one.version, one.data)),
    }
    kafkas = json.dumps(one.kafkas_json)
    for who, read in readers.items():
        try:
            found = json.dumps(read())
        except _REFUSALS as error:
            yield f"{one.name} {one.version}: {who}: {type(error).__name__}: {error}"
            continue
        if found != kafkas:
            yield f"{one.name} {one.version}:\n  Kafka {kafkas[:_SHOWN]}\n  {who} {found[:_SHOWN]}"


def _encoded(classes: str, written: list[_Written], kinds: list[tuple[str, int]]) -> Iterator[str]:
    """Let Kafka read what the codec encodes: the same messages, and such that nothing is given of."""
    questions, expected = [], []
    for one in written:
        try:
            data = coded.encode(one.name, one.version, coded.decode(one.name, one.version, one.data))
        except _REFUSALS:  # is among the differences already
            continue
        questions.append((one.name, one.version, data))
        expected.append(one.kafkas_json)
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
