"""`kafkafmt cat --state`: runs that give records new since the previous run, and report what they missed."""

import errno
import fcntl
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from kafkafmt import Offsets, scan
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
    (disk / "t-0" / f"{0:020d}.log").unlink()  # its records were read
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
    # The offset of the other partition belonged to the deleted topic.
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
    assert answer.stderr == "kafkafmt: note: t-1: read before, and missing now\n"
    assert kept(state) == {"t": {"0": 11, "1": 3}}
    assert read(kafkafmt, disk, state, "--partition", "0").stderr == ""


def test_the_state_is_written_when_all_is_delivered(kafkafmt: Call, tmp_path: Path, state: Path) -> None:
    answer = kafkafmt("cat", DAMAGED / "crash-flip-record-0", "--state", state, "--out", tmp_path / "a.csv")
    assert answer.status == 1
    assert answer.stderr.endswith(f"kafkafmt: {state} not updated: the next run starts from the same place\n")
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


LAKE = ("--partition-by", "topic,day", "--out")


def in_lake(lake: Path) -> list[tuple[str, int, int]]:
    table = ds.dataset(lake, format="parquet", partitioning="hive").to_table(columns=["topic", "partition", "offset"])
    return sorted((row["topic"], row["partition"], row["offset"]) for row in table.to_pylist())


def files(lake: Path) -> list[str]:
    return sorted(str(path.relative_to(lake)) for path in lake.rglob("*.parquet"))


def test_a_directory_gets_the_files_of_each_run(kafkafmt: Call, disk: Path, state: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    command = ("cat", disk, "--state", state, *LAKE, lake)
    assert kafkafmt(*command).status == 0
    segment(disk / "t-0", 10, batch(10, 2))
    segment(disk / "u-0", 0, batch(0))
    answer = kafkafmt(*command, "--max-file-bytes", "1MiB")
    assert (answer.status, answer.stderr) == (0, "")
    expected = [*(("t", 0, offset) for offset in range(12)), *(("t", 1, offset) for offset in range(3)), ("u", 0, 0)]
    assert in_lake(lake) == expected
    [day] = {path.name for path in lake.glob("topic=t/*")}
    assert files(lake) == [
        f"topic=t/{day}/part-0.parquet",
        f"topic=t/{day}/part-2-0.parquet",
        f"topic=u/{day}/part-2-0.parquet",
    ]
    record = json.loads((lake / "_kafkafmt" / "00000002.json").read_text())
    assert record["files"] == [
        {"path": f"topic=t/{day}/part-2-0.parquet", "rows": 2},
        {"path": f"topic=u/{day}/part-2-0.parquet", "rows": 1},
    ]
    assert record["offsets"] == kept(state) == {"t": {"0": 12, "1": 3}, "u": {"0": 1}}
    assert kafkafmt(*command).status == 0  # nothing is new
    assert in_lake(lake) == expected
    # A run was killed before it wrote the state: the directory shows that.
    state.unlink()
    answer = kafkafmt(*command)
    assert (
        answer.stderr
        == f"kafkafmt: note: {lake} has records that {state} does not count as read: they are not read again\n"
    )
    assert (in_lake(lake), kept(state)) == (expected, {"t": {"0": 12, "1": 3}, "u": {"0": 1}})


def test_a_directory_after_a_topic_was_recreated(kafkafmt: Call, disk: Path, state: Path, tmp_path: Path) -> None:
    command = ("cat", disk, "--topic", "t", "--partition", "1", "--state", state, *LAKE, tmp_path / "lake")
    set_topic_id(disk / "t-1", FIRST_ID)
    kafkafmt(*command)
    set_topic_id(disk / "t-1", SECOND_ID)
    assert "the topic was recreated" in kafkafmt(*command).stderr
    assert in_lake(tmp_path / "lake") == [("t", 1, offset) for offset in (0, 0, 1, 1, 2, 2)]
    assert kafkafmt(*command).stderr == ""
    assert len(in_lake(tmp_path / "lake")) == 6


def test_directories_that_are_not_appended_to(kafkafmt: Call, disk: Path, state: Path, tmp_path: Path) -> None:
    lake, foreign = tmp_path / "lake", tmp_path / "foreign"
    foreign.mkdir()
    answer = kafkafmt("cat", disk, "--state", state, *LAKE, foreign)
    assert (answer.status, state.exists()) == (3, False)
    assert "was not written by --partition-by with --state; nothing is added" in answer.stderr
    assert kafkafmt("cat", disk, "--state", state, *LAKE, lake).status == 0
    before = files(lake)
    answer = kafkafmt("cat", disk, *LAKE, lake)
    assert (answer.status, "give that --state FILE to append" in answer.stderr) == (3, True)
    answer = kafkafmt("cat", disk, "--state", state, "--partition-by", "topic", "--out", lake)
    assert (answer.status, "partitioned differently (expected topic,day, found topic)" in answer.stderr) == (3, True)
    answer = kafkafmt("cat", disk, "--state", state, *LAKE, lake, "--columns", "offset")
    assert (answer.status, "other columns" in answer.stderr) == (3, True)
    answer = kafkafmt("cat", disk, "--out", lake, "-o", "csv")
    assert (answer.status, "is a directory" in answer.stderr) == (2, True)
    (lake / "_kafkafmt" / "00000002.json").write_text("{")
    answer = kafkafmt("cat", disk, "--state", state, *LAKE, lake)
    assert (answer.status, "00000002.json: is not the record of a run" in answer.stderr) == (3, True)
    assert files(lake) == before
    (lake / "_kafkafmt" / "00000002.json").unlink()
    file = os.open(lake / "_kafkafmt", os.O_RDONLY)
    fcntl.flock(file, fcntl.LOCK_EX)
    answer = kafkafmt("cat", disk, "--state", state, *LAKE, lake)
    assert (answer.status, "another run is writing to it" in answer.stderr) == (3, True)
    os.close(file)
    assert kafkafmt("cat", disk, "--state", state, *LAKE, lake).status == 0


def test_only_a_file_system_without_locks_is_written_to_without_one(
    kafkafmt: Call, disk: Path, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    command = ("cat", disk, "--state", state, *LAKE, lake)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    with monkeypatch.context() as patched:
        patched.setattr("fcntl.flock", refuse)
        assert kafkafmt(*command).status == 0
    segment(disk / "t-0", 100, batch(100))
    before, opened = files(lake), os.open

    def fail(path: Any, *arguments: Any) -> int:
        if Path(path) == lake / "_kafkafmt":
            raise OSError(errno.EMFILE, "Too many open files")
        return opened(path, *arguments)

    monkeypatch.setattr("kafkafmt.loading.appended.os.open", fail)
    answer = kafkafmt(*command)
    assert (answer.status, f"{lake}: cannot be written: Too many open files" in answer.stderr) == (3, True)
    assert files(lake) == before


def test_nothing_is_added_of_a_source_that_is_damaged_or_not_there(
    kafkafmt: Call, disk: Path, state: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    command = ("cat", disk, "--state", state, *LAKE, lake)
    link = disk / "t-1" / f"{3:020d}.log"
    link.symlink_to(tmp_path / "nowhere")
    answer = kafkafmt(*command)
    assert (answer.status, lake.exists(), state.exists()) == (1, False, False)
    assert f"nothing was added to {lake}" in answer.stderr
    link.unlink()
    assert kafkafmt(*command).status == 0
    before = files(lake)
    segment(disk / "t-0", 10, batch(10)[:-1] + b"!")
    segment(disk / "t-0", 11, batch(11))
    assert kafkafmt(*command).status == 1
    assert (files(lake), kept(state)["t"]["0"]) == (before, 10)
    assert [path.name for path in (lake / "_kafkafmt").iterdir()] == ["00000001.json"]
    assert kafkafmt(*command, "--on-damage", "skip").status == 1
    assert in_lake(lake)[10:11] == [("t", 0, 11)]
    assert kept(state)["t"]["0"] == 12


@pytest.mark.parametrize("form", [[], [*LAKE, "lake"]])
def test_a_directory_that_cannot_be_read_matters_if_it_may_hold_wanted_records(
    form: list[str], kafkafmt: Call, disk: Path, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (disk / "u-0").symlink_to("/nowhere/at/all")
    answer = kafkafmt("cat", disk, "--state", state, *form)
    assert (answer.status, state.exists()) == (1, False)
    answer = kafkafmt("cat", disk, "--topic", "t", "--state", state, *form)
    assert answer.stderr == f"kafkafmt: {disk / 'u-0'}: the directory cannot be read: No such file or directory\n"
    assert (answer.status, kept(state)) == (1, {"t": {"0": 10, "1": 3}})
    (disk / "t-2").symlink_to("/nowhere/at/all")
    segment(disk / "t-0", 10, batch(10))
    assert kafkafmt("cat", disk, "--topic", "t", "--state", state, *form).status == 1
    assert kept(state)["t"]["0"] == 10


def test_two_phases(kafkafmt: Call, disk: Path, state: Path) -> None:
    following = Path(f"{state}.next")
    for _ in range(2):  # the loader fails
        answer = read(kafkafmt, disk, state, "--commit")
        assert (answer.status, len(rows(answer))) == (0, 13)
        assert (state.exists(), following.exists()) == (False, True)
    assert answer.stderr == f"kafkafmt: note: {following} was never committed: its rows are read again, from {state}\n"
    state.touch(0o640)
    state.write_text('{"version": 1, "offsets": {}, "topicIds": {}}')
    answer = kafkafmt("state", "commit", state)
    assert (answer.status, answer.text, answer.stderr) == (0, "", "")
    assert (kept(state), following.exists(), state.stat().st_mode & 0o777) == ({"t": {"0": 10, "1": 3}}, False, 0o640)
    assert rows(read(kafkafmt, disk, state, "--commit")) == []
    # A one-phase run also discards what was not committed.
    assert read(kafkafmt, disk, state).status == 0
    assert not following.exists()
    answer = kafkafmt("state", "commit", state)
    assert (answer.status, f"{following}: no such file" in answer.stderr) == (3, True)
    following.write_text("{}")
    assert kafkafmt("state", "commit", state).status == 2
    assert kept(state) == {"t": {"0": 10, "1": 3}}


def test_a_run_that_does_not_end_leaves_nothing_to_commit(kafkafmt: Call, disk: Path, state: Path) -> None:
    read(kafkafmt, disk, state, "--commit")
    segment(disk / "t-0", 10, batch(10)[:-1] + b"!")
    segment(disk / "t-0", 11, batch(11))
    assert read(kafkafmt, disk, state, "--commit").status == 1
    assert not Path(f"{state}.next").exists()


def test_a_state_that_cannot_be_written_is_found_first(kafkafmt: Call, disk: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for state in (tmp_path / "nowhere" / "s", tmp_path / "file" / "s"):
        answer = kafkafmt("cat", disk, "--state", state, "--out", tmp_path / "n.jsonl")
        assert answer.status == 2
        assert answer.stderr.startswith(f"kafkafmt: Invalid value for '--state': {state} cannot be")
    assert not (tmp_path / "n.jsonl").exists()


def test_python_takes_the_state_and_gives_one(kafkafmt: Call, disk: Path, state: Path) -> None:
    read(kafkafmt, disk, state)
    seen = Offsets.from_json(state.read_bytes())
    assert scan(disk, start_offset=seen).count() == 0
    segment(disk / "t-0", 10, batch(10, 2))
    state.write_text(scan(disk, start_offset=seen).end_offsets().to_json())
    assert rows(read(kafkafmt, disk, state)) == []


def test_committed_records_are_given_once(kafkafmt: Call, state: Path) -> None:
    wanted = ["--topic", "tx", "--state", state, "-o", "jsonl"]
    assert len(kafkafmt("cat", TRANSACTIONS, *wanted).lines) > 100
    # Uncommitted records were delivered already: none is read again, and the state does not go back.
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


def test_a_log_that_has_no_place_in_a_state_is_refused(kafkafmt: Call, state: Path, tmp_path: Path) -> None:
    segment(tmp_path / "copied", 0)
    answer = read(kafkafmt, tmp_path / "copied", state)
    assert (answer.status, answer.lines, state.exists()) == (2, [], False)
    assert "copied is not named <topic>-<partition>" in answer.stderr


@pytest.mark.parametrize("options", [["--limit", "1"], ["--last", "1"], ["--start-offset", "1"], ["--replica", "all"]])
def test_options_that_do_not_go_with_it(kafkafmt: Call, disk: Path, state: Path, options: list[str]) -> None:
    answer = read(kafkafmt, disk, state, *options)
    assert answer.status == 2
    assert f"leave out {options[0]}" in answer.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--commit"], "--commit needs --state"),
        (["--commit", "--state", "s", *LAKE, "lake"], "--commit cannot be combined with --partition-by"),
    ],
)
def test_two_phases_need_a_state(kafkafmt: Call, disk: Path, options: list[str], said: str) -> None:
    answer = kafkafmt("cat", disk, *options)
    assert (answer.status, said in answer.stderr) == (2, True)


def test_it_is_not_written_among_kafkas_files(kafkafmt: Call, disk: Path) -> None:
    answer = read(kafkafmt, disk, disk / "t-0" / "t.state")
    assert (answer.status, answer.lines) == (2, [])
    assert "'--state': refusing to write" in answer.stderr
