"""The owner of a log directory (`meta.properties` in its root): ids of the cluster, the node and the directory.

Kafka's MetaProperties, in the syntax of java.util.Properties. Version 0 (ZooKeeper) has `broker.id`, and `cluster.id`
in later releases; version 1 (KRaft) has `node.id` and `cluster.id`; `directory.id` came with KIP-858; in version 2
`cluster.id` is optional and `directory.id` is not.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.files import text
from kafkafmt.files.bounded import reader
from kafkafmt.libraries import pa

_BLANKS = " \t\f"
_KEY_ENDS = "=:" + _BLANKS
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_NAMED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


@dataclass(frozen=True, slots=True)
class MetaProperties:
    """The properties of a log directory.

    Attributes:
        version: 0, 1 or 2; 0 where the file does not say.
        broker_id: id of the broker in version 0, None where absent or in later versions.
        node_id: id of the node from version 1 on, None in version 0.
        cluster_id: id of the cluster, or None.
        directory_id: id of this log directory as Kafka prints it, or None.
        properties: all properties in file order; for a repeated key, the last value.
        file: name of the file, or None.
    """

    version: Annotated[int, "int32"]
    broker_id: Annotated[int | None, "int32"]
    node_id: Annotated[int | None, "int32"]
    cluster_id: Annotated[str | None, "string"]
    directory_id: Annotated[str | None, "string"]
    properties: Mapping[str, str] = field(repr=False, hash=False)
    file: str | None

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """The keys and values of the file, in order."""
        return tuple(self.properties.items())

    def to_table(self) -> "pa.Table":
        """Make one row: `version`, `brokerId`, `nodeId` int32, `clusterId`, `directoryId` string; null if absent."""
        return TableColumns(*columns_of(MetaProperties)).to_table([self])


def parse(data: bytes | memoryview, *, file: str | None = None) -> MetaProperties:
    r"""Parse the properties of a log directory.

    Args:
        data: the whole file: ISO-8859-1 with ``\uxxxx`` escapes, as Java loads it.
        file: its name, for error texts.

    Raises:
        UnsupportedError: the version is not 0, 1 or 2.
        CorruptError: an escape is malformed, a number or id is invalid, or a field that the version requires is
            missing.
    """
    properties: dict[str, str] = {}
    places: dict[str, int] = {}
    for position, key, value in _pairs(bytes(data), file):
        properties[key], places[key] = value, position

    def number(key: str) -> int:
        if key not in properties:
            raise CorruptError(f"the property {key} is missing", file=file, position=len(data))
        return text.integer(properties[key], 32, key, position=places[key], file=file)

    version = 0
    if "version" in properties:
        version = text.integer(properties["version"].strip(), 32, "version", position=places["version"], file=file)
    if version not in (0, 1, 2):
        raise UnsupportedError(
            "unknown version of meta.properties",
            file=file,
            position=places["version"],
            expected="0, 1 or 2",
            found=version,
        )
    for required in ((), ("cluster.id",), ("directory.id",))[version]:
        if required not in properties:
            raise CorruptError(f"the property {required} is missing", file=file, position=len(data))
    directory_id = None
    if "directory.id" in properties:
        found = text.kafka_uuid(properties["directory.id"], "directory.id", position=places["directory.id"], file=file)
        directory_id = format_uuid(found.bytes)
    return MetaProperties(
        version=version,
        broker_id=number("broker.id") if version == 0 and "broker.id" in properties else None,
        node_id=number("node.id") if version > 0 else None,
        cluster_id=properties.get("cluster.id"),
        directory_id=directory_id,
        properties=properties,
        file=file,
    )


def encode(*, cluster_id: str, node_id: int, directory_id: str, now_ms: int) -> bytes:
    """Encode the meta.properties of a KRaft node (version 1), as java.util.Properties stores it.

    Args:
        cluster_id: id of the cluster.
        node_id: id of the node.
        directory_id: id of this log directory.
        now_ms: time for the comment, in ms since the epoch.
    """
    written = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%a %b %d %H:%M:%S UTC %Y")
    values = {"cluster.id": cluster_id, "directory.id": directory_id, "node.id": node_id, "version": 1}
    return "".join(f"{line}\n" for line in ("#", f"#{written}", *(f"{k}={v}" for k, v in values.items()))).encode()


read = reader("meta_properties", parse)


def _pairs(data: bytes, file: str | None) -> Iterator[tuple[int, str, str]]:
    # Position of its line, key and value of each property, by the rules of java.util.Properties.load.
    for position, line in _logical_lines(data):
        end = 0
        while end < len(line) and line[end] not in _KEY_ENDS:
            end += 2 if line[end] == "\\" else 1
        value = line[end:].lstrip(_BLANKS)
        if value[:1] in {"=", ":"}:
            value = value[1:].lstrip(_BLANKS)
        yield position, _unescape(line[:end], position, file), _unescape(value, position, file)


def _logical_lines(data: bytes) -> Iterator[tuple[int, str]]:
    # Lines other than comments and blank ones; a line that ends in an odd number of backslashes continues in the next.
    begun = ""
    position = 0
    continues = False
    for line in text.lines(data):
        content = line.content.decode("latin-1").lstrip(_BLANKS)
        if not begun:
            if not content or content[0] in "#!":
                continues = False
                continue
            position = line.position
        continues = (len(content) - len(content.rstrip("\\"))) % 2 == 1
        begun += content[:-1] if continues else content
        if not continues:
            yield position, begun
            begun = ""
    # Java reads a lone backslash at the end of the file as an empty property, but not before \r\n.
    if begun or (continues and not data.endswith(b"\r\n")):
        yield position, begun


def _unescape(escaped: str, position: int, file: str | None) -> str:
    def plain(match: re.Match[str]) -> str:
        if match[1] is not None:
            return chr(int(match[1], 16))
        if match[2] == "u":
            raise CorruptError(
                r"malformed \uxxxx escape", file=file, position=position, found=text.shown(escaped[match.start() :][:6])
            )
        return _NAMED.get(match[2], match[2])

    return text.well_formed(_ESCAPE.sub(plain, escaped)) if "\\" in escaped else escaped
