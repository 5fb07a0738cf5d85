"""The definitions of Kafka's configs: names, types, defaults, synonyms and texts, by its own ConfigDefs.

kafkafmt/operations/config_definitions.json has those of topics, groups, client metrics, and dynamic broker configs.
"""

import argparse
import json
from pathlib import Path

from class_path import TOOLS, kafka_class_path
from kafka_judge.java_programs import answers
from kafka_judge.verdict import Verdict

DEFINITIONS = TOOLS.parent / "kafkafmt" / "operations" / "config_definitions.json"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--write", action="store_true", help="write Kafka's definitions into the file")


def judge(options: argparse.Namespace) -> Verdict:
    """Print the definitions with ConfigDefinitions.java, and compare them with the file.

    Raises:
        ToolError: a tool is missing or fails.
    """
    lines = answers(kafka_class_path(), "ConfigDefinitions")
    if options.write:
        DEFINITIONS.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    stored = _lines(DEFINITIONS)
    found = [f"only in Kafka: {line}" for line in lines if line not in stored]
    found += [f"only in the file: {line}" for line in stored if line not in lines]
    return Verdict(f"{len(lines)} definitions", found)


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    json.loads(text)
    return [line.removesuffix(",") for line in text.splitlines()[1:-1]]
