"""ApiMessage: a message that Kafka keeps in one of its own topics, decoded."""

import json
import math
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """A decoded message.

    Attributes:
        name: Kafka's: "OffsetCommitValue".
        version: of its layout.
        data: fields that the version has, by Kafka's camelCase names, in the order of its schema; a tagged one only if
            it stands there. UUIDs are Kafka's text of them, strings are decoded as Java does, structures are dicts.
        memory: estimate of the bytes that the data take.
    """

    name: str
    version: int
    data: dict[str, Any]
    memory: int = field(default=0, compare=False, repr=False)

    def to_json(self) -> str:
        """Print the data as Kafka's JSON converters do: bytes as base64, and "NaN" and the infinities as strings."""
        try:
            return _dumps(self.data)
        except ValueError:  # what JSON has no numbers for
            return _dumps(_without_such_numbers(self.data))


def _dumps(data: dict[str, Any]) -> str:
    return json.dumps(data, default=_base64, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _without_such_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_such_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_such_numbers(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _base64(value: bytes) -> str:
    return b64encode(value).decode("ascii")
