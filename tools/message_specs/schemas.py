"""Reads Kafka's JSON message schemas from its jars, and selects those that become specs."""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODULES = ("clients", "group-coordinator", "transaction-coordinator", "share-coordinator", "metadata", "storage")
"""Kafka modules whose jars are searched; their Maven name is kafka-<module>."""

FROM_CLIENTS = (
    "ConsumerProtocolAssignment",
    "ConsumerProtocolSubscription",
    "KRaftVersionRecord",
    "LeaderChangeMessage",
    "SnapshotFooterRecord",
    "SnapshotHeaderRecord",
    "VotersRecord",
)
"""Messages of kafka-clients that brokers keep in logs; the others there are requests and responses."""

NOT_IN_LOGS = ("ProducerSnapshot",)
"""Messages of the other jars that are not records: `.snapshot` files have a hand-written spec."""

LATEST = 0x7FFF
"""End of an open range of versions."""

Schema = dict[str, Any]
Range = tuple[int, int]
"""Versions from the first to the last one, both included."""


class SchemaError(Exception):
    """A jar or a schema has a form that this tool does not support."""


class MissingTextsError(SchemaError):
    """Fields or structures of a message have no description in texts.yaml.

    Args:
        missing: names of messages, and the paths of their fields and structures.

    Attributes:
        missing: the same names and paths.
    """

    def __init__(self, *missing: tuple[str, list[str]]) -> None:
        self.missing = missing
        listed = "; ".join(f"{message}: {', '.join(paths)}" for message, paths in missing)
        super().__init__(f"texts.yaml has nothing about {listed}")


@dataclass(frozen=True)
class Source:
    """A schema and its origin.

    Attributes:
        schema: content of the schema.
        url: URL of the file in Kafka's repository, at the release's tag.
        module: Kafka module of the file.
    """

    schema: Schema
    url: str
    module: str


def versions(text: str | None) -> Range | None:
    """Read "2+", "0-4", "3" or "none"; None means no version."""
    if text in {None, "none"}:
        return None
    found = re.fullmatch(r"(\d+)(\+|-(\d+))?", str(text))
    if found is None:
        raise SchemaError(f"not a range of versions: {text!r}")
    first = int(found[1])
    if found[2] == "+":
        return first, LATEST
    return first, int(found[3] or first)


def common(one: Range | None, other: Range | None) -> Range | None:
    """Versions that two ranges have in common."""
    if one is None or other is None:
        return None
    both = max(one[0], other[0]), min(one[1], other[1])
    return both if both[0] <= both[1] else None


def release(jars: Path) -> str:
    """Return the version of the Kafka jars in a directory.

    Raises:
        SchemaError: the directory does not have exactly one jar of each module.
    """
    found = set()
    for module in MODULES:
        names = list(jars.glob(f"kafka-{module}-[0-9]*.jar"))
        if len(names) != 1:
            raise SchemaError(f"{len(names)} jars of kafka-{module} in {jars}")
        found.add(names[0].name.removeprefix(f"kafka-{module}-").removesuffix(".jar"))
    if len(found) != 1:
        raise SchemaError(f"jars of several versions of Kafka: {', '.join(sorted(found))}")
    return found.pop()


def read_all(jars: Path) -> list[Source]:
    """Read the schemas of all messages that Kafka keeps in logs, by name."""
    version = release(jars)
    return sorted(_read(jars, version), key=lambda source: str(source.schema["name"]))


def read_protocol(jars: Path) -> list[Source]:
    """Read the schemas of the protocol: all requests, responses and their headers that have a version, by name."""
    return sorted(
        (
            source
            for source in _of_module(jars, "clients", release(jars))
            if source.schema["type"] in {"request", "response", "header"} and source.schema["validVersions"] != "none"
        ),
        key=lambda source: str(source.schema["name"]),
    )


def _read(jars: Path, version: str) -> Iterator[Source]:
    for module in MODULES:
        for source in _of_module(jars, module, version):
            name = source.schema["name"]
            if name not in NOT_IN_LOGS and (module != "clients" or name in FROM_CLIENTS):
                yield source


def _of_module(jars: Path, module: str, version: str) -> Iterator[Source]:
    with zipfile.ZipFile(jars / f"kafka-{module}-{version}.jar") as jar:
        for name in jar.namelist():
            if not re.fullmatch(r"(common/)?(message|metadata)/\w+\.json", name):
                continue
            # A comment takes a whole line, or comes after a bracket or a comma.
            text = jar.read(name).decode("utf-8")
            schema = json.loads(re.sub(r"^\s*//.*$|(?<=[,{\[\]}])\s*//.*$", "", text, flags=re.MULTILINE))
            resources = f"{module}/src/main/resources" if module != "storage" else "storage/src/main/resources"
            yield Source(schema, f"https://github.com/apache/kafka/blob/{version}/{resources}/{name}", module)
