"""The implementation of tools/message_specs/make: makes all specs and schemas, or checks those of the checkout."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from class_path import ToolError, kafka_jars
from message_specs import dispatchers, frames
from message_specs.schemas import MissingTextsError, Schema, SchemaError, Source, read_all, read_protocol
from message_specs.spec import MessageSpec, spec_id

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FORMATS = ROOT / "formats"
OUT = FORMATS / "messages"
OUT_PROTOCOL = FORMATS / "protocol"
TEXTS = HERE / "texts.yaml"
PROTOCOL = ROOT / "kafkafmt" / "protocol" / "schemas.json"

HAND_WRITTEN = frozenset(
    {
        "kafka_array_length",
        "kafka_boolean",
        "kafka_bytes",
        "kafka_control_record_value",
        "kafka_cooperative_sticky_assignor_user_data",
        "kafka_exchanges",
        "kafka_record_set",
        "kafka_sticky_assignor_user_data",
        "kafka_string",
        "kafka_tagged_fields",
        "kafka_unsigned_varint",
    }
)
"""Specs in formats/messages/ and formats/protocol/ that this tool does not write."""

COPIED = (
    "kafka_header",
    "kafka_log_segment",
    "kafka_message",
    "kafka_record",
    "kafka_record_batch",
    "kafka_varint",
    "kafka_varlong",
    "messages/kafka_array_length",
    "messages/kafka_boolean",
    "messages/kafka_bytes",
    "messages/kafka_string",
    "messages/kafka_tagged_fields",
    "messages/kafka_unsigned_varint",
)
"""Specs that formats/protocol/ has copies of: the Web IDE imports only from the folder of the open spec."""


def main(arguments: list[str], description: str) -> int:
    """Run the tool with command-line arguments; returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, fail on any difference")
    options = parser.parse_args(arguments)
    try:
        made = all_files(kafka_jars(), yaml.safe_load(TEXTS.read_text(encoding="utf-8")))
    except ToolError as error:
        print(f"tools/message_specs/make: {error}", file=sys.stderr)
        return 2
    except SchemaError as error:
        print(f"tools/message_specs/make: {error}", file=sys.stderr)
        return 1
    found = [PROTOCOL, *(path for out in (OUT, OUT_PROTOCOL) for path in out.glob("*.ksy"))]
    old = {path: path.read_text(encoding="utf-8") for path in found if path.is_file() and not _is_hand_written(path)}
    different = sorted(path for path in made.keys() | old.keys() if made.get(path) != old.get(path))
    if options.check and different:
        print("not what Kafka's schemas give; run tools/message_specs/make:", file=sys.stderr)
        print(*(path.relative_to(ROOT) for path in different), sep="\n", file=sys.stderr)
        return 1
    for path in different:
        if path in made:
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


def _is_hand_written(path: Path) -> bool:
    is_copy = path.parent == OUT_PROTOCOL and f"messages/{path.stem}" in COPIED
    return path.stem in HAND_WRITTEN and not is_copy


def all_files(jars: Path, texts: dict[str, Any]) -> dict[Path, str]:
    """Make all files of this tool: their texts by path.

    Raises:
        SchemaError: a schema is not understood, or a text has no field or structure.
    """
    return {
        PROTOCOL: protocol_schemas(jars),
        **{OUT / f"{name}.ksy": text for name, text in make(jars, texts).items()},
        **{OUT_PROTOCOL / f"{name}.ksy": text for name, text in make_protocol(jars, texts["protocol"]).items()},
        **{
            OUT_PROTOCOL / f"{Path(name).name}.ksy": (FORMATS / f"{name}.ksy").read_text(encoding="utf-8")
            for name in COPIED
        },
    }


def make(jars: Path, texts: dict[str, Any]) -> dict[str, str]:
    """Make the specs of the messages that Kafka keeps in logs: their texts by id.

    Raises:
        SchemaError: a schema is not understood, or a text has no field or structure.
    """
    sources = read_all(jars)
    made = _specs(sources, texts["messages"], texts["common"])
    for dispatcher in dispatchers.DISPATCHERS:
        made[f"kafka_{dispatcher.name}"] = dispatchers.text(dispatcher, sources, texts["dispatchers"][dispatcher.name])
    return made


def make_protocol(jars: Path, texts: Mapping[str, str]) -> dict[str, str]:
    """Make the specs of requests and responses: their texts by id.

    Args:
        jars: directory of Kafka's jars.
        texts: docs of fields by their ids in the specs; most fields have none.

    Raises:
        SchemaError: a schema is not understood, or a text has no field or structure.
    """
    sources = read_protocol(jars)
    return {**_specs(sources, {}, texts), **frames.texts(sources)}


def _specs(sources: list[Source], texts: Mapping[str, Any], common: Mapping[str, str]) -> dict[str, str]:
    made = {}
    missing: list[tuple[str, list[str]]] = []
    common_used: set[str] = set()
    for source in sources:
        name = source.schema["name"]
        own = texts.get(name, {})
        spec = MessageSpec(source, own, common)
        try:
            made[spec_id(name)] = spec.text()
        except MissingTextsError as error:
            missing += error.missing
            continue
        _no_stale_texts(f"{name}: ", own.keys() - spec.used)
        common_used |= spec.common_used
    if missing:
        raise MissingTextsError(*missing)
    _no_stale_texts("of fields: ", common.keys() - common_used)
    _no_stale_texts("", texts.keys() - {source.schema["name"] for source in sources})
    return made


_OF_MESSAGES = ("name", "type", "apiKey", "validVersions", "flexibleVersions", "latestVersionUnstable")
_OF_FIELDS = ("name", "type", "versions", "nullableVersions", "taggedVersions", "flexibleVersions", "tag", "default")


def protocol_schemas(jars: Path) -> str:
    """The parts of Kafka's protocol schemas that determine its bytes: lines of JSON, one for each message."""

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
        raise SchemaError(f"texts.yaml describes unknown fields or structures: {where}{', '.join(sorted(stale))}")
