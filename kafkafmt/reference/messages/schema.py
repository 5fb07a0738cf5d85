"""The known messages and their fields: the specs of formats/messages/ as objects."""

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from kafkafmt.errors import UnsupportedError
from kafkafmt.internal_topics import (
    CLUSTER_METADATA,
    CONSUMER_OFFSETS,
    REMOTE_LOG_METADATA,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a message, or of a structure in a message.

    Attributes:
        name: name in the camelCase of Kafka's JSON.
        type: "bool", "int8", "int16", "uint16", "int32", "uint32", "int64", "float64", "string", "bytes", "uuid" or
            "struct"; for an array, the type of its elements.
        is_array: whether it is an array.
        first_version: first version of the message that has this field.
        last_version: last version of the message that has this field.
        is_nullable: whether it can be null in any version.
        tag: number of a tagged field, which may be missing; None for a field that is always present.
        fields: fields of a "struct"; else empty.
        id: name in the spec.
        structure: name of a structure's type in the spec, or None.
    """

    name: str
    type: str
    is_array: bool
    first_version: int
    last_version: int
    is_nullable: bool
    tag: int | None
    fields: "tuple[Field, ...]"
    id: str
    structure: str | None


@dataclass(frozen=True, slots=True)
class Message:
    """A kind of message.

    Attributes:
        name: Kafka's name: "OffsetCommitValue".
        first_version: the oldest known version.
        last_version: the newest known version.
        fields: fields in the order of Kafka's schema.
        spec: id of its spec.
        begins_with_version: whether its spec begins with the version; otherwise the version is a parameter of the spec.
    """

    name: str
    first_version: int
    last_version: int
    fields: tuple[Field, ...]
    spec: str
    begins_with_version: bool

    def require(self, version: int) -> None:
        """Refuse an unknown version.

        Raises:
            UnsupportedError: the version is unknown; without file and position.
        """
        if not self.first_version <= version <= self.last_version:
            several = self.first_version < self.last_version
            raise UnsupportedError(
                f"{self.name} of an unknown version",
                expected=f"version {self.first_version}{f' to {self.last_version}' if several else ''}",
                found=version,
            )


_SPECS: Final = {
    CONSUMER_OFFSETS: "kafka_consumer_offsets_key",
    TRANSACTION_STATE: "kafka_transaction_state_key",
    SHARE_GROUP_STATE: "kafka_share_group_state_key",
    REMOTE_LOG_METADATA: "kafka_remote_log_metadata",
    CLUSTER_METADATA: "kafka_metadata_record",
}


def record_types(topic: str) -> dict[int, str]:
    """Names of the record types of an internal topic, as in its spec, by number."""
    types: dict[str, dict[int, str]] = importlib.import_module("kafkafmt_specs.message_fields").RECORD_TYPES
    return types[_SPECS[topic]]


@cache
def _messages() -> dict[str, dict[str, Any]]:
    """Load the output of tools/regenerate when it is first needed, as that takes a while."""
    messages: dict[str, dict[str, Any]] = importlib.import_module("kafkafmt_specs.message_fields").MESSAGES
    return messages


def message_names() -> list[str]:
    """Names of all known messages, sorted."""
    return list(_messages())


@cache
def message(name: str) -> Message:
    """Look up a message by Kafka's name.

    Raises:
        ValueError: there is no message with that name.
    """
    known = _messages().get(name)
    if known is None:
        raise ValueError(f"no message is called {name!r}")
    first, last = known["versions"]
    fields = _fields(known["fields"], first, last)
    return Message(name, first, last, fields, known["spec"], known["begins_with_version"])


def _fields(described: list[dict[str, Any]], first: int, last: int) -> tuple[Field, ...]:
    found = []
    for field in described:
        since, until = field.get("versions", (first, last))
        found.append(
            Field(
                name=field["name"],
                type=field["type"],
                is_array=field.get("array", False),
                first_version=since,
                last_version=until,
                is_nullable=field.get("nullable", False),
                tag=field.get("tag"),
                fields=_fields(field.get("fields", []), first, last),
                id=field["id"],
                structure=field.get("structure"),
            )
        )
    return tuple(found)
