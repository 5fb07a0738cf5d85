"""Schemas that are not text: a FileDescriptorProto in base64, as Confluent's Python clients register it."""

import binascii
import re
from base64 import b64decode
from functools import cache
from typing import Any, Final

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.protobuf.declared import DeclaredEnum, DeclaredField, DeclaredFile, DeclaredMessage
from kafkafmt.values.protobuf.known import known_file
from kafkafmt.values.protobuf.schema import ProtoMessage, link
from kafkafmt.values.protobuf.source import parse_source
from kafkafmt.values.protobuf.wire import ReadMessage, read_message

_MOST_TEXT: Final = 4 * 1024 * 1024
_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]+=*\s*", re.ASCII)
# EDITION_LEGACY of descriptor.proto, for a descriptor that names none.
_EDITION: Final = 900
_TYPES: Final = dict(enumerate((
    "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group", "message", "bytes",
    "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64",
), 1))  # fmt: skip
_LABELS: Final = {1: "optional", 2: "required", 3: "repeated"}


def parse_schema(text: str) -> DeclaredFile:
    """Parse a schema as stored in a registry.

    Args:
        text: a .proto file, or a FileDescriptorProto in base64.

    Raises:
        CorruptError: the text is neither.
        LimitExceededError: the schema is too large, or nested too deeply.
    """
    if len(text) > _MOST_TEXT:
        raise LimitExceededError("the Protobuf schema is too large", expected=f"at most {_MOST_TEXT:,} characters")
    if not _BASE64.fullmatch(text):
        return parse_source(text)
    try:
        data = b64decode(text)
    except binascii.Error as error:
        raise CorruptError("the Protobuf schema is not base64") from error
    return _file(read_message(_descriptor(), data, budget=100 * len(data)))


@cache
def _descriptor() -> ProtoMessage:
    return link(known_file("google/protobuf/descriptor.proto")).by_name["google.protobuf.FileDescriptorProto"]


def _file(read: ReadMessage) -> DeclaredFile:
    found = _Named(read)
    top = DeclaredMessage("")
    _fill(top, found, ("message_type", "enum_type", "extension"))
    syntax = found.text("syntax") or "proto2"
    if syntax == "editions":
        syntax = str(found.get("edition", _EDITION))
    return DeclaredFile(syntax, found.text("package"), [*found.get("dependency", [])], top)


class _Named:
    """The fields of a message that was read, by their names."""

    def __init__(self, read: ReadMessage) -> None:
        self._read = read
        self._numbers = {each.name: each.number for each in read.type.fields.values()}

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - as the type is
        return self._read.values.get(self._numbers[name], default)

    def text(self, name: str) -> str:
        found: str = self.get(name, "")
        return found

    def all(self, name: str) -> "list[_Named]":
        return [_Named(each) for each in self.get(name, ())]

    def options(self) -> dict[str, str]:
        """The options that affect the encoding."""
        options = self.get("options")
        if options is None:
            return {}
        features = _Named(options).get("features")
        if features is None:
            return {}
        of_type = features.type.fields
        return {
            f"features.{of_type[number].name}": of_type[number].enum.numbers.get(value, "")
            for number, value in features.values.items()
            if of_type[number].enum is not None
        }


def _fill(message: DeclaredMessage, found: _Named, names: tuple[str, str, str]) -> None:
    messages, enums, extensions = names
    message.options.update(found.options())
    message.messages += [_message(each) for each in found.all(messages)]
    message.enums += [_enum(each) for each in found.all(enums)]
    message.extensions += [_field(each, []) for each in found.all(extensions)]


def _message(found: _Named) -> DeclaredMessage:
    message = DeclaredMessage(found.text("name"))
    _fill(message, found, ("nested_type", "enum_type", "extension"))
    oneofs = [each.text("name") for each in found.all("oneof_decl")]
    message.fields += [_field(each, oneofs) for each in found.all("field")]
    options = found.get("options")
    message.is_map_entry = options is not None and bool(_Named(options).get("map_entry", False))
    return message


def _field(found: _Named, oneofs: list[str]) -> DeclaredField:
    name = _TYPES.get(found.get("type", 0), "")
    options = found.options()
    if name == "group":
        options["group"] = "true"
    if name in ("group", "message", "enum", ""):
        name = found.text("type_name")
    label = _LABELS.get(found.get("label", 1), "optional")
    index = found.get("oneof_index")
    is_optional = bool(found.get("proto3_optional", False))
    oneof = oneofs[index] if index is not None and not is_optional and index < len(oneofs) else None
    if label == "optional" and not is_optional:
        label = ""
    number = found.get("number", 0)
    if number < 1:
        raise CorruptError("a field of the Protobuf schema has no number", found=number)
    return DeclaredField(found.text("name"), number, name, label, oneof, options, found.get("extendee"))


def _enum(found: _Named) -> DeclaredEnum:
    values = [(each.text("name"), each.get("number", 0)) for each in found.all("value")]
    return DeclaredEnum(found.text("name"), values, found.options())
