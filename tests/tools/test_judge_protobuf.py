"""tools/judge protobuf: its schemas and values, without Java: kafkafmt's two readers agree."""

import json
from random import Random

import pytest

from kafka_judge.protobuf import judge, redactions
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
        # As if Java had given our answer.
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


SECRET, OTHER = "secret of eight", "another secret!"


@pytest.mark.parametrize(
    ("made", "after", "says"),
    [
        (OTHER, {"a": {"b": OTHER, "c": 1}}, None),
        (OTHER, {"a": [{"b": OTHER, "c": 1}]}, "protobuf-java reads"),
        (OTHER, {"a": {"b": OTHER, "c": 2}}, "protobuf-java reads"),
        (OTHER, {"a": {"b": OTHER}}, "protobuf-java reads"),
        (SECRET, {"a": {"b": SECRET, "c": 1}}, "is still there"),
        (OTHER, None, "protobuf-java refuses it: !cut"),
        ("short", {"a": {"b": "short", "c": 1}}, "of another length"),
    ],
    ids=range(7),
)
def test_what_is_wrong_with_a_replaced_field(made: str, after: object, says: str | None) -> None:
    redacted = redactions.Redacted(0, ("a", "b"), made.encode())
    before = json.dumps({"a": {"b": SECRET, "c": 1}})
    said = "!cut" if after is None else json.dumps(after)
    found = [*redactions.differences([SECRET.encode()], redacted, before, said)]
    assert bool(found) == bool(says)
    assert all(says in each for each in found if says)
    assert [*redactions.differences([SECRET.encode()], redacted, "!cut", said)] == [
        each for each in found if "length" in each
    ]
