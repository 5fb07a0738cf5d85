"""Fields of decoded keys and values by which space is grouped."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.files.damage import Note
from kafkafmt.phrases import counted
from kafkafmt.plain_values import plain_values
from kafkafmt.values.chosen import OtherRecordError
from kafkafmt.values.decoding import PARTS

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.scanning import ScanTask
    from kafkafmt.values.debezium import ChangeEvents
    from kafkafmt.values.formats import ValueFormat

_HEADERS: Final = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


class ValueField(NamedTuple):
    """A field of keys or values.

    Attributes:
        part: "key" or "value".
        path: field names separated by dots.
    """

    part: str
    path: str

    @property
    def column(self) -> str:
        """Name of the column of an answer."""
        return f"{self.part}:{self.path}"


class FieldReader:
    """Reads the fields of records' keys and values.

    Args:
        fields: the fields to read.
        formats: formats of the keys and of the values, by topic.
        on_damage: "raise" an error for a key or value that cannot be decoded, or "skip" it: it has no fields.
        events: for each topic the object that unwraps change events; empty to take values as they are.
    """

    def __init__(
        self,
        fields: Sequence[ValueField],
        formats: "Mapping[str | None, tuple[ValueFormat, ValueFormat]]",
        on_damage: "OnDamage",
        events: "Mapping[str | None, ChangeEvents] | None" = None,
    ) -> None:
        self._fields = fields
        self._formats = formats
        self._on_damage = on_damage
        self._events = events or {}
        self._others = 0
        self._undecoded: Counter[str] = Counter()
        self._found: Counter[str] = Counter()

    def read(
        self,
        task: "ScanTask",
        keys: Sequence[bytes | None],
        values: Sequence[bytes | None],
        headers: Sequence[Sequence[tuple[str, bytes | None]]],
    ) -> list[tuple[bytes | None, ...]]:
        """The fields of records as text, in the order of `fields`; None for a field that is null or missing.

        Raises:
            DataError: a key or value cannot be decoded, and damage is not skipped.
        """
        beside = pa.array([[{"key": name, "value": value} for name, value in each] for each in headers], _HEADERS)
        columns: list[list[bytes | None]] = []
        decoded: dict[str, pa.Array] = {}
        for field in self._fields:
            if field.part not in decoded:
                decoded[field.part] = self._decoded(task, field.part, values if field.part == "value" else keys, beside)
            columns.append(_texts(decoded[field.part], field.path))
            self._found[field.column] += sum(each is not None for each in columns[-1])
        return list(zip(*columns, strict=True))

    def notes(self) -> Iterator[Note]:
        """Notes on values that were not decoded, and fields that were not found."""
        for topic, formats in self._formats.items():
            for part in dict.fromkeys(each.part for each in self._fields):
                if text := formats[PARTS.index(part)].unread:
                    yield Note(f"{topic}: {text}", is_finding=False, topic=topic)
        if self._others:
            text = f"{counted(self._others, 'value')} of other types count without their fields"
            yield Note(text, is_finding=False)
        for part, count in self._undecoded.items():
            yield Note(f"{counted(count, part)} cannot be decoded, and count without their fields: see kafkafmt cat")
        for column, count in self._found.items():
            if not count:
                yield Note(f"no record has {column}: its records are in the group null", is_finding=False)

    def _decoded(self, task: "ScanTask", part: str, stored: Sequence[bytes | None], headers: pa.Array) -> pa.Array:
        topic = task.topic if task.topic in self._formats else None
        decoded = self._formats[topic][PARTS.index(part)].decode_column(pa.array(stored, pa.binary()), headers)
        values, errors = decoded.values, decoded.errors
        if self._events and part == "value":
            unwrapped = self._events[topic].unwrap(values)
            values, errors = unwrapped.rows, {**unwrapped.errors, **errors}
        damage = [errors[row] for row in sorted(errors) if not isinstance(errors[row], OtherRecordError)]
        self._others += len(errors) - len(damage)
        if damage and self._on_damage == "raise":
            raise damage[0]
        if damage:
            self._undecoded[part] += len(damage)
        return values


def _texts(values: pa.Array, path: str) -> list[bytes | None]:
    """A field of decoded values, as text."""
    names = path.split(".")
    while names and pa.types.is_struct(values.type) and names[0] in values.type.names:
        values = pc.struct_field(values, names.pop(0))
    return [_text(_at(each, names)) for each in plain_values(values)]


def _at(document: Any, names: Sequence[str]) -> object:  # noqa: ANN401 - any JSON
    """The value at a path; a text on the way may be JSON."""
    for name in names:
        if isinstance(document, str):
            try:
                document = json.loads(document)
            except (ValueError, RecursionError):
                return None
        if isinstance(document, dict):
            document = document.get(name)
        elif isinstance(document, list) and name.isascii() and name.isdecimal() and int(name[:9]) < len(document):
            document = document[int(name[:9])]
        else:
            return None
    return document


def _text(value: object) -> bytes | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text.encode("utf-8", "surrogatepass")
