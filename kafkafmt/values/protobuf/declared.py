"""Declarations of a .proto file: its messages, enums and extensions, before names are resolved."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class DeclaredField:
    """A field of a message, or an extension.

    Attributes:
        name: its name.
        number: its number.
        type: "int32", "string", .., "group"; or the name of a message or enum.
        label: "optional", "required", "repeated" or "".
        oneof: the name of its oneof, or None.
        options: its options, as text.
        extendee: of an extension the name of the message that it extends.
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
        name: its name.
        values: names and numbers, in order.
        options: its options, as text.
    """

    name: str
    values: list[tuple[str, int]] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class DeclaredMessage:
    """A message, or what a file has at its top.

    Attributes:
        name: its name.
        fields: its fields.
        extensions: the extensions that are declared in it.
        messages: nested messages in their order, with those that stand for the entries of maps and for groups.
        enums: nested enums.
        options: its options, as text.
        is_map_entry: whether it is the entry of a map.
        oneof_options: options of its oneofs, by name.
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
        package: the name before all of its names, or "".
        imports: the files that it needs.
        top: its messages, enums, extensions and options.
    """

    syntax: str = "proto2"
    package: str = ""
    imports: list[str] = field(default_factory=list)
    top: DeclaredMessage = field(default_factory=lambda: DeclaredMessage(""))
