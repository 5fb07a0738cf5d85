"""Redaction of fields of Protobuf values, in place: each value is replaced by one with the same number of bytes.

The same schema still reads the result: texts are letters and digits, numbers are no larger than before and keep their
sign, booleans are true, enums a value of the enum. Maps keep their keys. Fields that the schema does not know
are replaced if their whole message is, or if another version of the schema knows them.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from kafkafmt.errors import DataError, LimitExceededError
from kafkafmt.repairing.field_redaction import FieldMask, Paths, below
from kafkafmt.repairing.like_numbers import (
    padded_varint,
    same_magnitude,
    smaller_decimal,
    smaller_fixed,
    smaller_plain_varint,
    smaller_varint,
    varint_of,
)
from kafkafmt.values.protobuf.schema import (
    FIXED32,
    FIXED64,
    GROUP,
    GROUP_END,
    LENGTH,
    VARINT,
    ProtoEnum,
    ProtoField,
    ProtoMessage,
    ProtoSchema,
)
from kafkafmt.values.protobuf.wire import default_of, read_message


class KnownField(NamedTuple):
    """A field across schema versions, identified by its number regardless of its name.

    Attributes:
        names: all its names.
        versions: the field in each of the schemas, in order.
    """

    names: frozenset[str]
    versions: tuple[ProtoField, ...]


Names = Mapping[tuple[str, int], KnownField]
"""Fields by the full name of their message and their number."""

_SIZES: Final = {FIXED32: 4, FIXED64: 8}
_ZIGZAG: Final = ("sint32", "sint64")
_BITS: Final = {"int32": 32, "int64": 64}
_SIGNED_FIXED: Final = ("sfixed32", "sfixed64")
_FLOATS: Final = ("float", "double")
_ANY: Final = "google.protobuf.Any"
_TYPE_URL: Final = 1 << 3 | LENGTH
_DECIMAL: Final = "confluent.type.Decimal"
_GROUP_BITS: Final = 0x7F
_LONGEST: Final = 10
_MASK_32, _MASK_64 = 2**32 - 1, 2**64 - 1
_NOT_KNOWN: Final = KnownField(frozenset(), ())


def names_of_numbers(schemas: Iterable[ProtoSchema]) -> Names:
    """The fields of some schemas, with the versions of each in order, latest last."""
    names: dict[tuple[str, int], KnownField] = {}
    for schema in schemas:
        for message in schema.by_name.values():
            for each in message.fields.values():
                place = (message.name, each.number)
                known = names.get(place, _NOT_KNOWN)
                names[place] = KnownField(known.names | {each.name}, (*known.versions, each))
    return names


def masked_protobuf(mask: FieldMask, schema: ProtoSchema, message: ProtoMessage, data: bytes, names: Names) -> bytes:
    """A Protobuf message with some fields replaced.

    Args:
        mask: the fields to replace; it records which of them occur.
        schema: schema with the messages that may be inside a google.protobuf.Any.
        message: the type of the message.
        data: its bytes.
        names: its fields in other schemas: paths may use their names, and values contain them if their writer
            passed on unknown fields.

    Raises:
        CorruptError, TruncatedError: the bytes are not a message of that type.
        LimitExceededError: the message is nested too deeply, or has too many fields.
    """
    read_message(message, data)  # rejects bytes that no reader accepts
    walk = _Walk(mask, schema, data, names)
    try:
        walk.message(message, 0, len(data), mask.steps)
    except RecursionError as error:
        raise LimitExceededError("a message is nested too deeply") from error
    return bytes(walk.made)


class _Walk:
    """Walks over a message that is known to be valid."""

    def __init__(self, mask: FieldMask, schema: ProtoSchema, data: bytes, names: Names) -> None:
        self._mask, self._schema, self._names = mask, schema, names
        self._data = data
        self.made = bytearray(data)
        self._at = 0

    def message(self, message: ProtoMessage | None, at: int, end: int, paths: Paths) -> None:
        """Walk over a message, and replace the fields that paths lead to.

        Args:
            message: its type; None for an unknown group.
            at: start of the message in `data`.
            end: end of the message; for a group, the end of the enclosing message.
            paths: for each path its remaining steps, empty to replace the whole message, and the path as given.
        """
        self._at = at
        while self._at < end:
            tag = self._varint()
            number, wire = tag >> 3, tag & 7
            if wire == GROUP_END:
                return
            if message is None:
                self._field(message, None, tag, end, below(paths, ()))
                continue
            field = message.fields.get(number)
            known = self._names.get((message.name, number), _NOT_KNOWN)
            if message.name == _DECIMAL and field is not None and number != 1 and wire == field.wire:
                inside: Paths = ()  # its precision and scale
            else:
                inside = below(paths, known.names if field is None else known.names | {field.name})
            self._field(message, self._version(field, known, wire, inside), tag, end, inside)

    def _version(self, field: ProtoField | None, known: KnownField, wire: int, paths: Paths) -> ProtoField | None:
        """The field of the schema, or of another version if only that has what the paths lead to.

        Args:
            field: the field; None if the schema does not know it.
            known: the field in other schemas.
            wire: its wire type.
            paths: the remaining steps of the paths inside the field.
        """
        is_enough = field is not None and (field.message is not None or all(not steps for steps, _ in paths))
        if not paths or is_enough or wire == GROUP:
            return field
        for each in reversed(known.versions):
            if each.wire != wire:
                continue
            if each.message is None:
                if field is None:
                    return each
            elif self._is_message(each.message):
                return each
        return field

    def _is_message(self, message: ProtoMessage) -> bool:
        """Whether the next length-delimited bytes are a message of a type."""
        at = self._at
        size = self._varint()
        data = self._data[self._at : self._at + size]
        self._at = at
        try:
            read_message(message, data)
        except DataError:
            return False
        return True

    def _field(self, message: ProtoMessage | None, field: ProtoField | None, tag: int, end: int, paths: Paths) -> None:
        """Walk over a field.

        Args:
            message: the message that has the field; None for an unknown group.
            field: the field; None if the schema does not know it.
            tag: its number and wire type.
            end: end of the message.
            paths: the remaining steps of the paths inside the field.
        """
        wire = tag & 7
        if wire == GROUP:
            inner = field.message if field is not None and field.wire == GROUP else None
            self._mask.is_whole(paths)
            self.message(inner, self._at, end, paths)
            return
        if wire != LENGTH:
            self._number(field if field is not None and field.wire == wire else None, wire, paths)
            return
        size = self._varint()
        at, inner_end = self._at, self._at + size
        is_whole = self._mask.is_whole(paths)
        if not paths:
            self._at = inner_end
        elif field is not None and field.message is not None and field.wire == LENGTH:
            self._inner(field, at, inner_end, paths, is_whole=is_whole)
        elif field is not None and field.message is None and field.is_repeated and field.wire != LENGTH:
            while self._at < inner_end:
                self._number(field, field.wire, paths)
        elif is_whole:
            self._bytes(message, field, at, inner_end)
        self._at = inner_end

    def _inner(self, field: ProtoField, at: int, end: int, paths: Paths, *, is_whole: bool) -> None:
        """Walk over a message inside another one."""
        message = field.message
        if field.entry is not None:
            self._entry(field.entry, at, end, paths if is_whole else below(paths, (self._key(field.entry, at, end),)))
        elif message is not None and message.name == _ANY and is_whole:
            self._any(message, at, end, paths)
        elif message is not None:
            self.message(message, at, end, paths)

    def _key(self, entry: ProtoMessage, at: int, end: int) -> str:
        """The key of a map entry, as paths name it; the rest of the entry is skipped over."""
        whole = ProtoMessage(entry.name, fields={1: entry.fields[1]})
        key = read_message(whole, self._data[at:end]).values.get(1, default_of(entry.fields[1]))
        return str(key).lower() if isinstance(key, bool) else str(key)

    def _entry(self, entry: ProtoMessage, at: int, end: int, paths: Paths) -> None:
        """Walk over a map entry, whose key stays."""
        self._at = at
        while self._at < end:
            tag = self._varint()
            field = entry.fields.get(tag >> 3)
            is_key = field is not None and field.number == 1 and field.wire == tag & 7
            self._field(entry, field, tag, end, () if is_key else paths)

    def _any(self, message: ProtoMessage, at: int, end: int, paths: Paths) -> None:
        """Walk over an Any: the name of its type stays, so that the message inside can be read."""
        url = read_message(message, self._data[at:end]).values.get(1, "")
        inner = self._schema.by_name.get(url.rpartition("/")[2])
        self._at = at
        while self._at < end:
            tag = self._varint()
            if tag >> 3 == 2 and tag & 7 == LENGTH and inner is not None:
                size = self._varint()
                begin = self._at
                read_message(inner, self._data[begin : begin + size])
                self.message(inner, begin, begin + size, paths)
                self._at = begin + size
            else:
                self._field(message, message.fields.get(tag >> 3), tag, end, () if tag == _TYPE_URL else paths)

    def _bytes(self, message: ProtoMessage | None, field: ProtoField | None, at: int, end: int) -> None:
        """Replace text or bytes."""
        found = self._data[at:end]
        if not found:
            return
        self._mask.note_size(len(found))
        is_text = field is not None and field.kind == "string"
        digest = self._mask.digest((b"string" if is_text else b"bytes") + found, len(found))
        if is_text:
            self.made[at:end] = self._mask.letters(digest)
        elif message is not None and message.name == _DECIMAL:
            self.made[at:end] = smaller_decimal(found, digest)
        else:
            self.made[at:end] = digest

    def _number(self, field: ProtoField | None, wire: int, paths: Paths) -> None:
        """Walk over a number, and replace it if a path ends here."""
        is_whole = self._mask.is_whole(paths)
        at = self._at
        if wire == VARINT:
            self._varint()
        else:
            self._at += _SIZES[wire]
        if not is_whole:
            return
        found = self._data[at : self._at]
        kind = "" if field is None else field.kind
        self._mask.note_size(0 if kind in ("bool", "enum") else len(found))
        digest = self._mask.digest(kind.encode() + found, max(len(found), 8))
        if field is not None and field.enum is not None:
            made = _other_value(field.enum, found, digest)
        elif kind == "bool":
            made = padded_varint(1, len(found))
        elif kind in _ZIGZAG:
            made = smaller_varint(found, digest[: len(found)])
        elif wire == VARINT:
            made = smaller_plain_varint(found, digest, _BITS.get(kind))
        elif kind in _FLOATS:
            made = same_magnitude(found, digest)
        else:
            made = smaller_fixed(found, digest, signed=kind in _SIGNED_FIXED)
        self.made[at : self._at] = made

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & _GROUP_BITS) << shift
            if byte <= _GROUP_BITS:
                return value
            shift += 7


def _other_value(enum: ProtoEnum, found: bytes, digest: bytes) -> bytes:
    """A number with as many bytes that is in the enum; or is not, if the enum is closed and lacks the original.

    An unknown number of a closed enum is an unknown field, and must not become one that sets a oneof.
    """
    chance = int.from_bytes(digest, "little")
    made = smaller_plain_varint(found, digest, 32)
    if enum.is_closed and _int32_of(found) not in enum.numbers:
        return found if _int32_of(made) in enum.numbers else made
    # Negative numbers have ten bytes.
    fitting = [number for number in enum.numbers if 0 <= number < 1 << 7 * len(found) or len(found) == _LONGEST]
    return padded_varint(fitting[chance % len(fitting)] & _MASK_64, len(found)) if fitting else made


def _int32_of(found: bytes) -> int:
    return ((varint_of(found) & _MASK_32) ^ 2**31) - 2**31
