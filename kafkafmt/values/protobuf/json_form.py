"""Messages in protobuf's own JSON (https://protobuf.dev/programming-guides/json/), with the names of the schema.

Fields without presence are included even if they are not set; 64-bit numbers are text, bytes base64, enums names or
numbers. Fields that the schema does not know are included as "$unknown".
"""

import json
import math
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.times import NAMED_SECONDS
from kafkafmt.values.protobuf.schema import ProtoField, ProtoMessage
from kafkafmt.values.protobuf.wire import MOST_DEPTH, ReadMessage, UnknownField, default_of, read_message

UNKNOWN: Final = "$unknown"
"""Name of the fields of a message that the schema does not know."""

VALUE: Final = "$value"
"""Name of a message with a form of its own, such as a Timestamp, beside its unknown fields."""

NANOS_PER_SECOND: Final = 1_000_000_000
DURATIONS: Final = range(-315_576_000_000, 315_576_000_001)
"""Valid seconds of a Duration: 10,000 years."""

_GOOGLE: Final = "google.protobuf."
WRAPPERS: Final = frozenset(
    f"{_GOOGLE}{name}Value"
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)
"""Wrapper messages (such as Int32Value): a scalar that may be absent."""

_TEXTS_OF_64: Final = frozenset({"int64", "uint64", "sint64", "fixed64", "sfixed64"})
_NULL_VALUE: Final = f"{_GOOGLE}NullValue"


class JsonForm:
    """Makes JSON of messages.

    Args:
        messages: all reachable messages by name, for those inside a google.protobuf.Any.
    """

    def __init__(self, messages: Mapping[str, ProtoMessage]) -> None:
        self._messages = messages
        self._depth = 0
        self._special: dict[str, Callable[[ReadMessage], Any]] = {
            f"{_GOOGLE}Timestamp": timestamp_text,
            f"{_GOOGLE}Duration": duration_text,
            f"{_GOOGLE}FieldMask": _field_mask,
            f"{_GOOGLE}Struct": self._struct,
            f"{_GOOGLE}Value": self._value,
            f"{_GOOGLE}ListValue": self._list,
            f"{_GOOGLE}Any": self._any,
            **dict.fromkeys(WRAPPERS, self._wrapper),
        }

    def text(self, value: ReadMessage) -> str:
        """A message as JSON text.

        Raises:
            CorruptError: the message has no JSON form, such as a Timestamp out of range.
            LimitExceededError: messages inside Any are nested too deeply.
        """
        return json.dumps(self.of(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def of(self, value: ReadMessage) -> Any:  # noqa: ANN401 - JSON
        """A message as an object for `json`; raises as `text` does."""
        self._depth += 1
        try:
            if self._depth > MOST_DEPTH + 1:
                raise LimitExceededError("messages inside of google.protobuf.Any are nested too deeply")
            special = self._special.get(value.type.name)
            if special is None:
                return self._message(value)
            made = special(value)
        finally:
            self._depth -= 1
        return {VALUE: made, UNKNOWN: unknown_json(value.unknown)} if value.unknown else made

    def _message(self, value: ReadMessage) -> dict[str, Any]:
        made = {}
        values = value.values
        for number, field in value.type.fields.items():
            if number in values:
                made[field.name] = self._field(field, values[number])
            elif not field.has_presence and not field.name.startswith("["):
                made[field.name] = _empty(field)
        if value.unknown:
            made[UNKNOWN] = unknown_json(value.unknown)
        return made

    def _field(self, field: ProtoField, value: Any) -> Any:  # noqa: ANN401 - as the type is
        if (entry := field.entry) is not None:
            item = entry.fields[2]
            return {_key(key): self._single(item, each) for key, each in value.items()}
        if field.is_repeated:
            return [self._single(field, each) for each in value]
        return self._single(field, value)

    def _single(self, field: ProtoField, value: Any) -> Any:  # noqa: ANN401 - as the type is
        return self.of(value) if field.message is not None else scalar_json(field, value)

    def _wrapper(self, value: ReadMessage) -> Any:  # noqa: ANN401 - as the type is
        field = value.type.fields[1]
        return scalar_json(field, value.values.get(1, default_of(field)))

    def _struct(self, value: ReadMessage) -> dict[str, Any]:
        return {key: self.of(each) for key, each in value.values.get(1, {}).items()}

    def _list(self, value: ReadMessage) -> list[Any]:
        return [self.of(each) for each in value.values.get(1, ())]

    def _value(self, value: ReadMessage) -> Any:  # noqa: ANN401 - as the kind is
        for number, found in value.values.items():
            field = value.type.fields[number]
            if field.kind == "double" and not math.isfinite(found):
                raise CorruptError("a google.protobuf.Value has no JSON form", found=found)
            return self.of(found) if field.message is not None else scalar_json(field, found)
        return None

    def _any(self, value: ReadMessage) -> dict[str, Any]:
        """A message inside an Any; its bytes if the type is unknown."""
        url, data = value.values.get(1, ""), value.values.get(2, b"")
        if not value.values:
            return {}
        message = self._messages.get(url.rpartition("/")[2])
        if message is None:
            return {"@type": url, "value": _base64(data)}
        inner = self.of(read_message(message, data, depth=self._depth - 1))
        return {"@type": url, **inner} if message.name not in self._special else {"@type": url, "value": inner}


def scalar_json(field: ProtoField, value: Any) -> Any:  # noqa: ANN401 - as the type is
    """A number, text, bytes or an enum's number as JSON."""
    if field.enum is not None:
        return None if field.enum.name == _NULL_VALUE else field.enum.numbers.get(value, value)
    if field.kind in _TEXTS_OF_64:
        return str(value)
    if field.kind == "bytes":
        return _base64(value)
    if field.kind in ("double", "float"):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return value if field.kind == "double" else float(str(np.float32(value)))
    return value


def unknown_json(fields: list[UnknownField]) -> list[dict[str, Any]]:
    """Unknown fields as JSON: numbers unchanged, bytes as base64, groups as lists."""
    return [{"number": each.number, "wireType": each.wire, "data": _unknown_data(each.data)} for each in fields]


def _unknown_data(data: Any) -> Any:  # noqa: ANN401 - as the wire type is
    if isinstance(data, bytes):
        return {"base64": _base64(data)}
    return data if isinstance(data, int) else {"group": unknown_json(data)}


def seconds_and_nanos(value: ReadMessage) -> tuple[int, int]:
    """The seconds and nanoseconds of a Timestamp or Duration.

    Raises:
        CorruptError: they are out of range.
    """
    seconds, nanos = value.values.get(1, 0), value.values.get(2, 0)
    if value.type.name == f"{_GOOGLE}Timestamp":
        is_valid = seconds in NAMED_SECONDS and 0 <= nanos < NANOS_PER_SECOND
    else:
        is_valid = seconds in DURATIONS and abs(nanos) < NANOS_PER_SECOND and seconds * nanos >= 0
    if not is_valid:
        name = value.type.name.removeprefix(_GOOGLE)
        raise CorruptError(f"a {name} is out of range", found=f"{seconds} s and {nanos} ns")
    return seconds, nanos


def timestamp_text(value: ReadMessage) -> str:
    """A Timestamp as RFC 3339 text."""
    seconds, nanos = seconds_and_nanos(value)
    return f"{np.datetime64(seconds, 's')}{_fraction(nanos)}Z"


def duration_text(value: ReadMessage) -> str:
    """A Duration as text: seconds followed by an s."""
    seconds, nanos = seconds_and_nanos(value)
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_fraction(abs(nanos))}s"


def _fraction(nanos: int) -> str:
    if not nanos:
        return ""
    digits = f".{nanos:09}"
    return digits.removesuffix("000").removesuffix("000")


def _field_mask(value: ReadMessage) -> str:
    return ",".join(_camel(path) for path in value.values.get(1, ()))


def _camel(path: str) -> str:
    made, upper = "", False
    for letter in path:
        if letter.isupper() or (upper and not letter.islower()):
            raise CorruptError("a path of a FieldMask has no JSON form", found=path)
        made += letter.upper() if upper else "" if letter == "_" else letter
        upper = letter == "_"
    if upper:
        raise CorruptError("a path of a FieldMask has no JSON form", found=path)
    return made


def _empty(field: ProtoField) -> Any:  # noqa: ANN401 - as the type is
    if field.entry is not None:
        return {}
    return [] if field.is_repeated else scalar_json(field, default_of(field))


def _key(key: Any) -> str:  # noqa: ANN401 - a number, a boolean or text
    return str(key).lower() if isinstance(key, bool) else str(key)


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
