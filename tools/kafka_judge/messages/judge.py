"""Random messages of every class in formats/messages/: what Kafka's classes write, and what kafkafmt reads of it.

They are of each version: empty, null, extreme and long values, tagged fields that are known and such that are not.
Mutations of them must be read or refused as Kafka does; compare.py lists the intended differences.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from class_path import ToolError, kafka_class_path
from kafka_judge.java_programs import answers
from kafka_judge.messages.compare import MUTATED, RULES, Written, differences
from kafka_judge.verdict import Verdict
from message_specs.schemas import LATEST, Schema, SchemaError, Source, read_all, release, versions

MESSAGES = 50
MUTATIONS = 4
LARGEST_VECTOR = 600
"""Size in bytes of the largest message that is written for the tests, which flip each of its bits."""

_PACKAGES = {
    "clients": "org.apache.kafka.common.message",
    "group-coordinator": "org.apache.kafka.coordinator.group.generated",
    "transaction-coordinator": "org.apache.kafka.coordinator.transaction.generated",
    "share-coordinator": "org.apache.kafka.coordinator.share.generated",
    "metadata": "org.apache.kafka.common.metadata",
    "storage": "org.apache.kafka.server.log.remote.metadata.storage.generated",
}
_FORMS = {"coordinator-key": "typed", "coordinator-value": "versioned", "metadata": "framed"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument(
        "--messages", type=int, default=MESSAGES, help="number of messages of each version (%(default)s)"
    )
    parser.add_argument(
        "--mutations", type=int, default=MUTATIONS, help="number of mutations of each message (%(default)s)"
    )
    parser.add_argument(
        "--vectors", type=Path, metavar="FILE", help="write the small messages to this file, as the tests read it"
    )


def judge(options: argparse.Namespace) -> Verdict:
    """Write messages of all classes with MessageJudge.java, and compare both readings of them.

    Raises:
        ToolError: a tool is missing or fails, or Kafka has a schema of an unknown kind.
    """
    classes = kafka_class_path()
    jars = Path(classes.partition("*")[0])
    try:
        sources = read_all(jars)
        kafka = release(jars)
    except SchemaError as error:
        raise ToolError(str(error)) from error
    written = list(_written(classes, sources, options))
    if options.vectors is not None:
        small = [one.as_json() for one in written if len(one.data) <= LARGEST_VECTOR and one.form != MUTATED]
        lines = [{"kafka": kafka, "seed": options.seed}, *small]
        text = "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)
        options.vectors.write_bytes(gzip.compress(text.encode(), mtime=0))
    found = Counter(text for one in written for text in differences(one))
    findings = [text for text in found if text not in RULES]
    if options.mutations >= MUTATIONS and options.messages >= MESSAGES:
        findings += [f"no message needs the rule {rule!r}" for rule in RULES if not found[rule]]
    mutated = sum(one.form == MUTATED for one in written)
    versions = {(one.name, one.version) for one in written}
    kinds = len({name for name, _ in versions})
    compared = f"{len(written) - mutated} messages of {kinds} kinds, {len(versions)} versions, {mutated} mutations"
    return Verdict(compared, findings)


def _written(classes: str, sources: list[Source], options: argparse.Namespace) -> Iterator[Written]:
    """Write messages of all classes with Kafka's own code."""
    forms = {str(source.schema["name"]): _form(source) for source in sources}
    topics = {str(source.schema["name"]): source.module for source in sources}
    lines = [
        f"{_PACKAGES[source.module]}.{source.schema['name']}\t{forms[str(source.schema['name'])]}"
        f"\t{','.join(nullable_fields(source.schema, str(source.schema['name'])))}\n"
        for source in sources
    ]
    numbers = (str(number) for number in (options.seed, options.messages, options.mutations))
    for line in answers(classes, "MessageJudge", *numbers, questions="".join(lines)):
        name, version, form, data, kafkas_json = line.split("\t")
        yield Written.of(name, int(version), form, topics[name], data, kafkas_json)


def _form(source: Source) -> str:
    schema = source.schema
    has_own_version = schema["fields"] and schema["fields"][0]["name"] == "Version"
    return "plain" if has_own_version else _FORMS.get(schema["type"], "versioned")


def nullable_fields(schema: Schema, class_name: str) -> Iterator[str]:
    """List the nullable fields with their versions, in the format that MessageJudge.java reads.

    "version" is included if the message has a field of that name, which then holds the version of the schema.
    """
    if schema["fields"] and schema["fields"][0]["name"] == "Version":
        yield f"version 0-{LATEST}"
    structures = [(class_name, schema["fields"])]
    structures += [(each["name"], each["fields"]) for each in schema.get("commonStructs", [])]
    for name, fields in structures:
        for field in fields:
            if nullable := versions(field.get("nullableVersions")):
                yield f"{name}.{field['name'][0].upper()}{field['name'][1:]} {nullable[0]}-{nullable[1]}"
            if "fields" in field:
                structures.append((field["type"].removeprefix("[]"), field["fields"]))
