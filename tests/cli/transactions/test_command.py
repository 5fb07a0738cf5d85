"""`kafkafmt transactions`, as a user calls it."""

import json
from pathlib import Path

import pyarrow.parquet
import pytest

from kafkafmt.cli.transactions import duration
from kafkafmt.topics.transaction_state import DATA_COLUMNS, ID_COLUMNS, transactions
from tests.cli.conftest import Call, on_terminal
from tests.golden_cases import GOLDEN
from tests.logdir.builders import file_name
from tests.topics.producer_logs import COMMIT, ProducerLog, Step, write_snapshot
from tests.topics.transaction_state.coordinator_logs import Told, write_state

HANGING = GOLDEN / "modern" / "04-transactions-3.9.1" / "log-dir"
SOUND = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"


def test_a_table_of_transactional_ids(kafkafmt: Call) -> None:
    answer = kafkafmt("transactions", SOUND)
    assert (answer.status, answer.stderr) == (
        0,
        (
            "kafkafmt: note: these are the coordinator's transactional ids;"
            " --open and --hanging show transactions in the data\n"
        ),
    )
    assert sorted(answer.lines[0].split()) == sorted(ID_COLUMNS.schema.names[:7])
    assert [line.split()[:2] for line in answer.lines[1:]] == [
        ["id-a", "CompleteAbort"],
        ["id-b", "CompleteAbort"],
        ["id-c", "CompleteCommit"],
        ["id-long", "CompleteAbort"],
        ["id-open", "Ongoing"],
        ["id-open2", "Ongoing"],
        ["id-zombie", "CompleteCommit"],
    ]
    assert "tx-0, tx-other-0" in answer.lines[6]


def test_rows_are_those_of_the_function(kafkafmt: Call, tmp_path: Path) -> None:
    for arguments, table in (
        ((), transactions(SOUND).to_table()),
        (("--data",), transactions(SOUND, data="all").data_table()),
    ):
        out = tmp_path / "rows.parquet"
        assert kafkafmt("transactions", SOUND, *arguments, "--out", out).status == 0
        assert pyarrow.parquet.read_table(out).equals(table)


def test_hanging_ones(kafkafmt: Call) -> None:
    answer = kafkafmt("transactions", HANGING, "--hanging")
    assert answer.status == 1
    assert [line.split()[:3] for line in answer.lines[1:]] == [["hanging", "hanging", "0"]]
    assert answer.stderr.splitlines() == [
        (
            "kafkafmt: hanging-0: the transaction of producer 77777 hangs, from offset 2 on (1 record):"
            " the coordinator has no transactional id for this producer"
        ),
        "kafkafmt: note: to abort it, on brokers from 3.0 on:",
        (
            "  kafka-transactions.sh --bootstrap-server localhost:9092 abort"
            " --topic hanging --partition 0 --start-offset 2"
        ),
        "kafkafmt: note: to abort it, on older brokers:",
        (
            "  kafka-transactions.sh --bootstrap-server localhost:9092 abort"
            " --topic hanging --partition 0 --producer-id 77777 --producer-epoch 4 --coordinator-epoch 0"
        ),
    ]
    rows = kafkafmt("transactions", HANGING, "--hanging", "--bootstrap-server", "b:1", "-o", "jsonl").lines
    assert [json.loads(row)["abortCommand"] for row in rows] == [
        "kafka-transactions.sh --bootstrap-server b:1 abort --topic hanging --partition 0 --start-offset 2"
    ]
    assert list(json.loads(rows[0])) == DATA_COLUMNS.schema.names


def test_nothing_hangs(kafkafmt: Call) -> None:
    answer = kafkafmt("transactions", SOUND, "--hanging", "-o", "jsonl")
    assert (answer.status, answer.stdout, answer.stderr) == (0, b"", "")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--hanging",), "no hanging transaction found: --open shows those that their coordinators will end"),
        (("--open", "--producer-id", "99"), "no open transaction found"),
        (("--data", "--producer-id", "99", "--topic", "tx"), "no transaction found"),
    ],
)
def test_an_empty_table_says_so(kafkafmt: Call, arguments: tuple[str, ...], text: str) -> None:
    answer = kafkafmt("transactions", SOUND, *arguments)
    assert (answer.status, answer.stdout) == (0, b"")
    assert answer.stderr.splitlines()[0] == f"kafkafmt: note: {text}"
    assert kafkafmt("transactions", SOUND, *arguments, "-o", "csv").lines[0].count(",") > 5


def test_one_that_began_long_before_its_last_trace(kafkafmt: Call, tmp_path: Path) -> None:
    state = ProducerLog([Step(1)], begin=3).states()[1]
    ProducerLog([Step(9, kind=COMMIT, timestamp=61_500)], begin=9).write(tmp_path / "t-0")
    write_snapshot(tmp_path / "t-0", 9, [state])
    write_state(tmp_path, Told("id", 7))
    assert "open for at least 1 min at the end of the logs" in kafkafmt("transactions", tmp_path, "--hanging").stderr


def test_open_and_all(kafkafmt: Call) -> None:
    states = [json.loads(line)["state"] for line in kafkafmt("transactions", HANGING, "--open", "-o", "jsonl").lines]
    assert states == ["hanging", "open", "open", "open"]
    states = [json.loads(line)["state"] for line in kafkafmt("transactions", HANGING, "--data", "-o", "jsonl").lines]
    assert states[:4] == ["hanging", "open", "open", "open"]
    assert set(states[4:]) == {"committed", "aborted"}


def test_tables_are_those_of_the_answer(kafkafmt: Call) -> None:
    assert kafkafmt("transactions", SOUND).stdout == kafkafmt("transactions", SOUND, "--show", "ids").stdout
    for rows in (("--data",), ("--show", "data", "--data")):
        assert kafkafmt("transactions", SOUND, *rows).stdout == kafkafmt("transactions", SOUND, "--show", "data").stdout
    assert kafkafmt("transactions", SOUND, "--show", "data", "--open").lines


def test_many_hanging_ones_are_counted(kafkafmt: Call, tmp_path: Path) -> None:
    ProducerLog([Step(each) for each in range(23)]).write(tmp_path / "t-0")
    write_state(tmp_path, Told("id", 99))
    answer = kafkafmt("transactions", tmp_path, "--hanging", "-o", "jsonl")
    assert len(answer.lines) == 23
    assert answer.stderr.splitlines()[-1].startswith("kafkafmt: and 3 more hang: ")


def test_one_whose_records_are_gone(kafkafmt: Call, tmp_path: Path) -> None:
    state = ProducerLog([Step(1)], begin=3).states()[1]
    ProducerLog([], begin=9).write(tmp_path / "t-0")
    write_snapshot(tmp_path / "t-0", 9, [state])
    write_state(tmp_path, Told("id", 1, state=4, partitions={}))
    answer = kafkafmt("transactions", tmp_path, "--hanging")
    assert answer.status == 1
    assert "the transaction of producer 1 of id hangs, from offset 3 on (its records are gone)" in answer.stderr


def test_one_in_a_directory_without_a_name(kafkafmt: Call, tmp_path: Path) -> None:
    ProducerLog([Step(1)]).write(tmp_path / "nameless")
    write_state(tmp_path, Told("id", 9))
    answer = kafkafmt("transactions", tmp_path, "--hanging")
    assert f"{tmp_path}/nameless/{file_name(0)}: the transaction of producer 1 hangs" in answer.stderr
    assert "to abort it" not in answer.stderr


def test_without_the_coordinator(kafkafmt: Call, tmp_path: Path) -> None:
    ProducerLog([Step(1), Step(9, kind=COMMIT, timestamp=120_000)]).write(tmp_path / "t-0")
    answer = kafkafmt("transactions", tmp_path)
    assert answer.status == 3
    assert "no partition of __transaction_state here" in answer.stderr
    answer = kafkafmt("transactions", tmp_path, "--hanging")
    assert answer.status == 0
    assert "note: no partition of __transaction_state here" in answer.stderr
    answer = kafkafmt("transactions", tmp_path, "--hanging", "--max-transaction-timeout", "1")
    assert answer.status == 1
    assert "open for 1.98 min at the end of the logs" in answer.stderr


def test_filters(kafkafmt: Call) -> None:
    one = kafkafmt("transactions", SOUND, "--transactional-id", "id-open2", "-o", "jsonl")
    assert [json.loads(line)["producerId"] for line in one.lines] == [6]
    rows = kafkafmt(
        "transactions", SOUND, "--open", "--transactional-id", "id-open2", "--topic", "tx", "-o", "jsonl"
    ).lines
    assert [json.loads(line)["firstOffset"] for line in rows] == [189]
    rows = kafkafmt("transactions", SOUND, "--open", "--producer-id", "5", "-o", "jsonl").lines
    assert [json.loads(line)["firstOffset"] for line in rows] == [176]


def test_a_name_that_other_filters_leave_out_is_not_missed(kafkafmt: Call) -> None:
    for arguments in (("--topic", "tx-other"), ("--data", "--topic", "tx-other")):
        assert kafkafmt("transactions", SOUND, "--transactional-id", "id-a", *arguments).status == 0


def test_names_that_are_nowhere(kafkafmt: Call) -> None:
    answer = kafkafmt(
        "transactions", SOUND, "--transactional-id", "nobody", "--transactional-id", "id-a", "-o", "jsonl"
    )
    assert (answer.status, len(answer.lines)) == (3, 1)
    assert answer.stderr.startswith("kafkafmt: no transactional id nobody. There are: id-a, id-b, ")
    answer = kafkafmt("transactions", SOUND, "--data", "--topic", "nothing")
    assert answer.status == 3
    assert "no topic nothing" in answer.stderr
    for unknown in (("--topic", "nothing"), ("--partition", "99"), ("--producer-id", "99")):
        answer = kafkafmt("transactions", SOUND, *unknown)
        assert (answer.status, "There are: " in answer.stderr) == (3, True)


def test_as_of(kafkafmt: Call, tmp_path: Path) -> None:
    write_state(tmp_path, Told("a", update=1000), Told("b", update=2000))
    for arguments, number in ((("--at-offset", "1"), 1), (("--at-time", "1500"), 1), ((), 2)):
        assert len(kafkafmt("transactions", tmp_path, *arguments, "-o", "jsonl").lines) == number


def test_damage(kafkafmt: Call, tmp_path: Path) -> None:
    path = write_state(tmp_path, Told("a"), Told("b")) / file_name(0)
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    answer = kafkafmt("transactions", tmp_path, "--on-damage", "raise")
    assert (answer.status, answer.stdout) == (1, b"")
    assert answer.stderr.startswith(f"kafkafmt: {path}: position ")
    answer = kafkafmt("transactions", tmp_path, "-o", "jsonl")
    assert (answer.status, len(answer.lines)) == (1, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--columns", "lag"),
        ("--show", "ids", "--open"),
        ("--open", "--hanging"),
        ("--show", "ids", "--history"),
        ("--show", "open"),
        ("--data", "--at-offset", "1"),
        ("--at-time", "1", "--at-offset", "1"),
        ("--max-transaction-timeout", "-1"),
        ("--topic", "a", "--topic-regex", "b"),
    ],
)
def test_wrong_usage(kafkafmt: Call, arguments: tuple[str, ...]) -> None:
    answer = kafkafmt("transactions", SOUND, *arguments)
    assert (answer.status, answer.stdout) == (2, b"")


def test_a_name_with_control_characters_is_escaped(kafkafmt: Call, tmp_path: Path) -> None:
    ProducerLog([Step(1)]).write(tmp_path / "t-0")
    write_state(tmp_path, Told("\x1b[31mred", 1, state=4, partitions={}))
    for arguments in ((), ("--hanging",)):
        answer = kafkafmt("transactions", tmp_path, *arguments)
        assert "\x1b" not in answer.text + answer.stderr
        assert "\\x1b[31mred" in answer.text + answer.stderr


@pytest.mark.slow
def test_on_a_terminal_lines_fit() -> None:
    for arguments in ((), ("--data",)):
        answer = on_terminal("transactions", SOUND, *arguments, columns=80)
        assert answer.status == 0
        rows = [line.rstrip("\r") for line in answer.text.split("\n") if not line.startswith("kafkafmt:")]
        assert all(len(row) <= 80 for row in rows)


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(0, "0 ms"), (999, "999 ms"), (1500, "1.5 s"), (90_000, "1.5 min"), (7_200_000, "2 h"), (864_000_000, "10 d")],
)
def test_durations(milliseconds: int, text: str) -> None:
    assert duration(milliseconds) == text


PLACE = ("--topic", "tx", "--partition", "0")


@pytest.mark.parametrize("view", [("--data", *PLACE), ("--data", "--at-time", "2100-01-01"), ("--open",)])
def test_a_producer_without_a_transaction_is_noted(kafkafmt: Call, view: tuple[str, ...]) -> None:
    """Its transaction may be in other partitions, later, or before the snapshot from which --open starts."""
    answer = kafkafmt("transactions", SOUND, *view, "--producer-id", "5", "--producer-id", "987", "-o", "jsonl")
    known = {json.loads(line)["producerId"] for line in answer.lines}
    absent = ", ".join(str(number) for number in (5, 987) if number not in known)
    assert (answer.status, answer.stderr) == (0, f"kafkafmt: note: no transaction of producer {absent} found\n")


@pytest.mark.parametrize("view", ["--data", "--history"])
def test_a_producer_that_does_not_exist(kafkafmt: Call, view: str) -> None:
    known = kafkafmt("transactions", SOUND, view, "--producer-id", "5", "-o", "jsonl")
    answer = kafkafmt("transactions", SOUND, view, "--producer-id", "5", "--producer-id", "987", "-o", "jsonl")
    assert (answer.status, answer.stdout) == (3, known.stdout)
    assert answer.stderr.startswith("kafkafmt: no producer 987. There are: 0, 1, 2, ")


@pytest.mark.parametrize("view", ["--open", "--hanging"])
def test_a_producer_that_no_log_without_snapshots_has(kafkafmt: Call, tmp_path: Path, view: str) -> None:
    ProducerLog([Step(1), Step(2)]).write(tmp_path / "t-0")
    answer = kafkafmt("transactions", tmp_path, view, "--producer-id", "7")
    assert answer.status == 3
    assert "kafkafmt: no producer 7. There are: 1, 2." in answer.stderr


def test_a_producer_of_a_damaged_log_may_exist(kafkafmt: Call, tmp_path: Path) -> None:
    path = ProducerLog([Step(1), Step(2), Step(3)]).write(tmp_path / "t-0") / file_name(0)
    content = bytearray(path.read_bytes())
    content[8] ^= 0x40  # the length of the first batch
    path.write_bytes(content)
    answer = kafkafmt("transactions", tmp_path, "--data", "--producer-id", "7")
    assert (answer.status, "no producer 7" in answer.stderr) == (1, False)
