"""Random Protobuf schemas with sound and changed values: single reading and the kernel agree."""

import base64
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_judge.protobuf.random_schemas import Schema, Values
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.schema import ProtoSchema, link
from tests.values.test_protobuf import Both


def schema_of(random: Random) -> tuple[Schema, ProtoSchema]:
    """A random schema, from text or from a descriptor."""
    schema = Schema.random(random)
    text = schema.text() if random.random() < 0.5 else base64.b64encode(schema.descriptor()).decode()
    return schema, link(parse_schema(text))


def changed(random: Random, data: bytes) -> bytes:
    """A value with bytes removed, replaced or repeated, or a bit flipped."""
    made = bytearray(data)
    at = random.randrange(len(made) + 1)
    match random.randrange(4):
        case 0:
            del made[at:]
        case 1:
            made[at : at + random.randrange(4)] = random.randbytes(random.randrange(4))
        case 2:
            begin = random.randrange(len(made) + 1)
            made[at:at] = made[begin : begin + random.randrange(12)]
        case _ if made:
            made[at - 1] ^= 1 << random.randrange(8)
    return bytes(made)


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_sound_and_changed_values(seed: int) -> None:
    random = Random(seed)
    schema, linked = schema_of(random)
    both = Both(linked, linked.by_name["judged.M0"])
    values = [Values(schema, random).value("M0") for _ in range(6)]
    mixed: list[bytes | None] = [None, *values, *(changed(random, each) for each in values * 3)]
    random.shuffle(mixed)
    both.check(mixed)
