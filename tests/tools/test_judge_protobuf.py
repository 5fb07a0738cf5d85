"""tools/judge protobuf: its schemas and values, without Java: what kafkafmt reads in two ways is the same."""

import json
from random import Random

import pytest

from kafka_judge.protobuf import judge
from kafka_judge.protobuf.random_schemas import Schema, Values
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.schema import link


@pytest.mark.parametrize("seed", range(5))
def test_random_values_are_read_the_same_in_every_way(seed: int) -> None:
    random = Random(seed)
    sound = 0
    for _ in range(6):
        schema = Schema.random(random)
        values = [Values(schema, random).value("M0") for _ in range(15)]
        linked = link(parse_schema(schema.text()))
        # As if Java had said what we say.
        said = [judge.as_json(linked, "judged.M0", each)[0] for each in values]
        assert list(judge.differences(schema, "judged.M0", values, said)) == []
        sound += sum(not each.startswith("!") for each in said)
    assert sound > 40


def test_a_difference_is_a_finding() -> None:
    random = Random(1)
    schema = Schema.random(random)
    value = Values(schema, random).value("M0")
    linked = link(parse_schema(schema.text()))
    said, _ = judge.as_json(linked, "judged.M0", value)
    changed = json.dumps({**json.loads(said), "more": 1})
    (finding,) = judge.differences(schema, "judged.M0", [value], [changed])
    assert "protobuf-java gives" in finding
