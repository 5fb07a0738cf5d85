"""Values in which kafkafmt replaced a field: protobuf-java must read all other fields as before."""

import json
from collections.abc import Iterator, Sequence
from hashlib import shake_256
from random import Random
from typing import Any, Final, NamedTuple

from kafka_judge.protobuf.random_schemas import Schema
from kafkafmt.errors import KafkafmtError
from kafkafmt.repairing.field_redaction import FieldMask
from kafkafmt.repairing.protobuf_redaction import masked_protobuf
from kafkafmt.values.protobuf.schema import ProtoSchema

_LONG: Final = 8
"""Length from which a string almost certainly differs from the hash that replaces it."""


class Redacted(NamedTuple):
    """A value with a replaced field.

    Attributes:
        row: number of the value.
        path: names of the fields from the message down to the replaced one.
        made: the new bytes.
    """

    row: int
    path: tuple[str, ...]
    made: bytes


def redactions(
    schema: Schema, linked: ProtoSchema, name: str, values: Sequence[bytes], random: Random
) -> list[Redacted]:
    """Replace a random field of each value.

    Args:
        schema: the schema.
        linked: the same schema as a kafkafmt object.
        name: name of the message.
        values: encoded values of the message; values that kafkafmt refuses are left out.
        random: source of all random choices.
    """
    made = []
    for row, value in enumerate(values):
        path = _path(schema, name, random)
        mask = FieldMask([".".join(path)], lambda data, size: shake_256(data).digest(size), _LONG)
        try:
            data = masked_protobuf(mask, linked, linked.by_name[f"judged.{name}"], value, {})
        except KafkafmtError:
            continue
        made.append(Redacted(row, path, data))
    return made


def _path(schema: Schema, name: str, random: Random) -> tuple[str, ...]:
    field = random.choice(schema.messages[name])
    if field.type in schema.messages and field.key is None and random.random() < 0.5:
        return (field.name, random.choice(schema.messages[field.type]).name)
    return (field.name,)


def differences(values: Sequence[bytes], redacted: Redacted, before: str, after: str) -> Iterator[str]:
    """The unexpected differences of a value in which a field was replaced.

    Args:
        values: the values before.
        redacted: the value with the replaced field.
        before: what protobuf-java read before, as JSON, or "!" and the error.
        after: what protobuf-java reads now.
    """
    stored = values[redacted.row]
    place = f"{stored.hex()} without {'.'.join(redacted.path)} is {redacted.made.hex()}"
    if len(redacted.made) != len(stored):
        yield f"{place}: of another length"
    if before.startswith("!"):
        return
    if after.startswith("!"):
        yield f"{place}: protobuf-java refuses it: {after}"
        return
    was, is_now = json.loads(before), json.loads(after)
    if _without(was, redacted.path) != _without(is_now, redacted.path):
        yield f"{place}: protobuf-java reads {after}, it was {before}"
    texts = {text for text in _texts(_at(was, redacted.path)) if len(text) >= _LONG}
    if left := texts & {*_texts(_at(is_now, redacted.path))}:
        yield f"{place}: {left} is still there"


def _without(value: Any, path: Sequence[str]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_without(each, path) for each in value]
    if not isinstance(value, dict) or not path:
        return value
    return {
        name: each if name != path[0] else _without(each, path[1:]) if path[1:] else None
        for name, each in value.items()
    }


def _at(value: Any, path: Sequence[str]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_at(each, path) for each in value]
    return value if not path else _at(value.get(path[0]), path[1:]) if isinstance(value, dict) else None


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    """The strings of a value, without map keys, numbers, times and enums."""
    if isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
    elif isinstance(value, str) and value != "Infinity" and value[:1].isalpha() and not value.isupper():
        yield value
