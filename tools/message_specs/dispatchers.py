"""Writes the specs that select a record's message: by the type at the beginning of its key, or in its frame."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from message_specs.schemas import Source
from message_specs.spec import head, paragraph, snake_case, spec_id


@dataclass(frozen=True)
class Dispatcher:
    """A spec that selects the message of a record.

    Attributes:
        name: id of the spec without "kafka_".
        module: Kafka module of the messages.
        kind: type of the messages in the schemas.
        before: fields before the message.
        arguments: arguments for each message's spec.
        params: parameters of the dispatcher's spec.
    """

    name: str
    module: str
    kind: str
    before: tuple[str, ...]
    arguments: str = ""
    params: tuple[str, ...] = ()


_KEY = (
    "- id: type",
    "  type: s2",
    "  enum: {enum}",
    "  doc: What the record is about, and with it the layout of the rest and of the value",
)
_PARAM = ("- id: key_type", "  type: s2", "  enum: {enum}", "  doc: Type of the record, which its key tells")

_FRAME = (
    "- id: frame_version",
    "  contents: [1]",
    "  doc: Version of this frame",
    "- id: api_key",
    "  type: kafka_unsigned_varint",
    "  doc: Which message it is, one of `record_type`",
    "- id: version",
    "  type: kafka_unsigned_varint",
    "  doc: Version of the message's layout",
)

DISPATCHERS = (
    *(
        Dispatcher(f"{name}_{part}", module, f"coordinator-{part}", before, params=params)
        for name, module in (
            ("consumer_offsets", "group-coordinator"),
            ("transaction_state", "transaction-coordinator"),
            ("share_group_state", "share-coordinator"),
        )
        for part, before, params in (("key", _KEY, ()), ("value", (), _PARAM))
    ),
    *(
        Dispatcher(name, module, "metadata", _FRAME, "(version.value.as<s2>)")
        for name, module in (("metadata_record", "metadata"), ("remote_log_metadata", "storage"))
    ),
)
"""All dispatchers."""


def record_type(name: str) -> str:
    """Id of a message's type, which is the same for a key and its value."""
    return snake_case(name).removesuffix("_key").removesuffix("_value")


def text(dispatcher: Dispatcher, sources: list[Source], texts: Mapping[str, Any]) -> str:
    """Write a dispatcher's spec."""
    chosen = sorted(
        (
            source
            for source in sources
            if source.module == dispatcher.module and source.schema["type"] == dispatcher.kind
        ),
        key=lambda source: int(source.schema["apiKey"]),
    )
    names = [str(source.schema["name"]) for source in chosen]
    framed = dispatcher.kind == "metadata"
    imports = [spec_id(name) for name in names] + (["kafka_unsigned_varint"] if framed else [])
    identifier = f"kafka_{dispatcher.name}"
    lines = head(identifier, texts["title"], imports)
    lines += paragraph("doc", texts["doc"], 0)
    lines += [f"doc-ref: {texts['doc-ref']}"]
    enum = "record_type"
    is_value = dispatcher.kind == "coordinator-value"
    if dispatcher.params:
        lines += ["params:", *(f"  {line.format(enum=enum)}" for line in dispatcher.params)]
    lines += ["seq:", *(f"  {line.format(enum=enum)}" for line in dispatcher.before)]
    lines += [
        "  - id: message",
        "    size-eos: true",
        "    type:",
        f"      switch-on: {'api_key.value' if framed else 'key_type' if is_value else 'type'}",
        "      cases:",
    ]
    for source, name in zip(chosen, names, strict=True):
        case = str(source.schema["apiKey"]) if framed else f"{enum}::{record_type(name)}"
        lines += [f"        {case if framed else repr(case)}: {spec_id(name)}{dispatcher.arguments}"]
    lines += [f"    doc: The message{', which begins with its version' if is_value else ''}; bytes if it is not known"]
    lines += ["enums:", f"  {enum}:"]
    for source, name in zip(chosen, names, strict=True):
        lines += [
            f"    {source.schema['apiKey']}:",
            f"      id: {record_type(name)}",
            f"      doc: A `{spec_id(name)}`",
        ]
    return "\n".join(lines) + "\n"
