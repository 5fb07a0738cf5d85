"""Protobuf messages as Arrow types, and read values as objects from which Arrow makes arrays.

A recursive message, one without fields, one nested more than a hundred deep, google.protobuf.Struct, Value, ListValue
and Any have no Arrow type that tables and files support: they become columns of JSON text.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, Final, Literal

import pyarrow as pa

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.formats import SHOWN_AS_WRITTEN
from kafkafmt.values.protobuf.json_form import NANOS_PER_SECOND, WRAPPERS, JsonForm, seconds_and_nanos
from kafkafmt.values.protobuf.schema import ProtoField, ProtoMessage
from kafkafmt.values.protobuf.wire import MOST_DEPTH, ReadMessage, default_of

JSON: Final = pa.string()
"""Type of a column of JSON text."""

UNKNOWN_FIELDS: Final = "fields that the schema does not have"
CUT_NANOS: Final = f"nanoseconds, which are cut to microseconds{SHOWN_AS_WRITTEN}"
"""Remarks about values."""

NANOS_PER_MICRO: Final = 1000
MICROS_PER_SECOND: Final = NANOS_PER_SECOND // NANOS_PER_MICRO

_MOST_COLUMNS: Final = 10_000
_SCALARS: Final[Mapping[str, pa.DataType]] = {
    "double": pa.float64(),
    "float": pa.float32(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "bytes": pa.binary(),
    "enum": pa.string(),
    **dict.fromkeys(("int32", "sint32", "sfixed32"), pa.int32()),
    **dict.fromkeys(("int64", "sint64", "sfixed64"), pa.int64()),
    **dict.fromkeys(("uint32", "fixed32"), pa.uint32()),
    **dict.fromkeys(("uint64", "fixed64"), pa.uint64()),
}
_TIMES: Final[Mapping[str, pa.DataType]] = {
    "google.protobuf.Timestamp": pa.timestamp("us", "UTC"),
    "google.protobuf.Duration": pa.duration("us"),
}
_JSON: Final = frozenset(f"google.protobuf.{name}" for name in ("Struct", "Value", "ListValue", "Any"))

_DECIMAL: Final = "confluent.type.Decimal"
# Up to 4095 digits: Python refuses to print integers of more than 4300.
_MOST_DECIMAL_BYTES: Final = 1700
_MOST_SCALE: Final = 10_000
"""Largest scale of a decimal: Python prints at most 4,300 digits, and a scale adds as many zeros."""

Form = Literal["scalar", "json", "decimal", "time", "wrapper", "struct"]


@dataclasses.dataclass(eq=False, slots=True)
class Shape:
    """The column of a field, or of a whole message.

    Attributes:
        field: the field; None for a whole message.
        form: a scalar or enum; JSON text; the text of a decimal; a Timestamp or Duration; a wrapper; or a struct, which
            also stands for the entries of a map.
        message: the message, or None for scalars.
        item: Arrow type of one value.
        type: Arrow type of the column, which differs for lists and maps.
        inner: columns of a struct; key and value of a map; the value of a wrapper; seconds and nanoseconds of a time.
    """

    field: ProtoField | None
    form: Form
    message: ProtoMessage | None
    item: pa.DataType
    type: pa.DataType = dataclasses.field(init=False)
    inner: "list[Shape]" = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        """Derive the type of the column."""
        self.type = self.item
        if self.field is not None and self.field.entry is not None:
            self.type = pa.map_(self.inner[0].type, self.inner[1].type)
        elif self.field is not None and self.field.is_repeated:
            self.type = pa.list_(pa.field("element", self.item))

    @property
    def number(self) -> int:
        """The number of the field."""
        return 0 if self.field is None else self.field.number


def shape_of(message: ProtoMessage) -> Shape:
    """The columns of a message.

    Raises:
        LimitExceededError: there are too many columns; a message that is used in several places is expanded in each.
    """
    return _shape(None, message, (), count(1))


def texts_in(shape: Shape, path: str = "") -> Iterator[str]:
    """The fields whose columns are JSON text, with the path to them; "" for the whole message.

    Fields inside a list or the values of a map have brackets before them.
    """
    if shape.form == "json":
        yield path
    elif shape.form == "struct":
        for each in shape.inner:
            name = "" if each.field is None else each.field.name + "[]" * each.field.is_repeated
            is_entry = shape.message is not None and shape.message.is_map_entry
            yield from texts_in(each, path if is_entry else f"{path}.{name}" if path else name)


def _shape(
    of: ProtoField | None, message: ProtoMessage | None, path: tuple[ProtoMessage, ...], numbers: Iterator[int]
) -> Shape:
    if next(numbers) > _MOST_COLUMNS:
        raise LimitExceededError("the Protobuf schema has too many columns", expected=f"at most {_MOST_COLUMNS:,}")
    if message is None:
        return Shape(of, "scalar", None, _SCALARS["int32" if of is None else of.kind])
    if message.name == _DECIMAL:
        return Shape(of, "decimal", message, pa.string())
    is_json = message in path or not message.fields or message.name in _JSON or len(path) == MOST_DEPTH
    if is_json:
        return Shape(of, "json", message, JSON)
    # The key of a map comes first.
    of_message = sorted(message.fields.values(), key=lambda each: each.number * message.is_map_entry)
    inner = [_shape(each, each.message, (*path, message), numbers) for each in of_message]
    if message.name in _TIMES:
        return Shape(of, "time", message, _TIMES[message.name], inner)
    if message.name in WRAPPERS:
        return Shape(of, "wrapper", message, inner[0].item, inner)
    if message.is_map_entry:
        return Shape(of, "struct", message, pa.struct([]), inner)
    fields = [pa.field(each.name, shape.type) for each, shape in zip(of_message, inner, strict=True)]
    return Shape(of, "struct", message, pa.struct(fields), inner)


class ToArrow:
    """Converts messages to objects that `pyarrow.array` accepts for the type of their shape.

    Args:
        shape: the columns.
        json_form: makes JSON text of messages that have no other type.

    Attributes:
        remarks: remarks about the last value.
    """

    def __init__(self, shape: Shape, json_form: JsonForm) -> None:
        self.remarks: set[str] = set()
        self._json_form = json_form
        self._convert = self._single(shape)

    def value(self, read: ReadMessage) -> Any:  # noqa: ANN401 - as the shape is
        """Convert a message.

        Raises:
            CorruptError: a Timestamp or Duration is out of range, or another message has no JSON form.
            LimitExceededError: a decimal is too long.
        """
        self.remarks = {UNKNOWN_FIELDS} if read.unknown_fields else set()
        return self._convert(read)

    def _single(self, shape: Shape) -> Callable[[Any], Any]:
        if shape.form == "scalar":
            enum = None if shape.field is None else shape.field.enum
            return _same if enum is None else enum.name_of
        if shape.form == "json":
            return self._json_form.text
        if shape.form == "decimal":
            return decimal_text
        if shape.form == "time":
            return self._time
        if shape.form == "wrapper":
            default = default_of(shape.inner[0].field) if shape.inner[0].field else None
            return lambda read: read.values.get(1, default)
        columns = [
            (each.field.name, each.number, self._column(each), _default(each)) for each in shape.inner if each.field
        ]

        def convert(read: ReadMessage) -> dict[str, Any]:
            values = read.values
            return {
                name: convert(values[number]) if number in values else default
                for name, number, convert, default in columns
            }

        return convert

    def _column(self, shape: Shape) -> Callable[[Any], Any]:
        if shape.field is not None and shape.field.entry is not None:
            key, value = map(self._single, shape.inner)
            return lambda entries: [(key(name), value(each)) for name, each in entries.items()]
        item = self._single(shape)
        if shape.field is not None and shape.field.is_repeated:
            return _same if item is _same else lambda values: [item(each) for each in values]
        return item

    def _time(self, read: ReadMessage) -> int:
        seconds, nanos = seconds_and_nanos(read)
        if nanos % NANOS_PER_MICRO:
            self.remarks.add(CUT_NANOS)
        return seconds * MICROS_PER_SECOND + int(nanos / NANOS_PER_MICRO)


def decimal_text(read: ReadMessage) -> str:
    """A confluent.type.Decimal, which has its own scale, as text.

    Raises:
        CorruptError: the decimal has no bytes.
        LimitExceededError: the decimal has too many bytes, or zeros.
    """
    data, scale = read.values.get(1, b""), read.values.get(3, 0)
    if not data:
        raise CorruptError("a decimal has no bytes")
    if len(data) > _MOST_DECIMAL_BYTES or abs(scale) > _MOST_SCALE:
        raise LimitExceededError("a decimal is too long", found=f"{len(data)} bytes, scale {scale}")
    unscaled = int.from_bytes(data, "big", signed=True)
    digits = f"{abs(unscaled)}{'0' * -scale if unscaled else ''}".rjust(scale + 1, "0")
    whole, fraction = digits[: len(digits) - max(scale, 0)], digits[len(digits) - max(scale, 0) :]
    return f"{'-' if unscaled < 0 else ''}{whole}{'.' if fraction else ''}{fraction}"


def _same(value: Any) -> Any:  # noqa: ANN401 - as it is
    return value


def _default(shape: Shape) -> Any:  # noqa: ANN401 - as the type is
    """The value of a field that is not set."""
    if shape.field is None or shape.field.has_presence:
        return None
    if shape.field.is_repeated:
        return []
    default = default_of(shape.field)
    return default if shape.field.enum is None else shape.field.enum.name_of(default)
