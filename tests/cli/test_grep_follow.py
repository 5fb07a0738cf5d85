"""`kafkafmt grep --follow`: matches as they arrive, and options that do not go with it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.logdir.builders import batch
from tests.scanning.growing import Broker


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    broker = Broker(tmp_path / "logs")
    broker.write("t-0", 0, batch(0, value=b"an Error"), batch(1, value=b"fine"))
    return broker


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("-F", "Error"), [("t", 0), ("t", 3), ("u", 0)]),
        (("-i", "e.ror"), [("t", 0), ("t", 3), ("u", 0)]),
        (("^.{7,8}$",), [("t", 0), ("t", 3)]),
        (("Error", "--last", "0"), [("t", 3), ("u", 0)]),
        (("Error", "--limit", "2"), [("t", 0), ("t", 3)]),
        (("Error", "--limit", "0"), []),
        (("Error", "--topic", "u"), [("u", 0)]),
        (("Error", "--in", "key"), []),
        (("Error", "--isolation-level", "read_committed"), [("t", 0), ("t", 3), ("u", 0)]),
    ],
    ids=str,
)
def test_matches_as_they_come(
    arguments: tuple[str, ...],
    expected: list[tuple[str, int]],
    broker: Broker,
    kafkafmt: Call,
    steps: Callable[..., None],
) -> None:
    steps(
        lambda: broker.write("t-0", 2, batch(2, value=b"fine"), batch(3, value=b"Error 3")),
        lambda: None,
        lambda: broker.write("u-0", 0, batch(0, value=b"the next Error"), batch(1)),
    )
    pattern, *options = (each for each in arguments if each not in ("-F", "-i"))
    flags = [each for each in arguments if each in ("-F", "-i")]
    answer = kafkafmt("grep", *flags, pattern, broker.log_dir, "--follow", "-o", "jsonl", *options)
    assert answer.status == 0
    rows = [json.loads(line) for line in answer.lines]
    assert [(row["topic"], row["offset"]) for row in rows] == expected
    assert all(row["matchedIn"] == ["value"] for row in rows)


def test_a_table_shows_what_is_around_the_match(broker: Broker, kafkafmt: Call, steps: Callable[..., None]) -> None:
    found = batch(2, value=b"-" * 100 + b"Error", header=b"left out")
    steps(lambda: broker.write("t-0", 2, found))
    answer = kafkafmt("grep", "Error", broker.log_dir, "--follow", "--topic", "t", "--last", "0", "--no-header")
    (line,) = answer.lines
    assert line.split()[:2] == ["0", "2"]
    assert line.endswith("…" + "-" * 24 + "Error")
    assert "left out" not in line


def test_damage_ends_it_or_is_passed_over(broker: Broker, kafkafmt: Call, steps: Callable[..., None]) -> None:
    wrong = bytearray(batch(2, value=b"Error"))
    wrong[-2] ^= 1
    arguments = ("grep", "Error", broker.log_dir, "--follow", "-o", "jsonl", "--columns", "offset")
    steps()
    broker.write("t-0", 2, bytes(wrong), batch(3, value=b"Error"))
    ended = kafkafmt(*arguments)
    assert (ended.status, [json.loads(line)["offset"] for line in ended.lines]) == (1, [0])
    assert "CRC mismatch" in ended.stderr
    steps()
    skipped = kafkafmt(*arguments, "--on-damage", "skip", "--limit", "2")
    assert (skipped.status, [json.loads(line)["offset"] for line in skipped.lines]) == (1, [0, 3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--follow", "--count"), "--follow cannot be combined with --count."),
        (("--follow", "--compacted"), "--follow cannot be combined with --compacted."),
        (("--follow", "--everywhere"), "--everywhere reads everything: leave out --follow."),
        (("--follow", "--last", "2"), "--follow begins with all matches, or at the end with --last 0"),
        (("--follow", "--output", "parquet"), "--follow cannot be combined with parquet"),
        (("--follow", "--out", "rows.jsonl"), "--follow cannot be combined with --out"),
        (("--follow", "--end-offset", "5"), "--follow has no end"),
        (("--last", "0"), "--last 0 selects nothing, unless with --follow."),
    ],
    ids=str,
)
def test_what_makes_no_sense(arguments: tuple[str, ...], message: str, broker: Broker, kafkafmt: Call) -> None:
    answer = kafkafmt("grep", "Error", broker.log_dir, *arguments)
    assert (answer.status, answer.text) == (2, "")
    assert message in answer.stderr
