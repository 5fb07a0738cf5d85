"""All specs that are made, and their comparison with those in formats/messages/."""

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml

from class_path import ToolError, kafka_jars
from message_specs import dispatchers
from message_specs.schemas import SchemaError, read_all
from message_specs.spec import MessageSpec, spec_id

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = ROOT / "formats" / "messages"
TEXTS = HERE / "texts.yaml"

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
        made = make(kafka_jars(), yaml.safe_load(TEXTS.read_text(encoding="utf-8")))
    except ToolError as error:
        print(f"tools/message_specs/make: {error}", file=sys.stderr)
        return 2
    except SchemaError as error:
        print(f"tools/message_specs/make: {error}", file=sys.stderr)
        return 1
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


def _no_stale_texts(where: str, stale: set[str]) -> None:
    if stale:
        raise SchemaError(f"texts.yaml says something of what is not there: {where}{', '.join(sorted(stale))}")
