"""All specs and schemas that are made, and their comparison with those in the checkout."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import yaml

from class_path import ToolError, kafka_jars
from message_specs import dispatchers
from message_specs.schemas import Schema, SchemaError, read_all, read_protocol
from message_specs.spec import MessageSpec, spec_id

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = ROOT / "formats" / "messages"
TEXTS = HERE / "texts.yaml"
PROTOCOL = ROOT / "kafkafmt" / "protocol" / "schemas.json"

HAND_WRITTEN = frozenset(
    {
        "kafka_array_length",
        "kafka_boolean",
        "kafka_bytes",
        "kafka_control_record_value",
        "kafka_cooperative_sticky_assignor_user_data",
        "kafka_sticky_assignor_user_data",
        "kafka_string",
        "kafka_tagged_fields",
        "kafka_unsigned_varint",
    }
)
"""Specs of formats/messages/ that this tool leaves alone."""


def main(arguments: list[str], description: str) -> int:
    """Do as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, fail on any difference")
    options = parser.parse_args(arguments)
    try:
        jars = kafka_jars()
        made = make(jars, yaml.safe_load(TEXTS.read_text(encoding="utf-8")))
        protocol = protocol_schemas(jars)
    except ToolError as error:
        print(f"tools/message_specs/make: {error}", file=sys.stderr)
        return 2
    except SchemaError as error:
        print(f"tools/message_specs/make: {error}", file=sys.stderr)
        return 1
    if protocol != PROTOCOL.read_text(encoding="utf-8"):
        if options.check:
            print("kafkafmt/protocol/schemas.json is not Kafka's; run tools/message_specs/make", file=sys.stderr)
            return 1
        PROTOCOL.write_text(protocol, encoding="utf-8")
    old = {path.stem: path.read_text(encoding="utf-8") for path in OUT.glob("*.ksy") if path.stem not in HAND_WRITTEN}
    different = sorted(name for name in made.keys() | old.keys() if made.get(name) != old.get(name))
    if options.check and different:
        print("formats/messages is not what Kafka's schemas give; run tools/message_specs/make", file=sys.stderr)
        print(*(f"{name}.ksy" for name in different), sep="\n", file=sys.stderr)
        return 1
    for name in different:
        path = OUT / f"{name}.ksy"
        if name in made:
            path.write_text(made[name], encoding="utf-8")
        else:
            path.unlink()
    return 0


def make(jars: Path, texts: dict[str, Any]) -> dict[str, str]:
    """Make all specs: their texts by id.

    Raises:
        SchemaError: a schema is not understood, or a text is about nothing.
    """
    sources = read_all(jars)
    made = {}
    common_used: set[str] = set()
    for source in sources:
        name = source.schema["name"]
        own = texts["messages"].get(name, {})
        spec = MessageSpec(source, own, texts["common"])
        made[spec_id(name)] = spec.text()
        _no_stale_texts(f"{name}: ", own.keys() - spec.used)
        common_used |= spec.common_used
    _no_stale_texts("common: ", texts["common"].keys() - common_used)
    _no_stale_texts("", texts["messages"].keys() - {source.schema["name"] for source in sources})
    for dispatcher in dispatchers.DISPATCHERS:
        made[f"kafka_{dispatcher.name}"] = dispatchers.text(dispatcher, sources, texts["dispatchers"][dispatcher.name])
    return made


_OF_MESSAGES = ("name", "type", "apiKey", "validVersions", "flexibleVersions", "latestVersionUnstable")
_OF_FIELDS = ("name", "type", "versions", "nullableVersions", "taggedVersions", "flexibleVersions", "tag", "default")


def protocol_schemas(jars: Path) -> str:
    """The schemas of Kafka's protocol as far as they determine its bytes: lines of JSON, one for each message."""

    def fields(schema: Schema) -> list[Schema]:
        return [
            {key: field[key] for key in _OF_FIELDS if key in field}
            | ({"fields": fields(field)} if field.get("fields") else {})
            for field in schema["fields"]
        ]

    def message(schema: Schema) -> Schema:
        made = {key: schema[key] for key in _OF_MESSAGES if key in schema} | {"fields": fields(schema)}
        structs = [{"name": each["name"], "fields": fields(each)} for each in schema.get("commonStructs", ())]
        return made | ({"commonStructs": structs} if structs else {})

    lines = [json.dumps(message(source.schema), separators=(",", ":")) for source in read_protocol(jars)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _no_stale_texts(where: str, stale: set[str]) -> None:
    if stale:
        raise SchemaError(f"texts.yaml says something of what is not there: {where}{', '.join(sorted(stale))}")
