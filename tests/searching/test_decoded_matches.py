"""`grep --value-format`: a JSON path in decoded values, of each format."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import kafkafmt as library
from kafkafmt.errors import DataError
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.change_events import TOPIC, written
from tests.values.golden_values import unpack


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {
        case: unpack(case, tmp_path_factory.mktemp(case)) for case in ("avro", "registry", "json-schema", "damaged")
    }
    events = tmp_path_factory.mktemp("events")
    return made | {"events": written(events, "avro")}


def found(
    log_dir: Path, topic: str, json_path: str, pattern: str | None = None, **arguments: Any
) -> list[dict[str, Any]]:
    matches = library.open(log_dir).grep(pattern, json_path=json_path, topics=topic)
    rows: list[dict[str, Any]] = matches.decode_values(**arguments).to_table().to_pylist()
    return rows


@pytest.mark.parametrize(
    ("case", "topic", "json_path", "offsets"),
    [
        ("registry", "crm.people", "$.price=city 0", [1]),
        ("registry", "crm.people", "$.colour=", [0, 1]),
        ("json-schema", "invoices", "$.id>=850995", [0, 3, 7, 10, 14]),
        ("json-schema", "invoices", "$.price=five", [11, 12, 14]),
        ("json-schema", "invoices", "$.price=5", [10, 13]),
        ("json-schema", "draft-0", "$.part.again.x=2", [0]),
        ("json-schema", "draft-0", "$.list[*].deep.x<0", [0]),
        ("json-schema", "json-references", "$.parts[*].inner.w=3.0", [1]),
        ("json-schema", "json-union", "$.dropped=3", [1]),
        ("events", TOPIC, "$.after.last_name=Müller 🦀", [6]),
        ("events", TOPIC, "$.source.txId>=560", [6, 7, 9, 10, 11]),
        ("events", TOPIC, "$.nothing.there=1", []),
    ],
)
def test_a_path_in_decoded_values(
    case: str, topic: str, json_path: str, offsets: list[int], log_dirs: dict[str, Path]
) -> None:
    rows = found(log_dirs[case], topic, json_path, key="bytes")
    if json_path == "$.colour=":
        assert [row["offset"] for row in rows][:2] == offsets
        assert {row["value"]["colour"] for row in rows} == {""}
    else:
        assert [row["offset"] for row in rows] == offsets
    assert all(row["matchedIn"] == ["value"] for row in rows)


def test_a_pattern_at_a_path_and_without_one(log_dirs: dict[str, Path]) -> None:
    rows = found(log_dirs["events"], TOPIC, "$.after.email", r"acme\.com$")
    assert [row["offset"] for row in rows] == [0]
    matches = library.open(log_dirs["events"]).grep("acme.com", topics=TOPIC).decode_values()
    assert [row["offset"] for row in matches.to_table().to_pylist()] == [0]
    unwrapped = library.open(log_dirs["events"]).grep(json_path="$.first_name=Anne", topics=TOPIC)
    assert [row["op"] for row in unwrapped.decode_values(unwrap="debezium").to_table().to_pylist()] == ["c", "c"]


def test_the_first_matches_and_some_columns(log_dirs: dict[str, Path]) -> None:
    matches = library.open(log_dirs["events"]).grep(json_path="$.op=d", topics=TOPIC).decode_values()
    assert matches.schema.names[-1] == "matchedIn"
    assert [row["offset"] for row in matches.head(2).read_all().to_pylist()] == [4, 7]
    assert matches.select(["offset"]).to_table().to_pydict() == {"offset": [4, 7, 10]}
    assert pickle.loads(pickle.dumps(matches)).to_table() == matches.to_table()
    with pytest.raises(ValueError, match="last 3 rows"):
        matches.tail(3)


def test_values_that_do_not_decode_do_not_match(log_dirs: dict[str, Path]) -> None:
    matches = library.open(log_dirs["damaged"]).grep(json_path="$.city>0", topics="meters.mixed")
    with pytest.raises(DataError, match="offset 1: the value cannot be decoded"):
        matches.decode_values().to_table()
    skipped = matches.decode_values(on_damage="skip")
    skipped.scan = skipped.scan.without_warnings()
    assert set(skipped.to_table()["valueError"].to_pylist()) == {None}


def test_grep_prints_decoded_matches(log_dirs: dict[str, Path], kafkafmt: Call) -> None:  # noqa: F811
    wanted = (
        "grep",
        "--json-path",
        "$.after.email=annek@noanswer.org",
        log_dirs["events"],
        "--topic",
        TOPIC,
        "--value-format",
        "auto",
    )
    answer = kafkafmt(*wanted, "--columns", "offset,matchedIn", "-o", "jsonl")
    assert answer.status == 0, answer.stderr
    assert [json.loads(line)["offset"] for line in answer.lines] == [2, 3, 9]
    assert kafkafmt(*wanted, "--count", "-o", "jsonl").lines == [
        json.dumps({"topic": TOPIC, "partition": 0, "records": 3}, separators=(",", ":"))
    ]
    assert len(kafkafmt(*wanted, "--limit", 1, "-o", "jsonl").lines) == 1
    table = kafkafmt("grep", "Kretchmar", log_dirs["events"], "--topic", TOPIC, "--unwrap", "debezium", "--limit", 1)
    assert table.lines[0].split() == [
        "partition",
        "offset",
        "timestamp",
        "matchedIn",
        "op",
        "key",
        "id",
        "first_name",
        "last_name",
        "email",
    ]
    assert "Kretchmar" in table.lines[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--value-format", "auto", "--last", 3], "--last cannot be combined with --value-format"),
        (["--value-format", "auto", "--everywhere"], "--everywhere searches bytes"),
        (["--value-format", "auto", "--kind", "OffsetCommit"], "--kind"),
        (["--written"], "--schemas and --written go with"),
    ],
)
def test_options_that_do_not_go_together(
    options: list[Any],
    says: str,
    log_dirs: dict[str, Path],
    kafkafmt: Call,  # noqa: F811
) -> None:
    answer = kafkafmt("grep", "x", log_dirs["events"], *options)
    assert answer.status == 2
    assert says in answer.stderr
