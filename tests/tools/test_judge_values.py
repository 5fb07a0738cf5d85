"""tools/judge values: what counts as a difference."""

import json
from base64 import b64encode
from typing import Any

import pytest

from kafka_judge.values import json_schemas
from kafka_judge.values.judge import differences

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
        # Java takes U+FFFD for bytes that are no text, and no infinity as a default.
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


def test_schemas_that_one_of_both_refuses() -> None:
    twice = {"type": "record", "name": "R", "fields": [{"name": "a", "type": ["int", "int"]}]}
    assert list(differences(twice, twice, [["! a type twice"]])) == []
    (found,) = differences(twice, twice, [SOUND])
    assert found.startswith("Java takes the schemas: a union of the Avro schema has a type twice")


NUMBERS = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("text", "said", "says"),
    [
        ('{"n": 1}', ("", ""), None),
        ('{"n": 1}', ("", "n is no integer"), "is decoded, but n is no integer"),
        ('{"n": "1"}', ("", "n is no integer"), "is valid, and refused: $.n is of another type"),
        ('{"n": "1"}', ("n is no integer", ""), "is of the types of its columns, and refused"),
        ('{"n": "1"}', ("n is no integer", "n is no integer"), None),
        # Conditions other than types are not checked.
        ('{"n": -1}', ("n is below 0", ""), None),
        ("{}", ("n is missing", ""), None),
        # A column takes null, and no more than 64 bits.
        ('{"n": null}', ("n is no integer", ""), None),
        ('{"n": 9223372036854775808}', ("", "n is above"), None),
    ],
    ids=range(9),
)
def test_differences_of_json(text: str, said: tuple[str, str], says: str | None) -> None:
    found = list(json_schemas.differences(NUMBERS, [text], [said]))
    assert [says in each for each in found if says] == ([True] if says else [])
    assert bool(found) == bool(says)
