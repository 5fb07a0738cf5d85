"""The program by which the kernel reads JSON values: the nodes of their type."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa

from kafkafmt.columnar.json_program import (
    ARRAY,
    BOOLEAN,
    DOCUMENT,
    INTEGER,
    MAP,
    NUMBER,
    OBJECT,
    STRING,
    TEXT,
    JsonProgram,
)
from kafkafmt.values.json.types import JsonType, Kind, arrow_type

_KINDS: Final[Mapping[Kind, int]] = {
    "null": TEXT,
    "text": TEXT,
    "boolean": BOOLEAN,
    "integer": INTEGER,
    "number": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "map": MAP,
    "object": OBJECT,
}
_MASK: Final = (1 << 64) - 1


class CompiledType:
    """A compiled type.

    Args:
        json_type: the type; for "text" each value is its text, including "null".

    Attributes:
        program: the program for the kernel.
        kinds: kind of each node, as in `columnar.json_program`.
        types: Arrow type of each node.
        ends: for each node, the number of the first node after its inner nodes.
        lists: for each node, the array or map around it, or -1.
    """

    def __init__(self, json_type: JsonType) -> None:
        self.kinds: list[int] = []
        self.types: list[pa.DataType] = []
        self.ends: list[int] = []
        self.lists: list[int] = []
        self._parents: list[int] = []
        self._names: list[bytes] = []
        self._add(json_type, arrow_type(json_type), -1, "", -1)
        if self.kinds[0] == TEXT:
            self.kinds[0] = DOCUMENT
        self.program = self._made()

    def _add(self, json_type: JsonType, arrow: pa.DataType, parent: int, name: str, around: int) -> None:
        number = len(self.kinds)
        kind = _KINDS[json_type.kind]
        self.kinds.append(kind)
        self.types.append(arrow)
        self.ends.append(number + 1)
        self.lists.append(around)
        self._parents.append(parent)
        self._names.append(name.encode())
        if kind == OBJECT:
            for each, field in json_type.fields.items():
                self._add(field, arrow.field(each).type, number, each, around)
        elif kind in (ARRAY, MAP) and json_type.inner is not None:
            if kind == MAP:
                self._add(JsonType("string"), arrow.key_type, -1, "", number)
            self._add(json_type.inner, arrow.item_type if kind == MAP else arrow.value_type, -1, "", number)
        self.ends[number] = len(self.kinds)

    def _made(self) -> JsonProgram:
        slots = np.zeros(1 << (4 * len(self.kinds)).bit_length(), np.int64)
        for number, (parent, name) in enumerate(zip(self._parents, self._names, strict=True)):
            if parent >= 0:
                slot = _hash(parent, name) & (len(slots) - 1)
                while slots[slot]:
                    slot = (slot + 1) & (len(slots) - 1)
                slots[slot] = number + 1
        return JsonProgram(
            np.array(self.kinds, np.int64),
            np.array(self.ends, np.int64),
            np.frombuffer(b"".join(self._names) + b"\0", np.uint8).copy(),
            np.cumsum([0, *map(len, self._names)]).astype(np.int64),
            np.array(self._parents, np.int64),
            slots,
        )


def _hash(parent: int, name: bytes) -> int:
    """The hash by which the kernel finds the slot of a field."""
    number = 0xCBF29CE484222325 ^ parent
    for byte in name:
        number = (number ^ byte) * 0x100000001B3 & _MASK
    return (number * 0x9E3779B97F4A7C15 & _MASK) >> 33
