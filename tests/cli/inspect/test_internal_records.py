"""Keys and values of internal topics in `inspect`, compared with the output of Kafka's own decoders."""

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.cli.inspect.meaning import expand_internal
from kafkafmt.cli.inspect.rows import Row, Space
from kafkafmt.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from kafkafmt.io.source import locate
from tests.cli.conftest import Call
from tests.cli.inspect.tiling import assert_tiled, entries, errors_of
from tests.golden_cases import Case, cases
from tests.reference.builder import R, batch

_RECORD = re.compile(r"\| offset: (\d+) .*?(?: key: (\{.*?\}\}))? payload: (\{.*|<DELETE>)$")
DUMPS = [
    ("08-consumer-groups-4.3.1", "dump-offsets"),
    ("08-consumer-groups-4.3.1", "dump-share"),
    ("08-consumer-groups-4.3.1", "dump-transactions"),
    ("10-cluster-metadata-4.3.1", "dump-metadata"),
]


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The fields of a JSON object by path; a list of plain values is one field."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}")
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]")
    else:
        yield path, value


def shown(rows: list[Row]) -> dict[str, dict[str, Any]]:
    """The decoded fields by record, then by path starting at the key or value."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.is_decoded and not row.is_group:
            record, _, field = row.field.rpartition("body.")
            record = record.removesuffix(".")
            value = row.value
            if isinstance(value, bytes):
                value = base64.b64encode(value).decode()
            elif isinstance(value, str) and (row.type.endswith("[]") or row.type == "float64"):
                value = json.loads(value)
            found.setdefault(record, {})[field] = value
    return found


@pytest.mark.parametrize(("name", "dump"), DUMPS, ids=str)
def test_decoded_fields_are_those_of_kafka(name: str, dump: str) -> None:
    golden = case(name)
    (text,) = (gzip.decompress(path.read_bytes()) for path in golden.expected.glob(f"{dump}.txt.gz"))
    compared = 0
    file: Path | None = None
    of_file: dict[int, dict[str, Any]] = {}
    for line in text.decode().splitlines():
        if line.startswith("Dumping "):
            file = golden.log_dir / line.removeprefix("Dumping ")
            of_file = by_offset(file)
        match = _RECORD.match(line)
        if match is None:
            continue
        offset, key, payload = match.groups()
        expected: dict[str, Any] = {}
        for part, content in (("key", key), ("value", payload)):
            if content is not None and content != "<DELETE>":
                decoded = json.loads(content)
                decoded |= decoded.pop("data")
                if name.startswith("10-"):
                    del decoded["type"]  # a name in the JSON, a number in the bytes
                expected |= dict(leaves(decoded, part))
        found = of_file[int(offset)]
        assert {path: plain(value) for path, value in found.items() if name[:3] != "10-" or path != "value.type"} == {
            path: plain(value) for path, value in expected.items()
        }
        compared += 1
    assert compared >= 8


def plain(value: Any) -> Any:
    """Convert numbers that Kafka's JSON has as text."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d+", value) else value


def by_offset(file: Path) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    with locate(file).open() as opened:
        for _, rows in entries(opened, topic=file.parent.name.rpartition("-")[0]):
            assert_tiled(rows)
            assert errors_of(rows) == []
            fields = shown(rows)
            for row in rows:
                if match := re.fullmatch(r"offset (\d+)", row.note):
                    found[int(match[1])] = fields.get(row.field, {})
    return found


def test_messages_of_the_old_formats_are_decoded() -> None:
    types, commits = set(), 0
    for log in case("consumer-offsets-0.10.2.2").files("__consumer_offsets-*/*.log"):
        with locate(log).open() as opened:
            for _, rows in entries(opened, topic=CONSUMER_OFFSETS):
                assert_tiled(rows)
                assert errors_of(rows) == []
                types |= {row.value for row in rows if row.field.endswith("body.key.type")}
                commits += sum(row.field.endswith("body.value.commitTimestamp") for row in rows)
    assert types == {1, 2}
    assert commits > 5


def test_what_cannot_be_decoded_is_an_error_and_the_rest_is_shown(kafkafmt: Call, tmp_path: Path) -> None:
    path = tmp_path / "__consumer_offsets-0" / "00000000000000000000.log"
    path.parent.mkdir()
    key = b"\0\2\0\1g"
    records = [R(0, key=b"\0\x63", value=b"x"), R(1, value=b"x"), R(2, key=key, value=b"\0\3\0"), R(3, key=key)]
    path.write_bytes(batch(records))
    answer = kafkafmt("inspect", path, "--records", "all", "-o", "jsonl")
    rows = {row["field"].removeprefix("body.records"): row for row in map(json.loads, answer.lines)}
    assert answer.status == 1
    assert "of an unknown type" in rows["[0].body.key"]["error"]
    assert rows["[0].body.value"]["error"] is None
    assert "the value cannot be decoded without a key" in rows["[1].body.value"]["error"]
    assert rows["[2].body.key.group"]["value"] == "g"
    assert "the data ends before its declared size" in rows["[2].body.value"]["error"]
    assert rows["[3].body.key.group"]["value"] == "g"
    assert rows["[3].body.key.group"]["position"] is None
    assert rows["[3].body.key.group"]["hex"] is None


def test_a_segment_elsewhere_is_decoded_if_its_topic_is_named(kafkafmt: Call, tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(batch([R(0, key=b"\0\2\0\1g")]))
    assert "body.key.group" not in kafkafmt("inspect", path).text
    assert "body.key.group" in kafkafmt("inspect", path, "--as", CONSUMER_OFFSETS).text


def test_very_long_arrays_end_with_their_number() -> None:
    # A transaction of 1,500 partitions, each in a separate topic.
    topics = b"\0\1t\0\0\0\1\0\0\0\0" * 1500
    value = b"\0\0" + bytes(8) + b"\0\0" + bytes(4) + b"\1" + (1500).to_bytes(4, "big") + topics + bytes(16)
    key = b"\0\0\0\1t"
    space = Space(memoryview(key + value))
    rows = [
        Row("body.key", "bytes", space, 0, len(key), value=key),
        Row("body.value", "bytes", space, len(key), len(space.data), value=value),
    ]
    expanded = expand_internal(rows, TRANSACTION_STATE)
    assert errors_of(expanded) == []
    (rest,) = [row for row in expanded if row.field.endswith("(rest)")]
    assert str(rest.value).startswith("500 more elements")
