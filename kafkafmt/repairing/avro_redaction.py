"""Redaction of fields of Avro values: in place, as each value is replaced by one of the same number of bytes.

What is replaced stays readable by the same schema: texts are letters and digits, numbers no larger than they were and
of the same sign, decimals too, booleans true. Unions keep their branches, arrays and maps their sizes and keys.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.repairing.field_redaction import FieldMask, Paths
from kafkafmt.values.avro.datum import Datum
from kafkafmt.values.avro.schema import Node

_GROUP: Final = 0x7F
_SIGN: Final = 1
_MANTISSAS: Final = {"float": (2, 0x7F), "double": (6, 0x0F)}
"""Of a number: the bytes of its fraction alone, the lowest first, and the bits of the next one."""


Names = Mapping[str, frozenset[str]]
"""Other names of fields, by each of their names."""


def names_of_fields(schemas: Iterable[Node]) -> Names:
    """The names that the same field has in some schemas, as aliases connect them."""
    names: dict[str, frozenset[str]] = {}
    seen: set[int] = set()
    waiting = [*schemas]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        waiting += node.inner
        for each in node.fields:
            waiting.append(each.type)
            group = {each.name, *each.aliases}
            if len(group) > 1:
                whole = frozenset().union(group, *(names.get(name, ()) for name in group))
                names.update(dict.fromkeys(whole, whole))
    return names


def masked_avro(mask: FieldMask, node: Node, data: bytes, names: Names) -> bytes:
    """An Avro value with some fields replaced.

    Args:
        mask: the fields, which takes note of those that are there.
        node: schema that the value was written with.
        data: the value.
        names: other names of its fields, by which paths may call them too.

    Raises:
        CorruptError, TruncatedError: the value is not of the schema, has no fields, or bytes follow it.
        LimitExceededError: it is nested too deeply.
    """
    walk = _Walk(mask, data, names)
    try:
        walk.value(node, mask.steps)
    except RecursionError as error:
        raise LimitExceededError("a value is nested too deeply") from error
    if walk.datum.bytes_left:
        raise CorruptError("bytes follow the value", position=walk.datum.position)
    return bytes(walk.made)


class _Walk:
    def __init__(self, mask: FieldMask, data: bytes, names: Names) -> None:
        self._mask = mask
        self._names = names
        self.datum = Datum(data)
        self.made = bytearray(data)

    def value(self, node: Node, paths: Paths) -> None:
        """Pass over a value, and replace it if a path ends here.

        Args:
            node: its schema.
            paths: what is left of the paths here, empty for all of it, and each as it was given.
        """
        datum = self.datum
        is_whole = self._mask.is_whole(paths)
        if node.type == "union":
            index = datum.read_int()
            if not 0 <= index < len(node.inner):
                raise CorruptError("a union has no such branch", position=datum.position, found=index)
            self.value(node.inner[index], paths)
        elif node.type == "record":
            datum.enter()
            for each in node.fields:
                self.value(each.type, _below(paths, self._names.get(each.name, (each.name,))))
            datum.depth -= 1
        elif node.type in ("array", "map"):
            datum.enter()
            while count := datum.block():
                for _ in range(count):
                    inside = _below(paths, (datum.read_string(),)) if node.type == "map" else paths
                    self.value(node.inner[0], inside)
            datum.depth -= 1
        else:
            self._leaf(node, is_whole=is_whole)

    def _leaf(self, node: Node, *, is_whole: bool) -> None:
        if not self.datum.depth and node.type != "null":
            raise CorruptError(f"the value is a {node.type}, which has no fields")
        size, end = self._passed(node), self.datum.position
        if not is_whole or not size:
            return
        found = bytes(self.made[end - size : end])
        kind = node.type
        self._mask.note_size(0 if kind in ("boolean", "enum") else size)
        digest = self._mask.digest(kind.encode() + found, size)
        if kind == "boolean":
            made = b"\1"
        elif kind in ("int", "long", "enum"):
            made = _smaller_varint(found, digest)
        elif kind in _MANTISSAS:
            made = _same_magnitude(found, digest, *_MANTISSAS[kind])
        elif node.logical == "decimal":
            made = _smaller_decimal(found, digest)
        elif kind == "string":
            made = _same_form(found, digest) if node.logical == "uuid" else self._mask.letters(digest)
        else:
            made = digest
        self.made[end - size : end] = made

    def _passed(self, node: Node) -> int:
        """Pass over a value without others inside; returns how many bytes of it can be replaced, its last ones."""
        datum, begin = self.datum, self.datum.position
        if node.type == "fixed":
            datum.take(node.size)
        elif node.type == "string":
            return len(datum.read_string().encode())
        elif node.type == "bytes":
            return len(datum.read_bytes())
        elif node.type == "boolean":
            datum.read_boolean()
        elif node.type in ("int", "enum"):
            datum.read_int()
        elif node.type == "long":
            datum.read_long()
        elif node.type in _MANTISSAS:
            datum.take(4 if node.type == "float" else 8)
        return datum.position - begin


def _below(paths: Paths, names: Collection[str]) -> Paths:
    return tuple((steps[1:], path) for steps, path in paths if not steps or steps[0] in names)


def _smaller_varint(found: bytes, digest: bytes) -> bytes:
    """A number of the same sign and size, and not larger, with as many bytes."""
    groups = [byte & _GROUP for byte in found]
    made = [byte & _GROUP for byte in digest]
    # The highest group decides: it stays above 0, and the others are free once it is less.
    top = max(index for index, group in enumerate(groups) if group or not index)
    if groups[top] > 1 and top:
        made[top] = 1 + made[top] % (groups[top] - 1)
    else:
        made = [each & group for each, group in zip(made, groups, strict=True)]
        made[top] = groups[top] if top else made[top]
    made[top + 1 :] = groups[top + 1 :]
    made[0] = made[0] & ~_SIGN | groups[0] & _SIGN
    return bytes(each | (byte & ~_GROUP & 0xFF) for each, byte in zip(made, found, strict=True))


def _same_magnitude(found: bytes, digest: bytes, whole: int, bits: int) -> bytes:
    """A number with the same sign and power of two; infinities and NaN stay the same."""
    exponent = int.from_bytes(found, "little") >> (8 * whole + bits.bit_length())
    most = (1 << (8 * len(found) - 8 * whole - bits.bit_length() - 1)) - 1
    if exponent & most == most:
        return found
    made = bytearray(digest[:whole] + found[whole:])
    made[whole] = found[whole] & ~bits & 0xFF | digest[whole] & bits
    return bytes(made)


def _smaller_decimal(found: bytes, digest: bytes) -> bytes:
    """A decimal of the same sign, and not larger."""
    number = int.from_bytes(found, "big", signed=True)
    size = max(abs(number), 1)
    made = int.from_bytes(digest, "big") % size
    return (-made if number < 0 else made).to_bytes(len(found), "big", signed=True)


def _same_form(found: bytes, digest: bytes) -> bytes:
    """The text of a UUID with other digits."""
    return bytes(
        byte if byte == ord("-") else b"0123456789abcdef"[each & 15] for byte, each in zip(found, digest, strict=True)
    )
