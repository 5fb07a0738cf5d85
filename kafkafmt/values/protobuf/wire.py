"""The bytes of a Protobuf message, read piece by piece (https://protobuf.dev/programming-guides/encoding/).

As in protobuf's own readers, the last of repeated scalars counts, messages are merged, a field with another wire type
or an unknown number of a closed enum is an unknown field, and a repeated number may be packed or not.
"""

import struct
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError
from kafkafmt.limits import Limits
from kafkafmt.values.decoded import LETTERS_A_FIELD
from kafkafmt.values.protobuf.schema import (
    FIXED32,
    FIXED64,
    GROUP,
    GROUP_END,
    LENGTH,
    VARINT,
    ProtoField,
    ProtoMessage,
)

MOST_DEPTH: Final = 100
"""Most nested messages, as in protobuf's own readers."""

FREE_FIELDS: Final = 10_000
FIELDS_A_BYTE: Final = 64
"""Most fields of all messages of a value, set or not: this many, and this many for each byte of the value, but no more
than `Limits.max_fields_per_value`."""

MOST_FIELDS: Final = Limits().max_fields_per_value

_VARINT_BYTES, _SIZE_BYTES = 10, 5
_MASK_32, _MASK_64 = 2**32 - 1, 2**64 - 1
_FIXED: Final = {
    name: struct.Struct(form)
    for name, form in {
        "double": "<d", "float": "<f", "fixed32": "<I", "fixed64": "<Q", "sfixed32": "<i", "sfixed64": "<q",
    }.items()
}  # fmt: skip
_DEFAULTS: Final[Mapping[str, Any]] = {"double": 0.0, "float": 0.0, "bool": False, "string": "", "bytes": b""}


class UnknownField(NamedTuple):
    """A field that the schema does not know.

    Attributes:
        number: number of the field.
        wire: wire type of the field.
        data: a number, bytes, or the fields of a group.
    """

    number: int
    wire: int
    data: "int | bytes | list[UnknownField]"


class ReadMessage:
    """A message that was read.

    Attributes:
        type: type of the message.
        values: values by number; a list for a repeated field, a dict for a map.
        chosen: the numbers of the members that are set, by the names of their oneofs.
        unknown: the fields that the schema does not know, in order.
        unknown_fields: for a whole value, the number of unknown fields, including those of inner messages.
        fields: for a whole value, the number of fields and items, set or not.
    """

    __slots__ = ("chosen", "fields", "type", "unknown", "unknown_fields", "values")

    def __init__(self, type: ProtoMessage) -> None:  # noqa: A002 - what it is
        self.type = type
        self.values: dict[int, Any] = {}
        self.chosen: dict[str, int] = {}
        self.unknown: list[UnknownField] = []
        self.unknown_fields = self.fields = 0


def read_message(
    message: ProtoMessage,
    data: bytes,
    *,
    budget: int | None = None,
    depth: int = 0,
    most_fields: int = MOST_FIELDS,
) -> ReadMessage:
    """Read a message.

    Args:
        message: type of the message.
        data: bytes of the message.
        budget: most fields of all its messages; derived from the number of bytes if None.
        depth: number of enclosing messages.
        most_fields: most fields and items of the value, however long it is.

    Raises:
        CorruptError: the bytes are not a message of the type.
        LimitExceededError: the message is nested too deeply, or has too many fields.
    """
    read = ReadMessage(message)
    reader = _Reader(data, field_budget(len(data), most_fields) if budget is None else budget, most_fields)
    reader.read(read, 0, len(data), depth, 0)
    read.unknown_fields, read.fields = reader.unknown_fields, reader.fields + message.width
    return read


def field_budget(size: int, most_fields: int) -> int:
    """Most fields of the repeated messages of a value, set or not.

    Args:
        size: size of the value in bytes.
        most_fields: upper bound of the result.
    """
    return min(FREE_FIELDS + FIELDS_A_BYTE * size, most_fields)


def default_of(field: ProtoField) -> Any:  # noqa: ANN401 - as the type is
    """The value of a field without presence that is not set."""
    if field.enum is not None:
        return field.enum.first
    return _DEFAULTS.get(field.kind, 0)


class _Reader:
    def __init__(self, data: bytes, budget: int, most_fields: int) -> None:
        self._data = data
        self._at = 0
        self._budget, self._most_fields = budget, most_fields
        self.unknown_fields = self.fields = 0

    def read(self, into: ReadMessage, at: int, end: int, depth: int, group: int) -> None:
        """Read a message up to its end, or to the end of its group.

        Args:
            into: gets the values.
            at: start of the message.
            end: end of the message; for a group the end of the enclosing message.
            depth: number of enclosing messages.
            group: number of the group, or 0.
        """
        if depth > MOST_DEPTH:
            raise LimitExceededError("a message is nested too deeply", position=at, expected=MOST_DEPTH)
        self._at = at
        fields, values = into.type.fields, into.values
        while self._at < end:
            start = self._at
            tag = self._varint(end, _SIZE_BYTES)
            number, wire = tag >> 3, tag & 7
            if tag > _MASK_32 or not number:
                raise CorruptError("a field has no valid number", position=start, found=number)
            if wire == GROUP_END:
                if number != group:
                    raise CorruptError("the end of a group that was not begun", position=start, found=number)
                return
            field = fields.get(number)
            if field is None or not self._known(into, field, values, wire, end, depth):
                self._keep(into, self._unknown(number, wire, end, depth))
        if group:
            raise TruncatedError("a group has no end", position=self._at, expected=group)

    def _known(
        self, into: ReadMessage, field: ProtoField, values: dict[int, Any], wire: int, end: int, depth: int
    ) -> bool:
        """Read a field of the schema; returns False, and reads nothing, if the field differs from the schema."""
        number, kind = field.number, field.kind
        if field.message is not None:
            if wire != field.wire:
                return False
            self._message(into, field, end, depth)
            return True
        if wire == LENGTH and field.wire == LENGTH:
            start = self._at
            value: Any = self._bytes(end)
            if kind == "string":
                value = _text(value, start)
            if field.is_repeated:
                self._count(1)
                values.setdefault(number, []).append(value)
            else:
                _set(into, field, value)
            return True
        if wire == LENGTH and field.is_repeated:
            self._packed(into, field, end)
            return True
        if wire != field.wire:
            return False
        raw = self._number(wire, end)
        self._add(into, field, raw)
        return True

    def _add(self, into: ReadMessage, field: ProtoField, raw: int) -> None:
        """Add a number; a number that a closed enum does not have becomes an unknown field."""
        value = _NUMBERS[field.kind](raw)
        if field.is_repeated:
            # Enums count by the length of their names, as a number of few bytes may have a long one.
            name = "" if field.enum is None else field.enum.name_of(value)
            self._count(1 + len(name) // LETTERS_A_FIELD)
        if field.enum is not None and field.enum.is_closed and value not in field.enum.numbers:
            self._keep(into, UnknownField(field.number, VARINT, raw))
        elif field.is_repeated:
            into.values.setdefault(field.number, []).append(value)
        else:
            _set(into, field, value)

    def _count(self, fields: int) -> None:
        self.fields += fields
        if self.fields > self._most_fields:
            raise LimitExceededError(
                "a value has more fields and items than max_fields_per_value",
                position=self._at,
                expected=self._most_fields,
                found=self.fields,
            )

    def _packed(self, into: ReadMessage, field: ProtoField, end: int) -> None:
        size = self._size(end)
        inner = self._at + size
        step = {FIXED32: 4, FIXED64: 8}.get(field.wire, 1)
        if size % step:
            raise CorruptError("packed numbers have another size", position=self._at, found=size)
        into.values.setdefault(field.number, [])
        while self._at < inner:
            self._add(into, field, self._number(field.wire, inner))
        if not into.values[field.number]:
            del into.values[field.number]

    def _message(self, into: ReadMessage, field: ProtoField, end: int, depth: int) -> None:
        message = field.message
        if message is None:  # never: the caller has checked
            return
        group = field.number if field.wire == GROUP else 0
        inner = end
        if not group:
            inner = self._size(end)
            inner += self._at
        held = into.values.get(field.number)
        made = ReadMessage(message)
        if field.is_repeated or held is None:
            self._count(message.width)
            self._budget -= message.width
            if self._budget < 0:
                raise LimitExceededError("a message has too many fields", position=self._at)
        elif isinstance(held, ReadMessage):
            made = held
        start = self._at
        self.read(made, start, inner, depth + 1, group)
        if field.entry is not None:
            self._entry(into, field, made, self._data[start:inner])
        elif field.is_repeated:
            into.values.setdefault(field.number, []).append(made)
        else:
            _set(into, field, made)

    def _entry(self, into: ReadMessage, field: ProtoField, entry: ReadMessage, data: bytes) -> None:
        """Add the entry of a map; one with unknown fields becomes an unknown field, as in protobuf's readers."""
        if entry.unknown:
            self._keep(into, UnknownField(field.number, LENGTH, data))
            return
        key, value = (entry.type.fields[number] for number in (1, 2))
        found = entry.values.get(2)
        if found is None:
            found = default_of(value) if value.message is None else ReadMessage(value.message)
        into.values.setdefault(field.number, {})[entry.values.get(1, default_of(key))] = found

    def _unknown(self, number: int, wire: int, end: int, depth: int) -> UnknownField:
        if wire in (VARINT, FIXED32, FIXED64):
            return UnknownField(number, wire, self._number(wire, end))
        if wire == LENGTH:
            return UnknownField(number, wire, self._bytes(end))
        if wire == GROUP:
            group = ReadMessage(_NOTHING)
            self.read(group, self._at, end, depth + 1, number)
            return UnknownField(number, wire, group.unknown)
        raise CorruptError("a field has no valid wire type", position=self._at, found=wire)

    def _keep(self, into: ReadMessage, unknown: UnknownField) -> None:
        self._count(1)
        into.unknown.append(unknown)
        self.unknown_fields += 1

    def _number(self, wire: int, end: int) -> int:
        if wire == VARINT:
            return self._varint(end, _VARINT_BYTES) & _MASK_64
        size = 4 if wire == FIXED32 else 8
        if self._at + size > end:
            raise TruncatedError("a number is cut", position=self._at, expected=size, found=end - self._at)
        number = int.from_bytes(self._data[self._at : self._at + size], "little")
        self._at += size
        return number

    def _bytes(self, end: int) -> bytes:
        size = self._size(end)
        found = self._data[self._at : self._at + size]
        self._at += size
        return found

    def _size(self, end: int) -> int:
        size = self._varint(end, _SIZE_BYTES)
        if size > end - self._at:
            raise TruncatedError(
                "a length leaves the message", position=self._at, expected=f"at most {end - self._at}", found=size
            )
        return size

    def _varint(self, end: int, most: int) -> int:
        value = shift = 0
        data, start = self._data, self._at
        for position in range(start, min(start + most, end)):
            byte = data[position]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self._at = position + 1
                return value
            shift += 7
        if end - start < most:
            raise TruncatedError("a number is cut", position=start)
        raise CorruptError(f"a number has more than {most} bytes", position=start)


_NOTHING: Final = ProtoMessage("")


def _set(into: ReadMessage, field: ProtoField, value: object) -> None:
    """Set a single value, and unset the other fields of its oneof."""
    if field.oneof is not None:
        before = into.chosen.get(field.oneof)
        if before is not None and before != field.number:
            into.values.pop(before, None)
        into.chosen[field.oneof] = field.number
    into.values[field.number] = value


def _text(data: bytes, position: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise CorruptError(f"text is not UTF-8: {error.reason}", position=position) from error


def _signed_32(raw: int) -> int:
    return ((raw & _MASK_32) ^ 2**31) - 2**31


def _unzigzag(raw: int) -> int:
    return (raw >> 1) ^ -(raw & 1)


def _fixed(name: str) -> Callable[[int], Any]:
    form = _FIXED[name]
    return lambda raw: form.unpack(raw.to_bytes(form.size, "little"))[0]


_NUMBERS: Final[Mapping[str, Callable[[int], Any]]] = {
    "int32": _signed_32,
    "enum": _signed_32,
    "int64": lambda raw: (raw ^ 2**63) - 2**63,
    "uint32": lambda raw: raw & _MASK_32,
    "uint64": lambda raw: raw,
    "sint32": lambda raw: _unzigzag(raw & _MASK_32),
    "sint64": _unzigzag,
    "bool": bool,
    **{name: _fixed(name) for name in _FIXED},
}
