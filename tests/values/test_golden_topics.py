"""Every topic of golden/values through `Scan.decode`, as written and as resolved, compared with real deserializers."""

import json
import math
import re
from base64 import b64encode
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import kafkafmt as library
from kafkafmt.plain_values import plain_values
from kafkafmt.times import iso_date, iso_time, iso_timestamp
from tests.values.golden_values import rows, unpack
from tests.values.test_avro import STRICTER
from tests.values.test_protobuf import without_unknown

CASES: Final = ("avro", "framings", "registry", "damaged", "protobuf")
"""The cases with a registry; test_json has the topics of json-schema."""

Place = tuple[str, str, int, int]

NAMED: Final = {"fx.apicurio": "fx.apicurio-value", "fx.glue": "fx.apicurio-value"}
"""Topics whose values name schemas of other registries, with the writer's schema."""

WRITTEN: Final = {
    **{(topic, "value", 0, offset): why for (topic, offset), why in STRICTER.items() if offset != 34},
    ("fx.confluent-headers", "value", 0, 16): "a header that comes twice: the last one counts, as in Java",
    **{("fx.apicurio", "value", 0, offset): "text in a topic of Avro" for offset in (1, 3, 5)},
    ("crm.contexts", "value", 0, 4): "the id is that of the other context, as the registry itself answers",
    ("crm.contexts", "value", 0, 5): "the same",
    ("crm.contexts", "value", 0, 8): "the same",
    ("meters.mixed", "value", 0, 2): "JSON in a topic of Avro",
    ("meters.mixed", "value", 0, 3): "text in a topic of Avro",
    ("meters.mixed", "value", 0, 4): "a long in a topic of Avro",
}
"""Values that differ from the deserializer of `written`, and why."""

RESOLVED: Final = {
    **{
        ("crm.contexts", "value", 0, offset): "resolved to the latest schema of another context"
        for offset in range(2, 9)
    },
    ("fx.confluent-headers", "value", 0, 16): WRITTEN["fx.confluent-headers", "value", 0, 16],
    **{("proto-nested", "value", 0, each): "--record takes the schema that has the message" for each in (18, 19, 20)},
}
"""As `WRITTEN`, for `resolved`."""

SEVERAL_READINGS: Final = "meters.two-readings"
"""A topic whose values fit several formats: `--value-format` decides."""


def bytes_text(data: bytes) -> dict[str, str]:
    return {"base64": b64encode(data).decode()}


def _time(kind: str, number: Any) -> Any:
    units = {"millis": "ms", "micros": "us", "nanos": "ns"}
    if kind == "date":
        return iso_date(number)
    unit: Any = units[kind.rpartition("-")[2]]
    if kind.startswith("time-"):
        return iso_time(number, unit)
    return iso_timestamp(number, unit, is_local=kind.startswith("local-"))


OF_FORMS: dict[str, Callable[[Any], Any]] = {
    "$float": lambda text: text,
    "$bytes": lambda text: {"base64": text},
    "$decimal": lambda text: text,
    "$uuid": lambda text: text,
    "$duration": lambda parts: dict(zip(("months", "days", "milliseconds"), parts, strict=True)),
    "$map": lambda pairs: {name: shown(value) for name, value in pairs},
}


def shown(value: Any) -> Any:
    """A golden value in kafkafmt's JSON."""
    if isinstance(value, list):
        return [*map(shown, value)]
    if not isinstance(value, dict):
        return value
    if "$branch" in value:
        return value["value"] if value["value"] is None else {value["$branch"]: shown(value["value"])}
    (name, inner), *others = value.items() or [("", None)]
    if not others and name in OF_FORMS:
        return OF_FORMS[name](inner)
    if not others and name.startswith("$"):
        return _time(name[1:], inner)
    return {each: shown(item) for each, item in value.items()}


def same(made: Any, said: Any) -> bool:
    """Whether a column's value equals a deserializer's: JSON text if no Arrow type fits."""
    if isinstance(made, str) and not isinstance(said, str):
        try:
            made = json.loads(made)
        except ValueError:
            return False
    if isinstance(said, dict) and isinstance(made, dict):
        return made.keys() == said.keys() and all(same(made[name], said[name]) for name in said)
    if isinstance(said, list) and isinstance(made, list):
        return len(made) == len(said) and all(map(same, made, said))
    if isinstance(made, Decimal):
        made = format(made, "f")
    if isinstance(made, float) or isinstance(said, float):
        return isinstance(said, (int, float)) and math.copysign(1, made) == math.copysign(1, said) and made == said
    return type(made) is type(said) and bool(made == said)


def same_message(made: Any, said: Any) -> bool:
    """As `same`, for protobuf's own JSON: 64-bit numbers and bytes are text, and enums may be numbers."""
    if isinstance(made, str) and isinstance(said, (dict, list, float)):
        made = json.loads(made)
    if isinstance(said, dict):
        if isinstance(made, list):
            made = {_key(name): value for name, value in made}
        if not isinstance(made, dict):
            return False
        return said.keys() <= made.keys() and all(same_message(made[name], said.get(name)) for name in made)
    if isinstance(said, list):
        return isinstance(made, list) and len(made) == len(said) and all(map(same_message, made, said))
    if isinstance(made, dict):
        paths = [re.sub("_(.)", lambda letter: letter[1].upper(), path) for path in made.get("paths", [])]
        return made == {"base64": said} or ",".join(paths) == said
    if made is None or said is None:
        return said is None and made in (None, "null", [], "NULL_VALUE")
    if isinstance(made, float) and isinstance(said, float):
        return same(made, said) or np.float32(made) == np.float32(said)
    if isinstance(made, str) and isinstance(said, str) and made != said:
        return _instant(made) == _instant(said) or (made[:1] in '"[{' and json.loads(made) == said)
    return same(made, said) or (not isinstance(made, (bool, float)) and str(made) == str(said))


def _key(name: object) -> str:
    return str(name).lower() if isinstance(name, bool) else str(name)


def _instant(text: str) -> tuple[str, int] | None:
    """A time or duration to the microsecond."""
    numbers = r"(?:(\d+)(?:\.(\d+))?%s)?"
    if found := re.fullmatch(r"(\d{4}-.*:)" + numbers % "Z", text):
        return found[1] + found[2], _micros(found[3])
    if found := re.fullmatch("(-?)" + numbers % "s", text):
        return "", int(f"{found[1]}1") * (int(found[2]) * 10**6 + _micros(found[3]))
    if found := re.fullmatch(r"(-?)P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?" + numbers % "S", text):
        days, hours, minutes, seconds = (int(found[each] or 0) for each in range(2, 6))
        whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        return "", int(f"{found[1]}1") * (whole * 10**6 + _micros(found[6]))
    return None


def _micros(fraction: str | None) -> int:
    return int((fraction or "").ljust(6, "0")[:6])


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {case: unpack(case, tmp_path_factory.mktemp(case)) for case in CASES}


def decoded(log_dir: Path, topic: str, **arguments: Any) -> dict[Place, dict[str, Any]]:
    """The keys and values of a topic in JSON form."""
    scan = library.scan(log_dir, topics=topic).without_warnings()
    table = scan.decode(on_damage="skip", schema=NAMED.get(topic), **arguments).to_table()
    columns = {name: plain_values(table[name].combine_chunks(), bytes_text) for name in ("key", "value")}
    beside = table.select(["partition", "offset", "keyError", "valueError"]).to_pylist()
    return {
        (topic, part, row["partition"], row["offset"]): {"value": columns[part][number], "error": row[f"{part}Error"]}
        for number, row in enumerate(beside)
        for part in columns
    }


@cache
def golden(case: str, topic: str) -> dict[Place, dict[str, Any]]:
    return {
        (topic, row["part"], row["partition"], row["offset"]): row
        for row in rows(case, "values")
        if row["topic"] == topic
    }


TOPICS: Final = [
    (case, topic)
    for case in CASES
    for topic in sorted({row["topic"] for row in rows(case, "values")})
    if topic != SEVERAL_READINGS
]


@pytest.mark.parametrize(("case", "topic"), TOPICS)
def test_values_as_written(case: str, topic: str, log_dirs: dict[str, Path]) -> None:
    found = decoded(log_dirs[case], topic, resolve=False)
    for place, row in golden(case, topic).items():
        made = found[place]
        value = made["value"]
        if topic in NAMED and row["part"] == "key":
            continue  # the named schema is that of the values
        if value is not None and row.get("format") in ("avro", "protobuf"):
            value = json.loads(value)
        if row.get("format") == "protobuf":
            value, said = without_unknown(value), row.get("written")
        else:
            said = shown(row.get("written"))
        agrees = made["error"] is None and same(value, said) if "written" in row else made["error"] is not None
        if row.get("null"):
            agrees = made == {"value": None, "error": None}
        assert agrees == (place not in WRITTEN), (place, made, row.get("written", row.get("error")))


@pytest.mark.parametrize(("case", "topic"), TOPICS)
def test_values_as_resolved(case: str, topic: str, log_dirs: dict[str, Path]) -> None:
    expected = {place: row for place, row in golden(case, topic).items() if {"resolved", "resolvedError"} & row.keys()}
    types = {record_of(row) for row in expected.values() if row["part"] == "value"}
    for record in types if len(types) > 1 else {None}:
        found = decoded(log_dirs[case], topic, record=record)
        for place, row in expected.items():
            is_other = record is not None and record_of(row) != record
            if is_other or (row["part"] == "key" and topic in NAMED):
                continue
            made = found[place]
            compare = same_message if row["format"] == "protobuf" else same
            agrees = made["error"] is not None
            if "resolved" in row:
                said = row["resolved"] if row["format"] == "protobuf" else shown(row["resolved"])
                agrees = made["error"] is None and compare(made["value"], said)
            assert agrees == (place not in RESOLVED), (place, made, row.get("resolved", row.get("resolvedError")))


def record_of(row: dict[str, Any]) -> str | None:
    """The record type of a value, if its topic may have several."""
    if row["format"] == "protobuf":
        message: str | None = row.get("message")
        return message
    subject = str(row.get("subject"))
    return subject.removeprefix(f"{row['topic']}-") if not subject.endswith("-value") else None


def test_each_exception_is_needed() -> None:
    places = {place for case, topic in TOPICS for place in golden(case, topic)}
    assert {*WRITTEN, *RESOLVED} <= places
