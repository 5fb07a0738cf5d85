"""`kafkafmt cat --state`: runs that give what is new since the one before, and say what they missed."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Answer, Call
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch, checkpoint, segment

DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged"
TRANSACTIONS = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"
FIRST_ID, SECOND_ID = "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    segment(disk / "t-0", 0)
    segment(disk / "t-1", 0, batch(0, 3))
    return disk


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "t.state"


def read(kafkafmt: Call, disk: Path, state: Path, *options: object) -> Answer:
    return kafkafmt("cat", disk, "--state", state, "--columns", "topic,partition,offset", "-o", "csv", *options)


def rows(answer: Answer) -> list[str]:
    return answer.lines[1:]


def kept(state: Path) -> Any:
    return json.loads(state.read_text())["offsets"]


def set_topic_id(partition: Path, topic_id: str) -> None:
    (partition / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")


def test_each_run_gives_what_is_new(kafkafmt: Call, disk: Path, state: Path) -> None:
    set_topic_id(disk / "t-0", FIRST_ID)
    answer = read(kafkafmt, disk, state)
    assert (answer.status, len(rows(answer)), answer.stderr) == (0, 13, "")
    assert json.loads(state.read_text()) == {
        "version": 1,
        "offsets": {"t": {"0": 10, "1": 3}},
        "topicIds": {"t": FIRST_ID},
    }
    answer = read(kafkafmt, disk, state)
    assert (answer.status, rows(answer), answer.stderr) == (0, [], "")
    segment(disk / "t-0", 10, batch(10, 2), batch(12)[:-2])  # the last batch is being written
    segment(disk / "u-0", 5, batch(5))
    answer = read(kafkafmt, disk, state)
    assert rows(answer) == ["t,0,10", "t,0,11", "u,0,5"]
    segment(disk / "t-0", 10, batch(10, 2), batch(12))
    segment(disk / "t-0", 13, batch(13))
    (disk / "t-0" / f"{0:020d}.log").unlink()  # what it held was read
    answer = read(kafkafmt, disk, state)
    assert (rows(answer), answer.stderr) == (["t,0,12", "t,0,13"], "")
    assert kept(state) == {"t": {"0": 14, "1": 3}, "u": {"0": 6}}


def test_what_was_deleted_in_between_is_said(kafkafmt: Call, disk: Path, state: Path) -> None:
    read(kafkafmt, disk, state)
    for name in disk.glob("t-0/*.log"):
        name.unlink()
    segment(disk / "t-0", 25, batch(25, 2))
    answer = read(kafkafmt, disk, state)
    assert rows(answer) == ["t,0,25", "t,0,26"]
    assert answer.stderr == "kafkafmt: note: t-0: offsets 10 to 24 were deleted since the last run, and never read\n"
    checkpoint(disk, "log-start-offset-checkpoint", {("t", 1): 5})
    segment(disk / "t-1", 0, batch(0, 8))
    answer = read(kafkafmt, disk, state)
    assert (rows(answer), answer.status) == (["t,1,5", "t,1,6", "t,1,7"], 0)
    assert "t-1: offsets 3 to 4 were deleted since the last run" in answer.stderr


def test_a_recreated_topic_is_read_from_its_start(kafkafmt: Call, disk: Path, state: Path) -> None:
    for number in (0, 1):
        set_topic_id(disk / f"t-{number}", FIRST_ID)
    read(kafkafmt, disk, state)
    for number in (0, 1):
        set_topic_id(disk / f"t-{number}", SECOND_ID)
    answer = read(kafkafmt, disk, state, "--partition", "0")
    assert len(rows(answer)) == 10
    recreated = f"t-0: the topic was recreated (its id was {FIRST_ID}, and is {SECOND_ID}): read from its start"
    assert answer.stderr == f"kafkafmt: note: {recreated}\n"
    # The offset of the other partition was one of the topic that is gone.
    assert kept(state) == {"t": {"0": 10}}
    assert len(rows(read(kafkafmt, disk, state))) == 3


@pytest.mark.parametrize(("has_id", "offsets"), [(True, []), (False, [0, 1, 2, 3])])
def test_a_log_that_ends_below_the_state(
    kafkafmt: Call, disk: Path, state: Path, offsets: list[int], *, has_id: bool
) -> None:
    if has_id:
        set_topic_id(disk / "t-0", FIRST_ID)
    read(kafkafmt, disk, state)
    segment(disk / "t-0", 0, batch(0, 4))
    answer = read(kafkafmt, disk, state)
    assert rows(answer) == [f"t,0,{offset}" for offset in offsets]
    assert answer.stderr.startswith("kafkafmt: note: t-0: the log " + ("was cut: it ends" if has_id else "ends"))
    assert "offset 4, below the next offset 10 of the last run" in answer.stderr
    assert kept(state)["t"]["0"] == 4


def test_partitions_that_are_gone_or_not_read_keep_their_offsets(kafkafmt: Call, disk: Path, state: Path) -> None:
    read(kafkafmt, disk, state)
    shutil.rmtree(disk / "t-1")
    segment(disk / "t-0", 10, batch(10))
    answer = read(kafkafmt, disk, state)
    assert answer.stderr == "kafkafmt: note: t-1: read before, and not there now\n"
    assert kept(state) == {"t": {"0": 11, "1": 3}}
    assert read(kafkafmt, disk, state, "--partition", "0").stderr == ""


def test_the_state_is_written_when_all_is_delivered(kafkafmt: Call, tmp_path: Path, state: Path) -> None:
    answer = kafkafmt("cat", DAMAGED / "crash-flip-record-0", "--state", state, "--out", tmp_path / "a.csv")
    assert answer.status == 1
    assert answer.stderr.endswith(f"kafkafmt: {state} stays as it was: the next run begins where this one did\n")
    assert not [*tmp_path.iterdir()]
    skipping = ["--on-damage", "skip", "--out"]
    answer = kafkafmt("cat", DAMAGED / "crash-flip-record-0", "--state", state, *skipping, tmp_path / "a.csv")
    assert answer.status == 1
    assert kept(state) == {"crash-flip-record": {"0": 69}}
    before = state.read_bytes()
    answer = kafkafmt("cat", DAMAGED, "--state", state, *skipping, tmp_path / "nowhere" / "a.csv")
    assert (answer.status, state.read_bytes()) == (2, before)


def test_a_partition_that_cannot_be_read_leaves_the_state(
    kafkafmt: Call, disk: Path, state: Path, tmp_path: Path
) -> None:
    (disk / "t-1" / f"{3:020d}.log").symlink_to(tmp_path / "nowhere")
    answer = read(kafkafmt, disk, state)
    assert answer.status == 1
    assert not state.exists()


def test_it_goes_with_other_outputs_and_filters(kafkafmt: Call, disk: Path, state: Path, tmp_path: Path) -> None:
    answer = kafkafmt("cat", disk, "--state", state, "--partition-by", "topic", "--out", tmp_path / "lake")
    assert answer.status == 0
    assert (tmp_path / "lake" / "topic=t" / "part-0.parquet").exists()
    assert kept(state) == {"t": {"0": 10, "1": 3}}
    segment(disk / "t-0", 10, batch(10, key=b"a"), batch(11, key=b"b"))
    assert rows(read(kafkafmt, disk, state, "--key", "b")) == ["t,0,11"]
    assert kept(state)["t"]["0"] == 12


def test_committed_records_are_given_once(kafkafmt: Call, state: Path) -> None:
    wanted = ["--topic", "tx", "--state", state, "-o", "jsonl"]
    assert len(kafkafmt("cat", TRANSACTIONS, *wanted).lines) > 100
    # What is uncommitted was given already: nothing is read twice for it, and the state does not go back.
    before = state.read_bytes()
    assert kafkafmt("cat", TRANSACTIONS, *wanted, "--isolation-level", "read_committed").lines == []
    assert state.read_bytes() == before


def test_decoded_records_too(kafkafmt: Call, state: Path) -> None:
    arguments = ["cat", TRANSACTIONS, "--kind", "TransactionLog", "--state", state, "-o", "jsonl"]
    assert kafkafmt(*arguments).lines
    assert kept(state).keys() == {"__transaction_state"}
    again = kafkafmt(*arguments)
    assert (again.lines, again.status, again.stderr) == ([], 0, "")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "it is not JSON"),
        ("[]", "is not a state"),
        ('{"version": 2, "offsets": {}, "topicIds": {}}', "is not a state"),
        ('{"version": 1, "offsets": {"t": {"0": -1}}, "topicIds": {}}', "is not a state"),
        ('{"version": 1, "offsets": {"t": {"x": 1}}, "topicIds": {}}', "is not a state"),
        ('{"version": 1, "offsets": {"t": 5}, "topicIds": {}}', "is not a state"),
    ],
)
def test_what_is_no_state_is_refused(kafkafmt: Call, disk: Path, state: Path, content: str, said: str) -> None:
    state.write_text(content)
    answer = read(kafkafmt, disk, state)
    assert answer.status == 2
    assert said in answer.stderr
    assert state.read_text() == content


@pytest.mark.parametrize("options", [["--limit", "1"], ["--last", "1"], ["--start-offset", "1"], ["--replica", "all"]])
def test_options_that_do_not_go_with_it(kafkafmt: Call, disk: Path, state: Path, options: list[str]) -> None:
    answer = read(kafkafmt, disk, state, *options)
    assert answer.status == 2
    assert f"leave out {options[0]}" in answer.stderr


def test_it_is_not_written_among_kafkas_files(kafkafmt: Call, disk: Path) -> None:
    answer = read(kafkafmt, disk, disk / "t-0" / "t.state")
    assert (answer.status, answer.lines) == (2, [])
    assert "'--state': refusing to write" in answer.stderr
