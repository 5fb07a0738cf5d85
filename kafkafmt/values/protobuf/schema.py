"""Protobuf schemas: messages and enums with their names resolved.

Behaviour depends on features (https://protobuf.dev/editions/features/); proto2 and proto3 are fixed sets of features.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from kafkafmt.cached import cached_property
from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.protobuf.declared import DeclaredEnum, DeclaredField, DeclaredFile, DeclaredMessage
from kafkafmt.values.protobuf.known import known_file, known_names

VARINT, FIXED64, LENGTH, GROUP, GROUP_END, FIXED32 = range(6)
"""Wire types."""

SCALARS: Final[Mapping[str, int]] = {
    "double": FIXED64, "float": FIXED32, "int32": VARINT, "int64": VARINT, "uint32": VARINT, "uint64": VARINT,
    "sint32": VARINT, "sint64": VARINT, "fixed32": FIXED32, "fixed64": FIXED64, "sfixed32": FIXED32,
    "sfixed64": FIXED64, "bool": VARINT, "string": LENGTH, "bytes": LENGTH,
}  # fmt: skip
"""Scalar types, with the wire type of each."""

_PROTO2: Final = {"field_presence": "EXPLICIT", "enum_type": "CLOSED", "message_encoding": "LENGTH_PREFIXED"}
_PROTO3: Final = {**_PROTO2, "field_presence": "IMPLICIT", "enum_type": "OPEN"}
_EDITIONS: Final = {**_PROTO2, "enum_type": "OPEN"}
_GOOGLE: Final = "google.protobuf."
_WELL_KNOWN: Final[Mapping[str, str]] = {"confluent.type.Decimal": "1 bytes, 2 uint32, 3 int32"} | {
    _GOOGLE + name: fields
    for name, fields in {
        "Timestamp": "1 int64, 2 int32",
        "Duration": "1 int64, 2 int32",
        "FieldMask": "1 string[]",
        "Struct": f"1 {_GOOGLE}Struct.FieldsEntry{{}}",
        "Struct.FieldsEntry": f"1 string, 2 {_GOOGLE}Value",
        "Value": f"1 enum, 2 double, 3 string, 4 bool, 5 {_GOOGLE}Struct, 6 {_GOOGLE}ListValue",
        "ListValue": f"1 {_GOOGLE}Value[]",
        "Any": "1 string, 2 bytes",
        "DoubleValue": "1 double",
        "FloatValue": "1 float",
        "Int64Value": "1 int64",
        "UInt64Value": "1 uint64",
        "Int32Value": "1 int32",
        "UInt32Value": "1 uint32",
        "BoolValue": "1 bool",
        "StringValue": "1 string",
        "BytesValue": "1 bytes",
    }.items()
}
"""Messages with a form of their own in JSON and Arrow, with their fields: a hostile schema may have other fields."""

_NO_KEYS: Final = frozenset({"double", "float", "bytes", "enum", "message"})
_MOST_NAME: Final = 500
_MOST_FULL_NAME: Final = 1000
_MOST_FILES: Final = 1000
_MOST_SCOPES: Final = 100
# If more scopes than this have the last part of a name, it is faster to try the scopes around the field one by one.
_FEW: Final = 50


@dataclass(eq=False, slots=True)
class ProtoEnum:
    """An enum.

    Attributes:
        name: full name of the enum.
        numbers: the first name of each number.
        is_closed: whether other numbers are unknown fields.
        first: the first number, which is the default.
    """

    name: str
    numbers: Mapping[int, str]
    is_closed: bool
    first: int

    def name_of(self, number: int) -> str:
        """The name of a number; the number as text if it has no name."""
        return self.numbers.get(number, str(number))


@dataclass(eq=False, slots=True)
class ProtoField:
    """A field of a message.

    Attributes:
        name: name of the field; for an extension its full name in brackets.
        number: number of the field.
        kind: a scalar type, "enum" or "message".
        wire: wire type of one value.
        is_repeated: whether the field is a list or map.
        is_required: whether the field is required in proto2.
        has_presence: whether the field can be absent.
        oneof: name of the field's oneof, or None.
        message: the message type, or None.
        enum: the enum type, or None.
    """

    name: str
    number: int
    kind: str
    wire: int
    is_repeated: bool
    is_required: bool
    has_presence: bool
    oneof: str | None
    message: "ProtoMessage | None"
    enum: ProtoEnum | None

    @property
    def entry(self) -> "ProtoMessage | None":
        """The message of a map's entries; None if this is not a map."""
        return self.message if self.message is not None and self.message.is_map_entry and self.is_repeated else None


@dataclass(eq=False, slots=True)
class ProtoMessage:
    """A message.

    Attributes:
        name: full name of the message.
        is_map_entry: whether the message is the entry of a map.
        nested: messages declared in this one, in order.
        fields: fields by number, in the order of the schema, extensions last.
        width: the message's share of a value's limit: its fields, and the text of their names and enums in JSON.
    """

    name: str
    is_map_entry: bool = False
    nested: "list[ProtoMessage]" = field(default_factory=list)
    fields: dict[int, ProtoField] = field(default_factory=dict)
    width: int = 1


@dataclass(frozen=True)
class ProtoSchema:
    """A schema of a registry.

    Attributes:
        messages: the top-level messages, in order.
        by_name: all reachable messages, by full name.
    """

    messages: list[ProtoMessage]
    by_name: Mapping[str, ProtoMessage]

    @cached_property
    def declared(self) -> list[ProtoMessage]:
        """All messages of the file itself, including nested ones and entries of maps, in the order of their names."""
        found, rest = list[ProtoMessage](), [*self.messages]
        while rest:
            found.append(rest.pop())
            rest += found[-1].nested
        return sorted(found, key=lambda each: each.name)

    @cached_property
    def by_short_name(self) -> Mapping[str, list[ProtoMessage]]:
        """Messages of the file by the last part of their names: only a top-level one, else all nested ones."""
        found: dict[str, list[ProtoMessage]] = {}
        for each in self.declared:
            if not each.is_map_entry:
                found.setdefault(each.name.rpartition(".")[2], []).append(each)
        return found | {each.name.rpartition(".")[2]: [each] for each in self.messages}


def link(file: DeclaredFile, references: Iterable[DeclaredFile] = ()) -> ProtoSchema:
    """Resolve the names of a file.

    Args:
        file: the file.
        references: the files that it needs, except those in known/, which every registry has.

    Raises:
        CorruptError: a name is unknown or has another kind, or a message has a number twice.
        LimitExceededError: there are too many files.
    """
    linker = _Linker()
    for each in _with_known([*references, file]):
        linker.declare(each)
    linker.link()
    for message in linker.messages.values():
        _check(message)
        message.width = 1 + len(message.fields) + sum(map(_letters, message.fields.values())) // 16
    for name, fields in _WELL_KNOWN.items():
        found = linker.messages.get(name)
        if found is not None and _text_of(found) != fields:
            raise CorruptError(f"the Protobuf schema has another {name}", expected=fields, found=_text_of(found))
    prefix = _prefix(file.package)
    return ProtoSchema([linker.messages[prefix + each.name] for each in file.top.messages], linker.messages)


def _with_known(files: list[DeclaredFile]) -> list[DeclaredFile]:
    """The files, each preceded by the known files that it imports."""
    if len(files) > _MOST_FILES:
        raise LimitExceededError("a Protobuf schema needs too many files", expected=f"at most {_MOST_FILES:,}")
    found: dict[str, DeclaredFile] = {}
    wanted = [name for each in files for name in each.imports]
    while wanted:
        name = wanted.pop()
        if name in known_names() and name not in found:
            found[name] = known_file(name)
            wanted += found[name].imports
    return [*found.values(), *files]


class _Linker:
    def __init__(self) -> None:
        self.messages: dict[str, ProtoMessage] = {}
        self._enums: dict[str, ProtoEnum] = {}
        self._holders: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str], ProtoMessage | ProtoEnum | None] = {}
        self._fields: list[tuple[str, ProtoMessage | None, DeclaredField, Mapping[str, str]]] = []

    def declare(self, file: DeclaredFile) -> None:
        """Register the names of a file; a later file redefines a name."""
        features = {"proto2": _PROTO2, "proto3": _PROTO3}.get(file.syntax, _EDITIONS)
        self._declare(file.top, None, _prefix(file.package), _merged(features, file.top.options))

    def link(self) -> None:
        """Resolve the types of all fields."""
        for scope, message, each, features in self._fields:
            extended = message
            if each.extendee is not None:
                found = self._find(each.extendee, scope)
                if not isinstance(found, ProtoMessage):
                    raise CorruptError(f"the Protobuf schema has no message {each.extendee}, which it extends")
                extended = found
            if extended is None:
                continue
            made = self._field(each, scope, features, is_of_entry=message is not None and message.is_map_entry)
            known = extended.fields.setdefault(each.number, made)
            if known is not made and known.name != made.name:
                raise CorruptError(f"{extended.name} has the number {each.number} twice")

    def _declare(
        self, scope: DeclaredMessage, message: ProtoMessage | None, prefix: str, features: Mapping[str, str]
    ) -> None:
        names = [name for enum in scope.enums for name in (enum.name, *(value for value, _ in enum.values))]
        names += [each.name for each in (*scope.fields, *scope.extensions)] + [each.name for each in scope.messages]
        if len(prefix) > _MOST_FULL_NAME or any(len(name) > _MOST_NAME for name in names):
            raise LimitExceededError("a name of the Protobuf schema is too long", expected=f"at most {_MOST_NAME}")
        for enum in scope.enums:
            name = self._declared(prefix + enum.name)
            self._enums[name] = _enum(name, enum, _merged(features, enum.options))
        for nested in scope.messages:
            name = self._declared(prefix + nested.name)
            made = self.messages[name] = ProtoMessage(name, nested.is_map_entry)
            self._declare(nested, made, f"{name}.", _merged(features, nested.options))
            if message is not None:
                message.nested.append(made)
        for each in (*scope.fields, *scope.extensions):
            of_oneof = scope.oneof_options.get(each.oneof or "", {})
            own = _merged(_merged(features, of_oneof), each.options)
            self._fields.append((prefix, message, each, own))

    def _field(
        self, declared: DeclaredField, scope: str, features: Mapping[str, str], *, is_of_entry: bool
    ) -> ProtoField:
        name = declared.name if declared.extendee is None else f"[{scope}{declared.name}]"
        is_repeated = declared.label == "repeated"
        presence = features["field_presence"]
        is_required = declared.label == "required" or (presence == "LEGACY_REQUIRED" and not declared.label)
        message = enum = None
        if declared.type in SCALARS:
            kind, wire = declared.type, SCALARS[declared.type]
        else:
            found = self._find(declared.type, scope)
            if isinstance(found, ProtoMessage):
                is_group = "group" in declared.options or features["message_encoding"] == "DELIMITED"
                is_group = is_group and not found.is_map_entry and not is_of_entry
                kind, message, wire = "message", found, GROUP if is_group else LENGTH
            elif isinstance(found, ProtoEnum):
                kind, enum, wire = "enum", found, VARINT
            else:
                raise CorruptError(f"the Protobuf schema has no type {declared.type}, which {scope}{name} needs")
        has_presence = not is_repeated and (
            message is not None
            or declared.oneof is not None
            or declared.label in ("optional", "required")
            or declared.extendee is not None
            or presence != "IMPLICIT"
        )
        return ProtoField(
            name, declared.number, kind, wire, is_repeated, is_required, has_presence, declared.oneof, message, enum
        )

    def _find(self, name: str, scope: str) -> ProtoMessage | ProtoEnum | None:
        """Find a type by its name in a scope, which ends with a dot, from the inside to the outside."""
        if name.startswith("."):
            name, scope = name[1:], ""
        key = (scope, name)
        if key not in self._found:
            self._found[key] = self._search(name, scope)
        return self._found[key]

    def _search(self, name: str, scope: str) -> ProtoMessage | ProtoEnum | None:
        last = name.rpartition(".")[2]
        holders = self._holders.get(last, ())
        if len(holders) > _FEW:
            return self._climb(name, scope)
        head = name.removesuffix(last)
        # A holder of the last part is an enclosing scope plus the leading parts of the name: without these it is that
        # scope.
        around = [each.removesuffix(head) for each in holders if each.endswith(head)]
        found = [each for each in around if scope.startswith(each) and (not each or each.endswith("."))]
        return self._named(max(found, key=len) + name) if found else None

    def _climb(self, name: str, scope: str) -> ProtoMessage | ProtoEnum | None:
        for _ in range(_MOST_SCOPES):
            found = self._named(scope + name)
            if found is not None or not scope:
                return found
            scope = _prefix(scope[:-1].rpartition(".")[0])
        return None

    def _named(self, name: str) -> ProtoMessage | ProtoEnum | None:
        return self.messages.get(name) or self._enums.get(name)

    def _declared(self, name: str) -> str:
        last = name.rpartition(".")[2]
        self._holders.setdefault(last, []).append(name.removesuffix(last))
        return name


def _enum(name: str, declared: DeclaredEnum, features: Mapping[str, str]) -> ProtoEnum:
    if not declared.values:
        raise CorruptError(f"the enum {name} of the Protobuf schema has no values")
    numbers: dict[int, str] = {}
    for value, number in declared.values:
        numbers.setdefault(number, value)
    return ProtoEnum(name, numbers, features["enum_type"] == "CLOSED", declared.values[0][1])


def _merged(features: Mapping[str, str], options: Mapping[str, str]) -> Mapping[str, str]:
    """The features in force with some options."""
    own = dict(_features(options))
    return {**features, **own} if own else features


def _features(options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in options.items():
        if name.startswith("features."):
            yield name.removeprefix("features."), value


def _check(message: ProtoMessage) -> None:
    """Refuse schemas that protoc refuses, but that a descriptor can contain."""
    fields = message.fields
    if len({each.name for each in fields.values()}) < len(fields):
        raise CorruptError(f"{message.name} of the Protobuf schema has a field name twice")
    for each in fields.values():
        if each.message is not None and each.message.is_map_entry and (not each.is_repeated or message.is_map_entry):
            raise CorruptError(f"the field {each.name} of {message.name} is the entry of a map, and not a map")
    if message.is_map_entry and (
        fields.keys() != {1, 2} or any(each.is_repeated for each in fields.values()) or fields[1].kind in _NO_KEYS
    ):
        raise CorruptError(f"{message.name} of the Protobuf schema is not the entry of a map")


def _letters(of: ProtoField) -> int:
    return len(of.name) + (0 if of.enum is None else len(of.enum.name_of(of.enum.first)))


def _text_of(message: ProtoMessage) -> str:
    """The fields of a message as text: numbers and types."""
    return ", ".join(
        f"{each.number} {each.kind if each.message is None else each.message.name}"
        f"{'{}' if each.entry is not None else '[]' if each.is_repeated else ''}"
        for _, each in sorted(message.fields.items())
    )


def _prefix(package: str) -> str:
    return f"{package}." if package else ""
