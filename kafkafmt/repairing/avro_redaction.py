"""Redaction of fields of Avro values, in place: each value is replaced by one with the same number of bytes.

The same schema still reads the result: texts are letters and digits, numbers and decimals are no larger than before
and keep their sign, booleans are true. Unions keep their branches, arrays and maps their sizes and keys.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.repairing.field_redaction import FieldMask, Paths, below
from kafkafmt.repairing.like_numbers import same_magnitude, smaller_decimal, smaller_varint
from kafkafmt.values.avro.datum import Datum
from kafkafmt.values.avro.schema import Node

_FLOATS: Final = {"float": 4, "double": 8}

Names = Mapping[str, frozenset[str]]
"""For each name of a field its other names."""


def names_of_fields(schemas: Iterable[Node]) -> Names:
    """The names that the same field has in some schemas, connected by aliases."""
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
        mask: the fields to replace; it records which of them occur.
        node: schema that the value was written with.
        data: the value.
        names: other names of its fields, which paths may use, too.

    Raises:
        CorruptError, TruncatedError: the value does not match the schema, has no fields, or bytes follow it.
        LimitExceededError: the value is nested too deeply.
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
        """Walk over a value, and replace it if a path ends here.

        Args:
            node: schema of the value.
            paths: for each path its remaining steps, empty to replace the whole value, and the path as given.
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
                self.value(each.type, below(paths, self._names.get(each.name, (each.name,))))
            datum.depth -= 1
        elif node.type in ("array", "map"):
            datum.enter()
            while count := datum.block():
                for _ in range(count):
                    inside = below(paths, (datum.read_string(),)) if node.type == "map" else paths
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
            made = smaller_varint(found, digest)
        elif kind in _FLOATS:
            made = same_magnitude(found, digest)
        elif node.logical == "decimal":
            made = smaller_decimal(found, digest)
        elif kind == "string":
            made = same_form(found, digest) if node.logical == "uuid" else self._mask.letters(digest)
        else:
            made = digest
        self.made[end - size : end] = made

    def _passed(self, node: Node) -> int:
        """Walk over a value without inner values; returns how many of its last bytes can be replaced."""
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
        elif node.type in _FLOATS:
            datum.take(_FLOATS[node.type])
        return datum.position - begin


def same_form(found: bytes, digest: bytes) -> bytes:
    """The text of a UUID with different digits."""
    return bytes(
        byte if byte == ord("-") else b"0123456789abcdef"[each & 15] for byte, each in zip(found, digest, strict=True)
    )
