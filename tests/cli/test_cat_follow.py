"""`kafkafmt cat --follow` as a user runs it: rows as they arrive, Ctrl-C, closed pipes, and invalid arguments."""

import csv
import io
import json
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pytest

from tests.cli.conftest import Call, start
from tests.golden_cases import cases
from tests.logdir.builders import batch, file_name
from tests.scanning.growing import Broker

SECONDS = 60
GROUPS = next(case for case in cases() if case.name == "08-consumer-groups-4.3.1").log_dir


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    broker = Broker(tmp_path / "logs")
    broker.write("t-0", 0, batch(0, 2))
    return broker


def line_of(stream: IO[bytes] | None) -> bytes:
    """The next line of a process, which must arrive in time."""
    assert stream is not None
    assert select.select([stream], [], [], SECONDS)[0]
    return stream.readline()


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts processes with unbuffered pipes, and ends those still running."""
    processes: list[subprocess.Popen[bytes]] = []

    def begin(*arguments: object) -> subprocess.Popen[bytes]:
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "bufsize": 0}
        processes.append(start(*arguments, **pipes))
        return processes[-1]

    yield begin
    for process in processes:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.mark.slow
def test_ctrl_c_ends_it_with_status_0(broker: Broker, started: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = started("cat", broker.log_dir, "--follow", "-o", "jsonl", "--columns", "offset")
    assert [json.loads(line_of(process.stdout)) for _ in range(2)] == [{"offset": 0}, {"offset": 1}]
    whole = batch(2)
    broker.write("t-0", 0, whole[:20])
    broker.write("t-0", 0, whole[20:])
    assert json.loads(line_of(process.stdout)) == {"offset": 2}
    process.send_signal(signal.SIGINT)
    assert process.wait(SECONDS) == 0
    assert process.stdout is not None
    assert process.stderr is not None
    assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


@pytest.mark.slow
def test_a_closed_pipe_ends_it_although_nothing_comes(
    broker: Broker, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    process = started("cat", broker.log_dir, "--follow", "--columns", "offset", "-o", "csv", "--no-header")
    assert line_of(process.stdout) == b"0\n"
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait(SECONDS) == 0
    assert process.stderr.read() == b""


@pytest.mark.parametrize("form", ["jsonl", "csv", "table", "arrow"])
def test_every_form_that_streams(form: str, broker: Broker, kafkafmt: Call, steps: Callable[..., None]) -> None:
    steps(lambda: broker.write("t-0", 0, batch(2)), lambda: broker.write("u-0", 0, batch(0)))
    answer = kafkafmt("cat", broker.log_dir, "--follow", "-o", form, "--columns", "topic,offset")
    expected = [("t", 0), ("t", 1), ("t", 2), ("u", 0)]
    assert (answer.status, answer.stderr) == (0, "")
    if form == "arrow":
        found = [tuple(row.values()) for row in pa.ipc.open_stream(answer.stdout).read_all().to_pylist()]
    elif form == "jsonl":
        found = [tuple(json.loads(line).values()) for line in answer.lines]
    else:
        lines = answer.text if form == "csv" else "\n".join(",".join(line.split()) for line in answer.lines)
        found = [(row["topic"], int(row["offset"])) for row in csv.DictReader(io.StringIO(lines))]
    assert found == expected


def test_rows_are_handed_over_after_each_poll(
    broker: Broker, kafkafmt: Call, steps: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "rows.jsonl"
    seen: list[int] = []

    def look() -> None:
        seen.append(len(out.read_bytes().splitlines()))
        broker.write("t-0", 0, batch(2 + len(seen)))

    steps(look, look, look)
    with open(out, "wb") as file:
        stream = io.TextIOWrapper(file, "utf-8")
        monkeypatch.setattr("sys.stdout", stream)
        kafkafmt("cat", broker.log_dir, "--follow", "-o", "jsonl", "--columns", "offset")
        stream.detach()
    assert seen == [2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--last", "1"), [1, 2]),
        (("--last", "0"), [2]),
        (("--limit", "1"), [0]),
        (("--start-offset", "1"), [1, 2]),
        (("--key", "no"), []),
        (("--isolation-level", "read_committed", "--partition", "0", "--topic", "t"), [0, 1, 2]),
    ],
    ids=str,
)
def test_where_it_begins_and_what_it_selects(
    arguments: tuple[str, ...], expected: list[int], broker: Broker, kafkafmt: Call, steps: Callable[..., None]
) -> None:
    steps(lambda: broker.write("t-0", 0, batch(2)))
    answer = kafkafmt("cat", broker.log_dir, "--follow", "-o", "jsonl", "--columns", "offset", *arguments)
    assert (answer.status, answer.stderr) == (0, "")
    assert [json.loads(line)["offset"] for line in answer.lines] == expected


def test_a_topic_that_is_not_there_yet_is_waited_for(
    broker: Broker, kafkafmt: Call, steps: Callable[..., None]
) -> None:
    steps(lambda: broker.write("new-0", 0, batch(0, value=b"first")))
    answer = kafkafmt("cat", broker.log_dir, "--follow", "--topic", "new", "--columns", "value", "--no-header")
    assert (answer.status, answer.text) == (0, "first\n")
    assert answer.stderr == "kafkafmt: note: no topic new. There are: t.\n"


def test_what_was_missed_is_said_and_changes_no_status(
    broker: Broker, kafkafmt: Call, steps: Callable[..., None]
) -> None:
    def delete() -> None:
        broker.write("t-0", 5, batch(5))
        broker.delete("t-0", 0)

    steps(delete)
    answer = kafkafmt("cat", broker.log_dir, "--follow", "-o", "jsonl", "--columns", "offset")
    assert (answer.status, len(answer.lines)) == (0, 3)
    assert answer.stderr == (
        "kafkafmt: note: t-0: offsets 2 to 4 were deleted before they were read; the log now starts at 5\n"
    )


def test_what_is_taken_away_unread_is_said_and_changes_no_status(
    broker: Broker, kafkafmt: Call, steps: Callable[..., None]
) -> None:
    def clean() -> None:
        broker.replace("t-0", 0, batch(0) + batch(4))
        broker.write("t-0", 5, batch(5))

    def delete() -> None:
        broker.write("t-0", 5, batch(6))
        (broker.log_dir / "t-0").rename(broker.log_dir / f"t-0.{'0' * 32}-delete")
        broker.tick(broker.log_dir)

    steps(clean, delete, lambda: None)
    answer = kafkafmt("cat", broker.log_dir, "--follow", "-o", "jsonl", "--columns", "offset")
    assert (answer.status, [json.loads(line)["offset"] for line in answer.lines]) == (0, [0, 1, 4, 5])
    assert answer.stderr == (
        "kafkafmt: note: t-0: offsets 2 to 3 were removed by compaction before they were read\n"
        "kafkafmt: note: t-0: the partition was deleted; it was read up to offset 5, and offset 6 was not\n"
    )


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_damage(on_damage: str, broker: Broker, kafkafmt: Call, steps: Callable[..., None]) -> None:
    wrong = bytearray(batch(2))
    wrong[-2] ^= 1
    steps(lambda: broker.write("t-0", 0, bytes(wrong)), lambda: broker.write("t-0", 0, batch(3)))
    arguments = ("cat", broker.log_dir, "--follow", "-o", "jsonl", "--columns", "offset", "--on-damage", on_damage)
    answer = kafkafmt(*arguments)
    path = broker.log_dir / "t-0" / file_name(0)
    assert f"{path}: position {len(batch(0, 2))}: CRC mismatch" in answer.stderr
    offsets = [json.loads(line)["offset"] for line in answer.lines]
    if on_damage == "raise":
        assert (answer.status, offsets) == (1, [0, 1])
        assert "stopped at the damage; continue past it with --on-damage skip" in answer.stderr
    else:
        # Ctrl-C is not a finding.
        assert (answer.status, offsets) == (0, [0, 1, 3])
        assert "(offset 2, 1 record)" in answer.stderr
        steps()
        assert kafkafmt(*arguments, "--limit", "3").status == 1


@pytest.mark.parametrize("form", ["table", "jsonl"])
def test_kinds_are_decoded_as_they_come(form: str, broker: Broker, kafkafmt: Call, steps: Callable[..., None]) -> None:
    [partition] = [path for path in GROUPS.glob("__consumer_offsets-*") if (path / file_name(0)).stat().st_size][:1]
    content = (partition / file_name(0)).read_bytes()
    steps(lambda: broker.write(partition.name, 0, content))
    arguments = ("--kind", "OffsetCommit", "-o", form)
    answer = kafkafmt("cat", broker.log_dir, "--follow", *arguments)
    whole = kafkafmt("cat", partition, *arguments)
    assert (answer.status, len(answer.lines)) == (0, len(whole.lines))
    assert answer.lines[-1].split() == whole.lines[-1].split() or form == "jsonl"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--output", "parquet"), "--follow cannot be combined with parquet"),
        (("--out", "rows.parquet"), "--follow cannot be combined with parquet"),
        (("--out", "rows.jsonl"), "--follow cannot be combined with --out"),
        (("--end-offset", "5"), "--follow has no end"),
        (("--kind", "OffsetCommit", "--last", "2"), "--last cannot be combined with --kind"),
    ],
    ids=str,
)
def test_what_makes_no_sense(arguments: tuple[str, ...], message: str, broker: Broker, kafkafmt: Call) -> None:
    answer = kafkafmt("cat", broker.log_dir, "--follow", *arguments)
    assert (answer.status, answer.text) == (2, "")
    assert message in answer.stderr


def test_last_0_without_follow_selects_nothing(broker: Broker, kafkafmt: Call) -> None:
    answer = kafkafmt("cat", broker.log_dir, "--last", "0")
    assert answer.status == 2
    assert "--last 0 selects nothing, unless with --follow" in answer.stderr


def test_a_named_pipe_takes_it(broker: Broker, kafkafmt: Call, steps: Callable[..., None]) -> None:
    steps()
    assert kafkafmt("cat", broker.log_dir, "--follow", "--out", "/dev/null").status == 0
