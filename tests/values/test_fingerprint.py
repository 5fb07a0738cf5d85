"""Fingerprints of Avro schemas, compared with Avro's own test vectors (`share/test/data/schema-tests.txt`)."""

import json

import pytest

from kafkafmt.errors import LimitExceededError
from kafkafmt.values.avro.fingerprint import canonical_form, fingerprint
from kafkafmt.values.avro.schema import Node, parse


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ('"null"', '"null"', 7195948357588979594),
        ('{"type":"boolean"}', '"boolean"', -6970731678124411036),
        ('"int"', '"int"', 8247732601305521295),
        ('"string"', '"string"', -8142146995180207161),
        ("[  ]", "[]", -1241056759729112623),
        ('[ "int" , {"type":"boolean"} ]', '["int","boolean"]', 5392556393470105090),
        (
            '{"fields":[], "type":"record", "name":"foo", "namespace":"x.y"}',
            '{"name":"x.y.foo","type":"record","fields":[]}',
            5916914534497305771,
        ),
        (
            '{"fields":[], "type":"record", "name":"a.b.foo", "namespace":"x.y"}',
            '{"name":"a.b.foo","type":"record","fields":[]}',
            -4616218487480524110,
        ),
        (
            '{"fields":[], "type":"record", "name":"foo", "doc":"foo", "aliases":["foo","bar"]}',
            '{"name":"foo","type":"record","fields":[]}',
            -4824392279771201922,
        ),
        (
            """{ "fields":[{"type":"boolean", "aliases":[], "name":"f1", "default":true},
            {"order":"descending","name":"f2","doc":"Hello","type":"int"}],"type":"record", "name":"foo"}""",
            '{"name":"foo","type":"record","fields":[{"name":"f1","type":"boolean"},{"name":"f2","type":"int"}]}',
            -4860222112080293046,
        ),
        (
            '{"namespace":"x.y.z", "type":"enum", "name":"foo", "doc":"foo bar", "symbols":["A1", "A2"]}',
            '{"name":"x.y.z.foo","type":"enum","symbols":["A1","A2"]}',
            -4448647247586288245,
        ),
        (
            '{"namespace":"x.y.z", "type":"fixed", "name":"foo", "doc":"foo bar", "size":32}',
            '{"name":"x.y.z.foo","type":"fixed","size":32}',
            -3064184465700546786,
        ),
        ('{ "items":{"type":"null"}, "type":"array"}', '{"type":"array","items":"null"}', -589620603366471059),
        ('{ "values":"string", "type":"map"}', '{"type":"map","values":"string"}', -8732877298790414990),
        (
            """{"name":"PigValue","type":"record",
            "fields":[{"name":"value", "type":["null", "int", "long", "PigValue"]}]}""",
            """{"name":"PigValue","type":"record","fields":[{"name":"value","type":["null","int","long","PigValue"]}]}""",
            -1759257747318642341,
        ),
    ],
)
def test_the_vectors_of_avro(text: str, form: str, expected: int) -> None:
    node = parse(text)
    assert canonical_form(node) == form
    assert fingerprint(node) == expected % 2**64


def test_a_type_that_is_referred_to_is_written_in_full_once() -> None:
    item = '{"type":"fixed","name":"x.Item","size":2}'
    order = {"type": "record", "name": "Order", "fields": [{"name": name, "type": "x.Item"} for name in "ab"]}
    inlined = json.loads(json.dumps(order))
    inlined["fields"][0]["type"] = json.loads(item)
    assert fingerprint(parse(json.dumps(order), [item])) == fingerprint(parse(json.dumps(inlined)))


def test_depth_is_bounded() -> None:
    node = Node("int")
    for _ in range(1000):
        node = Node("array", inner=[node])
    with pytest.raises(LimitExceededError, match="nested too deeply"):
        fingerprint(node)
