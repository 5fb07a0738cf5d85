"""Kafka's definitions of configs: of topics, groups, client metrics, and the dynamic ones of brokers.

`config_definitions.json` has them from the ConfigDefs of Kafka 4.4, with Kafka's own texts (Apache License 2.0):
`tools/judge configs --write` makes the file, and `tools/judge configs` compares it.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Final, Literal

ResourceType = Literal["TOPIC", "BROKER", "GROUP", "CLIENT_METRICS"]

# Java's `Double.toString` uses an exponent from 10**7 upwards and below 10**-3.
_LARGEST_PLAIN: Final = 10.0**7
_SMALLEST_PLAIN: Final = 10.0**-3


@dataclass(frozen=True, slots=True)
class ConfigDefinition:
    """A config as Kafka defines it.

    Attributes:
        name: name of the config.
        type: name of its `ConfigDef.Type`: "LONG", "LIST", "PASSWORD", ...
        default: its default as text; None if it has none.
        synonyms: a broker's names for the same config, strongest first, each with its default as text or None; a
            broker's config comes first itself.
        documentation: Kafka's text, with HTML in it; None if there is none.
        is_internal: whether Kafka shows it only if it is set.
    """

    name: str
    type: str
    default: str | None
    synonyms: tuple[tuple[str, str | None], ...]
    documentation: str | None
    is_internal: bool

    def text(self, value: str) -> str:
        """A value as `ConfigDef` prints it after parsing; unchanged if it is invalid."""
        stripped = value.strip()
        match self.type:
            case "BOOLEAN":
                return stripped.lower()
            case "INT" | "SHORT" | "LONG":
                return stripped.removeprefix("+")
            case "DOUBLE":
                return _double(stripped)
            case "LIST":
                return ",".join(part.strip() for part in stripped.split(","))
            case _:
                return stripped


@cache
def definitions(resource_type: ResourceType) -> Mapping[str, ConfigDefinition]:
    """The definitions for a type of resource by name, in order."""
    text = files(__package__).joinpath("config_definitions.json").read_text(encoding="utf-8")
    return {
        each["name"]: ConfigDefinition(
            each["name"],
            each["type"],
            each["default"],
            tuple((name, default) for name, default in each["synonyms"]),
            each["documentation"],
            each["internal"],
        )
        for each in json.loads(text)
        if each["resource"] == resource_type
    }


def _double(text: str) -> str:
    """A number as Java's `Double.toString` prints it."""
    try:
        value = float(text)
    except ValueError:
        return text
    if value == 0 or _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN or not math.isfinite(value):
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    rest = "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{digits[0]}.{rest}E{int(exponent) + len(digits) - 1}"
