"""`kafkafmt producers`, as a user calls it."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest

from kafkafmt.topics.producer_state import COLUMNS, producers
from tests.cli.conftest import Call, on_terminal
from tests.golden_cases import GOLDEN
from tests.logdir.builders import file_name
from tests.topics.producer_logs import COMMIT, ProducerLog, Step, write_snapshot

TRANSACTIONS = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"
MADE = [Step(1, transactional=False), Step(2), Step(2, kind=COMMIT, coordinator_epoch=3)]


def test_a_table(kafkafmt: Call, tmp_path: Path) -> None:
    ProducerLog(MADE[:2]).write(tmp_path / "t-0")
    answer = kafkafmt("producers", tmp_path)
    assert (answer.status, answer.stderr) == (0, "")
    assert [line.split()[:7] for line in answer.lines] == [
        ["topic", "partition", "producerId", "producerEpoch", "lastSequence", "lastOffset", "lastTimestamp"],
        ["t", "0", "1", "0", "0", "0", "1970-01-01T00:00:01.500Z"],
        ["t", "0", "2", "0", "0", "1", "1970-01-01T00:00:01.500Z"],
    ]
    assert answer.lines[0].split()[7:] == ["currentTransactionStartOffset"]
    assert [line.split()[7] for line in answer.lines[1:]] == ["null", "1"]


def test_an_empty_table_says_so(kafkafmt: Call, tmp_path: Path) -> None:
    ProducerLog([]).write(tmp_path / "t-0")
    answer = kafkafmt("producers", tmp_path)
    assert (answer.status, answer.stdout) == (0, b"")
    assert answer.stderr == "kafkafmt: note: no idempotent or transactional producer found\n"
    assert kafkafmt("producers", tmp_path, "-o", "jsonl").stderr == ""
    answer = kafkafmt("producers", tmp_path, "--producer-id", "99", "-o", "jsonl")
    assert (answer.status, answer.stderr) == (3, "kafkafmt: no producer 99. There are: none.\n")


def test_a_table_has_one_head(kafkafmt: Call) -> None:
    heads = [line for line in kafkafmt("producers", TRANSACTIONS).lines if line.startswith("topic")]
    assert len(heads) == 1
    assert heads[0].split()[-2:] == ["currentTransactionStartOffset", "coordinatorEpoch"]


def test_rows_are_those_of_the_function(kafkafmt: Call, tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    assert kafkafmt("producers", TRANSACTIONS, "--out", out).status == 0
    assert pyarrow.parquet.read_table(out).equals(producers(TRANSACTIONS).to_table())
    lines = kafkafmt("producers", TRANSACTIONS, "-o", "jsonl").lines
    assert [list(json.loads(line)) for line in lines] == [COLUMNS.schema.names] * len(
        producers(TRANSACTIONS).to_table()
    )


def test_filters(kafkafmt: Call) -> None:
    arguments = ("--topic", "tx", "--partition", "0", "--producer-id", "5", "--producer-id", "6")
    lines = kafkafmt(
        "producers", TRANSACTIONS, *arguments, "-o", "jsonl", "--columns", "topic,partition,producerId"
    ).lines
    assert [json.loads(line) for line in lines] == [
        {"topic": "tx", "partition": 0, "producerId": 5},
        {"topic": "tx", "partition": 0, "producerId": 6},
    ]
    by_regex = kafkafmt("producers", TRANSACTIONS, "--topic-regex", "tx-oth.*", "-o", "csv", "--columns", "topic")
    assert set(by_regex.lines[1:]) == {"tx-other"}


def test_a_name_that_is_nowhere(kafkafmt: Call) -> None:
    answer = kafkafmt("producers", TRANSACTIONS, "--topic", "tx", "--topic", "orders", "-o", "csv")
    assert answer.status == 3
    assert "no topic orders" in answer.stderr
    assert len(answer.lines) > 1


def test_what_differs_is_a_finding(kafkafmt: Call, tmp_path: Path) -> None:
    log = ProducerLog(MADE)
    entries = [replace(entry, last_sequence=9) for entry in log.states().values()]
    path = write_snapshot(log.write(tmp_path / "t-0"), log.end, entries)
    answer = kafkafmt("producers", tmp_path, "-o", "jsonl")
    assert answer.status == 1
    assert answer.stderr.splitlines() == [
        f"kafkafmt: {path}: producer 1: lastSequence 9 in the snapshot, 0 in the log",
        f"kafkafmt: {path}: producer 2: lastSequence 9 in the snapshot, 0 in the log",
    ]
    assert len(answer.lines) == 2
    assert kafkafmt("producers", tmp_path, "--from", "snapshot").status == 0
    only_log = kafkafmt("producers", tmp_path, "--from", "log", "-o", "jsonl")
    assert [json.loads(line)["lastSequence"] for line in only_log.lines] == [0, 0]


def test_damage(kafkafmt: Call, tmp_path: Path) -> None:
    log = ProducerLog(MADE)
    path = log.write(tmp_path / "t-0") / file_name(0)
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    answer = kafkafmt("producers", tmp_path, "--on-damage", "raise")
    assert (answer.status, answer.stdout) == (1, b"")
    assert answer.stderr.splitlines()[0].startswith(f"kafkafmt: {path}: position ")
    assert "continue past it with --on-damage skip" in answer.stderr
    answer = kafkafmt("producers", tmp_path, "-o", "jsonl")
    assert answer.status == 1
    assert "checksum" in answer.stderr
    assert len(answer.lines) == 2


def test_an_open_end_is_a_note(kafkafmt: Call, tmp_path: Path) -> None:
    path = ProducerLog(MADE).write(tmp_path / "t-0") / file_name(0)
    path.write_bytes(path.read_bytes() + bytes(40))
    answer = kafkafmt("producers", tmp_path)
    assert answer.status == 0
    assert "note:" in answer.stderr
    assert "normal after a kill" in answer.stderr


def test_many_notes_are_counted(kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.cli.messages.MOST_LINES", 1)
    for number in range(3):
        log = ProducerLog(MADE)
        write_snapshot(log.write(tmp_path / f"t-{number}"), 99, [])
    answer = kafkafmt("producers", tmp_path)
    assert answer.status == 1
    assert answer.stderr.splitlines()[-1] == "kafkafmt: and 2 more like this"


def test_replicas(kafkafmt: Call, tmp_path: Path) -> None:
    for name in ("a", "b"):
        ProducerLog(MADE).write(tmp_path / name / "t-0")
    answer = kafkafmt("producers", tmp_path / "a", tmp_path / "b", "-o", "jsonl")
    assert (answer.status, len(answer.lines)) == (0, 2)
    assert "skipped 1 other copy of this partition" in answer.stderr
    assert len(kafkafmt("producers", tmp_path / "a", tmp_path / "b", "--replica", "all", "-o", "jsonl").lines) == 4


def test_as_of(kafkafmt: Call, tmp_path: Path) -> None:
    ProducerLog([Step(each, timestamp=1000 * each) for each in (1, 2, 3)]).write(tmp_path / "t-0")
    for arguments, number in ((("--at-offset", "1"), 1), (("--at-offset", "0:2"), 2), (("--at-time", "2000"), 2)):
        assert len(kafkafmt("producers", tmp_path, *arguments, "-o", "jsonl").lines) == number


@pytest.mark.parametrize(
    "arguments",
    [
        ("--columns", "nothing"),
        ("--from", "memory"),
        ("--at-offset", "1", "--at-time", "2"),
        ("--topic", "a", "--topic-regex", "b"),
    ],
)
def test_wrong_usage(kafkafmt: Call, arguments: tuple[str, ...]) -> None:
    answer = kafkafmt("producers", TRANSACTIONS, *arguments)
    assert (answer.status, answer.stdout) == (2, b"")


def test_no_path(kafkafmt: Call, tmp_path: Path) -> None:
    assert kafkafmt("producers", tmp_path / "nowhere").status == 3


@pytest.mark.slow
def test_on_a_terminal_lines_fit() -> None:
    answer = on_terminal("producers", TRANSACTIONS, columns=80)
    assert answer.status == 0
    rows = [line.rstrip("\r") for line in answer.text.split("\n") if not line.startswith("kafkafmt:")]
    assert all(len(row) <= 80 for row in rows)
