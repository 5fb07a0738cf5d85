"""Declarations of a .proto file: its messages, enums and extensions, before names are resolved."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class DeclaredField:
    """A field of a message, or an extension.

    Attributes:
        name: name of the field.
        number: number of the field.
        type: "int32", "string", .., "group"; or the name of a message or enum.
        label: "optional", "required", "repeated" or "".
        oneof: name of the field's oneof, or None.
        options: options of the field, as text.
        extendee: name of the message that an extension extends.
    """

    name: str
    number: int
    type: str
    label: str = ""
    oneof: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    extendee: str | None = None


@dataclass(slots=True)
class DeclaredEnum:
    """An enum.

    Attributes:
        name: name of the enum.
        values: names and numbers, in order.
        options: options of the enum, as text.
    """

    name: str
    values: list[tuple[str, int]] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class DeclaredMessage:
    """A message, or the top level of a file.

    Attributes:
        name: name of the message.
        fields: fields of the message.
        extensions: extensions declared in the message.
        messages: nested messages in their order, including those for the entries of maps and for groups.
        enums: nested enums.
        options: options of the message, as text.
        is_map_entry: whether the message is the entry of a map.
        oneof_options: options of the message's oneofs, by name.
    """

    name: str
    fields: list[DeclaredField] = field(default_factory=list)
    extensions: list[DeclaredField] = field(default_factory=list)
    messages: "list[DeclaredMessage]" = field(default_factory=list)
    enums: list[DeclaredEnum] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    is_map_entry: bool = False
    oneof_options: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class DeclaredFile:
    """A file.

    Attributes:
        syntax: "proto2", "proto3", or the edition: "2023".
        package: prefix of all its names, or "".
        imports: imported files.
        top: messages, enums, extensions and options of the file.
    """

    syntax: str = "proto2"
    package: str = ""
    imports: list[str] = field(default_factory=list)
    top: DeclaredMessage = field(default_factory=lambda: DeclaredMessage(""))
