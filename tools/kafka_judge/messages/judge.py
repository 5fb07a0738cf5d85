"""Run MessageJudge.java over all classes of messages, and compare what kafkafmt reads in what they write."""

import argparse
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kafka_judge.class_path import JudgeError, kafka_class_path, tool
from kafka_judge.messages.compare import MUTATED, RULES, Written, differences
from message_specs.schemas import Schema, SchemaError, Source, read_all, release

HERE = Path(__file__).resolve().parent

SEED = 4_3_1
MESSAGES = 50
MUTATIONS = 4
LARGEST_VECTOR = 600
"""Bytes of the largest message that is written for the tests, which flip each of its bits."""

FINDINGS_SHOWN = 20

_PACKAGES = {
    "clients": "org.apache.kafka.common.message",
    "group-coordinator": "org.apache.kafka.coordinator.group.generated",
    "transaction-coordinator": "org.apache.kafka.coordinator.transaction.generated",
    "share-coordinator": "org.apache.kafka.coordinator.share.generated",
    "metadata": "org.apache.kafka.common.metadata",
    "storage": "org.apache.kafka.server.log.remote.metadata.storage.generated",
}
_FORMS = {"coordinator-key": "typed", "coordinator-value": "versioned", "metadata": "framed"}


def main(arguments: list[str], description: str) -> int:
    """Do as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the values (%(default)s)")
    parser.add_argument(
        "--messages", type=int, default=MESSAGES, help="number of messages of each version (%(default)s)"
    )
    parser.add_argument(
        "--mutations", type=int, default=MUTATIONS, help="number of mutations of each message (%(default)s)"
    )
    parser.add_argument("--vectors", type=Path, help="write the small messages to this file, as the tests read it")
    options = parser.parse_args(arguments)
    try:
        classes = kafka_class_path(HERE)
        jars = Path(classes.partition("*")[0])
        sources = read_all(jars)
        written = list(_written(classes, sources, options))
        kafka = release(jars)
    except (JudgeError, SchemaError) as error:
        print(f"tools/kafka_judge/check_messages: {error}", file=sys.stderr)
        return 2
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
    sound = len(written) - mutated
    if findings:
        print(*findings[:FINDINGS_SHOWN], sep="\n", file=sys.stderr)
        print(f"{sound} messages, {mutated} mutations, {len(findings)} differences", file=sys.stderr)
        return 1
    versions = {(one.name, one.version) for one in written}
    kinds = len({name for name, _ in versions})
    print(f"{sound} messages of {kinds} kinds, {len(versions)} versions, {mutated} mutations: as Kafka reads them")
    return 0


def _written(classes: str, sources: list[Source], options: argparse.Namespace) -> Iterator[Written]:
    """Let Kafka write messages of all classes."""
    forms = {str(source.schema["name"]): _form(source) for source in sources}
    topics = {str(source.schema["name"]): source.module for source in sources}
    lines = [
        f"{_PACKAGES[source.module]}.{source.schema['name']}\t{forms[str(source.schema['name'])]}"
        f"\t{','.join(_nullable(source.schema))}\n"
        for source in sources
    ]
    command = [tool("java"), "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes]
    command += ["MessageJudge", str(options.seed), str(options.messages), str(options.mutations)]
    done = subprocess.run(command, input="".join(lines), capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise JudgeError(f"MessageJudge failed:\n{done.stderr}")
    for line in done.stdout.splitlines():
        name, version, form, data, kafkas_json = line.split("\t")
        yield Written.of(name, int(version), form, topics[name], data, kafkas_json)


def _form(source: Source) -> str:
    schema = source.schema
    has_own_version = schema["fields"] and schema["fields"][0]["name"] == "Version"
    return "plain" if has_own_version else _FORMS.get(schema["type"], "versioned")


def _nullable(schema: Schema) -> Iterator[str]:
    """List the fields that can be null, and "version" if its own is one of them, which then is that of its layout."""
    if schema["fields"] and schema["fields"][0]["name"] == "Version":
        yield "version"
    structures = [(schema["name"], schema["fields"])]
    structures += [(each["name"], each["fields"]) for each in schema.get("commonStructs", [])]
    for name, fields in structures:
        for field in fields:
            if "nullableVersions" in field:
                yield f"{name}.{field['name'][0].upper()}{field['name'][1:]}"
            if "fields" in field:
                structures.append((field["type"].removeprefix("[]"), field["fields"]))
