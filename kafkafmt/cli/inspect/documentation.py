"""What the specs of formats/ say of each field, in a sentence; `tools/regenerate` has written it down for us."""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any

from kafkafmt_specs_with_positions.documentation import ENUMS, TYPES

TO_THE_END = "bytes to the end"
"""Type of a field that takes all bytes that are left, mostly none."""

_SENTENCE_END = re.compile(r"(?<=\.)\s+(?=[A-Z0-9`(-])|\n\n")
_BITS = re.compile(r"b(\d+)")


@dataclass(frozen=True, slots=True)
class FieldDocumentation:
    """What a spec says of a field.

    Attributes:
        type: as the spec has it: "s4", "b3", "kafka_varint", "kafka_header[]", "bytes", "bytes to the end".
        meaning: first sentence of its doc, without a full stop at its end; "" where it has none.
        bits: number of bits of a field that is not made of whole bytes, else None.
    """

    type: str
    meaning: str
    bits: int | None


def fields_of(parser: type) -> dict[str, FieldDocumentation]:
    """What the spec of a generated class says of its fields, by name."""
    return _fields(parser.__qualname__)


@cache
def _fields(name: str) -> dict[str, FieldDocumentation]:
    return {
        field: FieldDocumentation(content["type"], first_sentence(content["doc"]), _bits(content["type"]))
        for field, content in TYPES[name]["fields"].items()
    }


def meaning_of_field(spec: str, field: str) -> str:
    """First sentence of what a spec says of a field, by the name of the generated class; "" where it says nothing."""
    fields = TYPES[spec]["fields"] if spec in TYPES else {}
    return first_sentence(fields[field]["doc"]) if field in fields else ""


def meaning_of_type(parser: type) -> str:
    """First sentence of what a spec says of a type."""
    return first_sentence(TYPES[parser.__qualname__]["doc"])


def meaning_of_value(value: IntEnum) -> str:
    """First sentence of what a spec says of a value of an enumeration."""
    documented: dict[str, Any] = ENUMS[type(value).__qualname__][str(value.value)]
    return first_sentence(documented["doc"])


def first_sentence(text: str) -> str:
    """Cut a doc after its first sentence, and cut that sentence's full stop."""
    return _SENTENCE_END.split(text, maxsplit=1)[0].rstrip(".")


def _bits(name: str) -> int | None:
    match = _BITS.fullmatch(name)
    return int(match[1]) if match else None
