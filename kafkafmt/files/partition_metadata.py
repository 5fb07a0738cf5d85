"""The topic id of a partition directory (`partition.metadata`), which distinguishes a recreated topic from the old one.

Kafka's PartitionMetadataFile (KIP-516), two lines since 2.8. A later version may add lines, which Kafka ignores.
"""

import re
import uuid
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError, TruncatedError, UnsupportedError
from kafkafmt.files import text
from kafkafmt.files.bounded import reader
from kafkafmt.libraries import pa

_SEPARATOR = re.compile(r":[ \t\n\x0b\f\r]+")
_MOST_TOPICS = 4096


@dataclass(frozen=True, slots=True)
class PartitionMetadata:
    """The content of partition.metadata.

    Attributes:
        version: version of the file; 0 is the only one so far.
        topic_uuid: the topic's id.
        file: name of the file, or None.
    """

    version: Annotated[int, "int32"]
    topic_uuid: uuid.UUID
    file: str | None

    @property
    def topic_id(self) -> Annotated[str, "string"]:
        """The topic's id as Kafka prints it: 22 characters of base64."""
        return _printed(self.topic_uuid)

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """The keys and values of the file, in order."""
        return (("version", str(self.version)), ("topic_id", self.topic_id))

    def to_table(self) -> "pa.Table":
        """Make a table of one row: `version` int32, `topicId` string."""
        return TableColumns(*columns_of(PartitionMetadata)).to_table([self])


def parse(data: bytes | memoryview, *, file: str | None = None) -> PartitionMetadata:
    """Parse the metadata of a partition.

    Args:
        data: the whole file.
        file: its name, for error texts.

    Raises:
        UnsupportedError: the version is negative.
        TruncatedError: a line is missing.
        CorruptError: a line is malformed, or the topic id is all zeros.
    """
    version, topic_id = text.read_once(_read, bytes(data), file)
    return PartitionMetadata(version, topic_id, file)


def _read(data: bytes, file: str | None) -> tuple[int, uuid.UUID]:
    """Parse the version and the topic id."""
    lines = text.lines(data)
    position, value = _value(next(lines, None), "version", len(data), file)
    version = text.integer(value, 32, "the version", position=position, file=file)
    if version < 0:
        raise UnsupportedError(
            "unknown version of partition.metadata", file=file, position=position, expected="0 or more", found=version
        )
    position, value = _value(next(lines, None), "topic_id", len(data), file)
    topic_id = text.kafka_uuid(value, "the topic id", position=position, file=file)
    if not topic_id.int:
        raise CorruptError("the topic id is all zeros", file=file, position=position, found=text.shown(value))
    return version, topic_id


def encode(topic_id: str) -> bytes:
    """Make the file of a topic id in Kafka's text form: two lines, the last one without a line end."""
    return f"version: 0\ntopic_id: {topic_id}".encode()


read = reader("partition_metadata", parse)


@lru_cache(_MOST_TOPICS)
def _printed(topic_id: uuid.UUID) -> str:
    """The text of a topic id, shared by all partitions of the topic."""
    return format_uuid(topic_id.bytes)


def _value(line: text.Line | None, key: str, end: int, file: str | None) -> tuple[int, str]:
    if line is None:
        raise TruncatedError(f"the line {key!r} is missing", file=file, position=end)
    content = text.decode(line.content, position=line.position, file=file)
    parts = _SEPARATOR.split(content)
    while len(parts) > 1 and not parts[-1]:  # as Java's split does
        parts.pop()
    if len(parts) != 2:
        raise CorruptError(
            f"line {line.number} of partition.metadata is malformed",
            file=file,
            position=line.position,
            expected=f"'{key}: ' and a value",
            found=text.shown(content),
        )
    return line.position + len(content[: len(content) - len(parts[1])].encode()), parts[1]
