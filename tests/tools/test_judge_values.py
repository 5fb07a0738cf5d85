"""tools/judge values: what counts as a difference."""

import json
from base64 import b64encode
from collections import Counter
from typing import Any

import pytest

from kafka_judge.values import json_schemas
from kafka_judge.values.fastavro_values import FastavroDifferences
from kafka_judge.values.judge import differences
from kafka_judge.values.random_json import Meant

WRITTEN = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "bytes"}]}
GROWN = {
    "type": "record",
    "name": "R",
    "fields": [{"name": "b", "type": "string"}, {"name": "c", "type": "double", "default": "-Infinity"}],
}
INFINITY = {"bits": -4503599627370496}


def row(data: bytes, written: Any, resolved: Any) -> list[str]:
    said = [each if isinstance(each, str) else json.dumps(each) for each in (written, resolved)]
    return [b64encode(data).decode(), *said]


SOUND = row(b"\x02\x02x", {"a": 1, "b": {"bytes": "eA=="}}, {"b": "x", "c": INFINITY})


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([SOUND], None),
        ([row(b"\x02\x02x", {"a": 2, "b": {"bytes": "eA=="}}, {"b": "x", "c": INFINITY})], "expecting"),
        ([row(b"\x02\x02x", {"a": 1, "b": {"bytes": "eA=="}}, {"b": "y", "c": INFINITY})], "expecting"),
        ([row(b"\x02\x02x", "! refused", {"b": "x", "c": INFINITY})], "expecting ! refused"),
        ([row(b"\x02", "! refused", "! refused")], None),
        ([row(b"\x02\x02x!", {"a": 1, "b": {"bytes": "eA=="}}, "! refused")], "None, expecting"),
        ([["! no schema"]], "Java refuses the schemas: ! no schema"),
        # Java reads invalid text as U+FFFD, and does not accept infinity as a default.
        ([row(b"\x02\x02\xff", {"a": 1, "b": {"bytes": "/w=="}}, {"b": "\ufffd", "c": INFINITY})], "None, expecting"),
        ([row(b"\x02\x02\xff", {"a": 1, "b": {"bytes": "/w=="}}, '{"b": "\ufffd"}')], None),
        ([[*SOUND[:2], "! Non-numeric default value for double"]], None),
    ],
    ids=range(10),
)
def test_differences(rows: list[list[str]], says: str | None) -> None:
    found = list(differences(WRITTEN, GROWN, rows))
    assert bool(found) == bool(says)
    assert all(says in text for text in found if says)


def test_differences_of_fastavro_have_names_or_are_findings() -> None:
    fastavro = FastavroDifferences()
    not_text = row(b"\x02\x02\xff", {"a": 1, "b": {"bytes": "/w=="}}, {"b": "\ufffd", "c": INFINITY})
    assert list(fastavro.of_pair(WRITTEN, GROWN, [SOUND, not_text])) == []
    (name,) = +fastavro.known
    assert "not UTF-8" in name
    assert not any(name in text for text in fastavro.unneeded())
    assert len(fastavro.unneeded()) == len(fastavro.known) - 1
    wrong = row(b"\x02\x02x", {"a": 2, "b": {"bytes": "eA=="}}, "! refused")
    assert ["expecting" in text for text in fastavro.of_pair(WRITTEN, GROWN, [wrong])] == [True, True]
    renamed = {**WRITTEN, "fields": [{"name": "n", "aliases": ["a"], "type": "int"}, {"name": "a", "type": "null"}]}
    of_alias = row(b"\x02\x02x", json.loads(SOUND[1]), {"n": 1, "a": None})
    assert list(fastavro.of_pair(WRITTEN, renamed, [of_alias])) == []
    assert "the old name of a renamed one" in "".join(+fastavro.known)


def test_schemas_that_one_of_both_refuses() -> None:
    twice = {"type": "record", "name": "R", "fields": [{"name": "a", "type": ["int", "int"]}]}
    assert list(differences(twice, twice, [["! a type twice"]])) == []
    (found,) = differences(twice, twice, [SOUND])
    assert found.startswith("Java takes the schemas: a union of the Avro schema has a type twice")


NUMBERS = Meant(
    {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"]},
    {"type": ["object", "null"], "properties": {"n": {"type": ["integer", "null"]}}},
)


@pytest.mark.parametrize(
    ("text", "said", "says"),
    [
        ('{"n": 1}', ("", "", '{"n":1}'), None),
        ('{"n": 1}', ("", "n is no integer", '{"n":1}'), "is decoded, but n is no integer"),
        ('{"n": 1}', ("", "", '{"n":2}'), "Jackson reads {'n': ('number', Decimal('2'))}"),
        ('{"n": 1}', ("! no JSON", "! no JSON", ""), "is decoded, but it is not JSON"),
        ('{"n": 1', ("! no JSON", "! no JSON", ""), None),
        ('{"n": "1"}', ("", "n is no integer", '{"n":"1"}'), "is valid, and refused: $.n is of another type"),
        ('{"n": "1"}', ("n is no integer", "", '{"n":"1"}'), "is of the types of its columns, and refused"),
        ('{"n": "1"}', ("n is no integer", "n is no integer", '{"n":"1"}'), None),
        # If a name occurs twice, each value must have the type.
        ('{"n": "1", "n": 1}', ("n is below 7", "", '{"n":1}'), None),
        # Conditions other than types are not checked.
        ('{"n": -1}', ("n is below 0", "", '{"n":-1}'), None),
        ("{}", ("n is missing", "", "{}"), None),
        # A column accepts null, and at most 64 bits.
        ('{"n": null}', ("n is no integer", "", '{"n":null}'), None),
        ('{"n": 9223372036854775808}', ("", "n is above", '{"n":9223372036854775808}'), None),
    ],
    ids=range(13),
)
def test_differences_of_json(text: str, said: tuple[str, str, str], says: str | None) -> None:
    met = Counter[str]()
    found = list(json_schemas.differences(NUMBERS, [text.encode()], [json_schemas.Said(*said)], met))
    assert [says in each for each in found if says] == ([True] if says else [])
    assert bool(found) == bool(says)
    rules = {"n is below 0", "n is missing"} & {said[0]} or "922" in text
    assert bool(met.total()) == (bool(rules) or "null" in text)
