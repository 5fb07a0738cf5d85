"""Transactions in data partitions: open, committed, aborted and hanging ones."""

import re
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.fs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import ChecksumError, LimitExceededError, SourceError
from kafkafmt.io.base import File
from kafkafmt.logdir import producer_runs
from kafkafmt.topics.producer_state import producers
from kafkafmt.topics.transaction_state import Transaction, Transactions, data, transactions
from kafkafmt.topics.transaction_state import answer as answer_module
from tests.golden_cases import GOLDEN
from tests.logdir.builders import file_name
from tests.topics.producer_logs import ABORT, COMMIT, ProducerLog, Step, steps, write_snapshot
from tests.topics.transaction_state.coordinator_logs import (
    COMPLETE_COMMIT,
    EMPTY,
    ONGOING,
    PREPARE_COMMIT,
    Told,
    write_state,
)

OPEN = [Step(1, transactional=True)]


def told(each: Transaction) -> tuple[Any, ...]:
    return (each.state, each.producer_id, each.first_offset, each.last_offset, each.marker_offset, each.records)


def modelled(log: ProducerLog) -> set[tuple[Any, ...]]:
    """The transactions of a log, batch by batch."""
    opened: dict[int, list[int]] = {}
    found: set[tuple[Any, ...]] = set()
    for step, (first, last, _) in zip(log.steps, log.batches, strict=True):
        known = opened.get(step.producer_id)
        if step.producer_id < 0 or step.emptied:
            continue
        if step.kind is None and step.transactional:
            if known is None:
                opened[step.producer_id] = [first, last, step.records]
            else:
                known[1:] = [last, known[2] + step.records]
        elif step.kind is not None and known is not None:
            del opened[step.producer_id]
            state = "aborted" if step.kind == ABORT else "committed"
            found.add((state, step.producer_id, known[0], known[1], first, known[2]))
    return found | {("open", each, first, last, None, records) for each, (first, last, records) in opened.items()}


class TestModel:
    @pytest.fixture(params=["in bulk", "one by one"], autouse=True)
    def way(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        """Read batches in bulk, as small ones are, and one by one, as large ones are."""
        if request.param == "one by one":
            monkeypatch.setattr(File, "worth_skipping", 40)

    @pytest.mark.slow
    @given(made=st.lists(steps(), max_size=25), rolled=st.integers(0, 24))
    def test_transactions_are_those_of_the_model(self, made: list[Step], rolled: int) -> None:
        log = ProducerLog(made)
        with tempfile.TemporaryDirectory() as directory:
            log.write(Path(directory, "t-0"), *([rolled] if 0 < rolled < len(made) else []))
            answer = transactions(directory, data="all", max_transaction_timeout_ms=10**9)
        found = list(answer.data())
        assert {told(each) for each in found} == modelled(log)
        assert len(found) == len(modelled(log))
        assert [each.state for each in found] == sorted((each.state for each in found), key="open".__ne__)

    @pytest.mark.slow
    @given(made=st.lists(steps(), min_size=1, max_size=20), at=st.integers(0, 19), rolled=st.integers(0, 19))
    def test_open_ones_are_found_with_a_snapshot_and_without_reading_all(
        self, made: list[Step], at: int, rolled: int
    ) -> None:
        log = ProducerLog(made)
        with tempfile.TemporaryDirectory() as directory:
            partition = log.write(Path(directory, "t-0"), *([rolled] if 0 < rolled < len(made) else []))
            every = transactions(directory, data="all", max_transaction_timeout_ms=10**9).open
            log.write_snapshot(partition, log.batches[min(at, len(made) - 1)][0])
            quick = transactions(directory, data="open", max_transaction_timeout_ms=10**9).open
        assert list(map(told, quick)) == list(map(told, every))

    @pytest.mark.slow
    @given(made=st.lists(steps(), max_size=20), at=st.integers(0, 20))
    def test_a_log_whose_beginning_is_gone(self, made: list[Step], at: int) -> None:
        """Kafka deletes whole segments; the snapshot of the first remaining one has the transactions open there."""
        log = ProducerLog(made)
        at = min(at, len(made))
        begin = log.batches[at][0] if at < len(made) else log.end
        with tempfile.TemporaryDirectory() as directory:
            partition = Path(directory, "t-0")
            partition.mkdir()
            (partition / file_name(begin)).write_bytes(b"".join(each for _, _, each in log.batches[at:]))
            log.write_snapshot(partition, begin)
            log.write_snapshot(partition, log.end)
            found = list(transactions(directory, data="all", max_transaction_timeout_ms=10**9).data())
        expected = {
            (state, producer_id, first, marker)
            for state, producer_id, first, last, marker, _ in modelled(log)
            if marker is None or marker >= begin
        }
        assert {(each.state, each.producer_id, each.first_offset, each.marker_offset) for each in found} == expected


def written(log_dir: Path, *made: Step, **state: Any) -> Path:
    """Write a data partition t-0, and a coordinator's log of one transactional id if given."""
    ProducerLog(made).write(log_dir / "t-0")
    if state:
        write_state(log_dir, Told(**state))
    return log_dir


def only(answer: Transactions) -> Transaction:
    (each,) = answer.open
    return each


class TestHanging:
    @pytest.mark.parametrize(
        ("state", "reason"),
        [
            ({"producer_id": 2}, "the coordinator has no transactional id for this producer"),
            (
                {"state": COMPLETE_COMMIT, "partitions": {}},
                "transactional id id is CompleteCommit: it has no ongoing transaction",
            ),
            ({"state": EMPTY, "partitions": {}}, "transactional id id is Empty: it has no ongoing transaction"),
            ({"partitions": {"t": [1], "s": [0]}}, "transactional id id is Ongoing, but not in this partition"),
        ],
    )
    def test_what_the_coordinator_has_not(self, tmp_path: Path, state: dict[str, Any], reason: str) -> None:
        each = only(transactions(written(tmp_path, *OPEN, **state), data="hanging"))
        assert (each.state, each.reason) == ("hanging", reason)

    def test_an_id_with_another_producer_now(self, tmp_path: Path) -> None:
        write_state(written(tmp_path, *OPEN), Told("id", 1), Told("id", 7))
        each = only(transactions(tmp_path, data="hanging"))
        assert (each.reason, each.coordinator_state) == ("transactional id id has producer 7 now", "Ongoing")

    def test_an_id_that_expired(self, tmp_path: Path) -> None:
        write_state(written(tmp_path, *OPEN), Told("id", 1), Told("id", 1, state=None))
        each = only(transactions(tmp_path, data="hanging"))
        assert each.reason == "__transaction_state no longer has transactional id id: it has expired"
        assert each.transactional_id == "id"

    @pytest.mark.parametrize(
        ("state", "reason"),
        [
            ({"state": ONGOING}, "ongoing"),
            ({"state": PREPARE_COMMIT}, "the coordinator is about to write its marker (PrepareCommit)"),
            (
                {"start": 1000, "update": 9000, "timeout": 500},
                "overdue: its transaction.timeout.ms of 500 has passed; the coordinator aborts it when it runs",
            ),
        ],
    )
    def test_what_the_coordinator_has(self, tmp_path: Path, state: dict[str, Any], reason: str) -> None:
        answer = transactions(written(tmp_path, *OPEN, **state), data="open")
        each = only(answer)
        assert (each.state, each.reason, each.abort_command) == ("open", reason, None)
        assert answer.hanging == transactions(tmp_path, data="hanging").open == ()

    def test_without_the_coordinator_age_decides(self, tmp_path: Path) -> None:
        marker = Step(9, kind=COMMIT, timestamp=1_000_000)
        written(tmp_path, *OPEN, marker)
        each = only(transactions(tmp_path, data="open"))
        assert (each.state, each.duration_ms) == ("hanging", 999_000)
        assert each.reason == "open for longer than 900000 ms, and __transaction_state is missing"
        each = only(transactions(tmp_path, data="open", max_transaction_timeout_ms=1_000_000))
        assert (each.state, each.reason) == ("open", "__transaction_state is missing")

    def test_with_a_part_of_the_coordinator(self, tmp_path: Path) -> None:
        write_state(written(tmp_path, *OPEN), Told("id", 7), partition=1)
        each = only(transactions(tmp_path, data="open"))
        assert (each.state, each.reason) == ("open", "__transaction_state is incomplete")
        (note,) = transactions(tmp_path, data="hanging").notes
        assert note.startswith("1 transaction is open and may hang: ")
        ProducerLog([Step(1), Step(2)]).write(tmp_path / "t-1")
        (note,) = transactions(tmp_path, data="hanging").notes
        assert note.startswith("3 transactions are open and may hang: ")

    def test_the_clusters_metadata_tell_whether_the_coordinator_is_all_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_state(written(tmp_path, *OPEN), Told("id", 7))
        found: list[Any] = [None]
        monkeypatch.setattr(answer_module, "metadata_of", lambda *_: found[0])
        states = []
        for count in (None, 1, 2):
            partitions = dict.fromkeys(range(count or 0))
            topics = {} if count is None else {"__transaction_state": SimpleNamespace(partitions=partitions)}
            found[0] = SimpleNamespace(topics=topics)
            states.append(only(transactions(tmp_path, data="open")).state)
        assert states == ["hanging", "hanging", "open"]

    def test_metadata_that_cannot_be_read_do_not_matter(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: Any) -> None:
            raise SourceError("no")

        monkeypatch.setattr(answer_module, "metadata_of", broken)
        write_state(written(tmp_path, *OPEN), Told("id", 7))
        assert only(transactions(tmp_path, data="open")).state == "hanging"

    def test_hanging_ones_come_first(self, tmp_path: Path) -> None:
        written(tmp_path, Step(1), Step(2), Step(3), Step(3, kind=COMMIT), producer_id=1)
        assert [each.state for each in transactions(tmp_path, data="all").data()] == ["hanging", "open", "committed"]

    def test_a_topic_that_the_shell_would_not_take(self, tmp_path: Path) -> None:
        ProducerLog(OPEN).write(tmp_path / "a b$-3")
        write_state(tmp_path, Told("id", 7))
        each = only(transactions(tmp_path, data="hanging", bootstrap_server="kafka-1:9092"))
        assert each.abort_command == (
            "kafka-transactions.sh --bootstrap-server kafka-1:9092 abort --topic 'a b$' --partition 3 --start-offset 0"
        )

    def test_a_directory_without_a_name_has_no_command(self, tmp_path: Path) -> None:
        ProducerLog(OPEN).write(tmp_path / "nameless")
        write_state(tmp_path, Told("id", 7))
        each = only(transactions(tmp_path, data="hanging"))
        assert (each.topic, each.abort_command, each.abort_command_before_3_0) == (None, None, None)

    def test_the_last_epoch_of_the_coordinator_is_in_the_command(self, tmp_path: Path) -> None:
        written(
            tmp_path, Step(1), Step(1, kind=ABORT, coordinator_epoch=6), Step(1, epoch=2), state=EMPTY, partitions={}
        )
        each = only(transactions(tmp_path, data="hanging"))
        assert (each.coordinator_epoch, each.producer_epoch) == (6, 2)
        assert str(each.abort_command_before_3_0).endswith("--producer-id 1 --producer-epoch 2 --coordinator-epoch 6")


class TestTimes:
    def test_durations(self, tmp_path: Path) -> None:
        made = (
            Step(1, timestamp=1000),
            Step(1, kind=COMMIT, timestamp=1700),
            Step(2, timestamp=2000, append_time=True),
            Step(3, timestamp=-1),
            Step(3, kind=ABORT, timestamp=9000),
        )
        answer = transactions(written(tmp_path, *made), data="all")
        found = {
            each.producer_id: (each.start_timestamp, each.last_timestamp, each.duration_ms) for each in answer.data()
        }
        assert found == {1: (1000, 1700, 700), 2: (2500, 2500, 6500), 3: (None, 9000, None)}
        assert answer.as_of == 9000

    def test_the_coordinator_has_a_clock_too(self, tmp_path: Path) -> None:
        answer = transactions(written(tmp_path, *OPEN, update=5000), data="open")
        assert (answer.as_of, only(answer).duration_ms) == (5000, 4000)

    def test_without_brokers_times_those_of_the_data_count(self, tmp_path: Path) -> None:
        answer = transactions(written(tmp_path, Step(1), Step(-1, timestamp=8000)), data="open")
        assert (answer.as_of, only(answer).duration_ms) == (8500, 7500)

    def test_as_of_a_time(self, tmp_path: Path) -> None:
        made = (Step(1, timestamp=1000), Step(1, kind=COMMIT, timestamp=5000))
        answer = transactions(written(tmp_path, *made), data="all", at_time=3000)
        assert (only(answer).state, only(answer).duration_ms) == ("open", 2000)
        assert [each.state for each in transactions(tmp_path, data="all", at_time=6000).data()] == ["committed"]


class TestSnapshots:
    def test_alone_where_the_records_are_gone(self, tmp_path: Path) -> None:
        state = ProducerLog([Step(1, sequence=4)], begin=3).states()[1]
        ProducerLog([], begin=9).write(tmp_path / "t-0")
        write_snapshot(tmp_path / "t-0", 9, [state])
        write_state(tmp_path, Told("id", 7))
        each = only(transactions(tmp_path, data="hanging"))
        assert (each.told_by, each.first_offset, each.last_offset) == ("snapshot", 3, 3)
        assert (each.records, each.bytes, each.file, each.position, each.start_timestamp) == (None,) * 5
        assert "--start-offset 3" in str(each.abort_command)

    def test_in_part(self, tmp_path: Path) -> None:
        log = ProducerLog([Step(1), Step(1), Step(1)], begin=4)
        partition = tmp_path / "t-0"
        log.write(partition, 2)
        (partition / file_name(4)).unlink()
        write_snapshot(partition, 7, log.states().values())
        each = only(transactions(tmp_path, data="open"))
        assert (each.told_by, each.first_offset, each.last_offset, each.records) == ("both", 4, 6, 1)
        log.write_snapshot(partition, 6)
        assert only(transactions(tmp_path, data="all")) == only(transactions(tmp_path, data="open")) == each

    def test_a_broken_one_at_the_beginning_is_a_finding(self, tmp_path: Path) -> None:
        log = ProducerLog([Step(1), Step(1)], begin=4)
        partition = log.write(tmp_path / "t-0")
        log.write_snapshot(partition, 6)
        log.write_snapshot(partition, 4).write_bytes(b"\0\1")
        answer = transactions(tmp_path, data="all")
        assert only(answer).first_offset == 4
        (finding,) = answer.findings
        assert finding.path.endswith("00000000000000000004.snapshot")

    def test_what_they_deny_is_told_where_all_is_read(self, tmp_path: Path) -> None:
        log = ProducerLog(OPEN)
        write_snapshot(log.write(tmp_path / "t-0"), 1, [])
        answer = transactions(tmp_path, data="all")
        assert only(answer).first_offset == 0
        assert len(answer.findings) == 1
        assert transactions(tmp_path, data="open").open == ()


class TestDamage:
    def damaged(self, directory: Path) -> Path:
        """Flip one bit of the only marker."""
        log = ProducerLog([Step(1), Step(1, kind=COMMIT), Step(2)])
        path = log.write(directory / "t-0") / file_name(0)
        content = bytearray(path.read_bytes())
        content[len(log.batches[0][2]) + 45] ^= 1
        path.write_bytes(content)
        write_state(directory, Told("id", 7))
        return directory

    def test_it_is_raised(self, tmp_path: Path) -> None:
        with pytest.raises(ChecksumError):
            transactions(self.damaged(tmp_path), data="open", on_damage="raise")

    def test_what_it_may_have_ended_does_not_hang(self, tmp_path: Path) -> None:
        answer = transactions(self.damaged(tmp_path), data="open")
        assert [(each.producer_id, each.state) for each in answer.open] == [(2, "hanging"), (1, "open")]
        assert answer.open[1].reason == "damage follows its first batch, in which its marker may be lost"
        assert len(answer.damage) == 1

    def test_an_open_end_is_none(self, tmp_path: Path) -> None:
        path = written(tmp_path, *OPEN, producer_id=7) / "t-0" / file_name(0)
        path.write_bytes(path.read_bytes() + bytes(30))
        answer = transactions(tmp_path, data="open")
        assert only(answer).state == "hanging"
        assert [each.is_open_end for each in answer.damage] == [True]

    def test_a_flipped_producer_id_is_no_hanging_transaction(self, tmp_path: Path) -> None:
        log = ProducerLog([Step(1), Step(1), Step(1, kind=COMMIT)])
        path = log.write(tmp_path / "t-0") / file_name(0)
        content = bytearray(path.read_bytes())
        content[len(log.batches[0][2]) + 50] ^= 4
        path.write_bytes(content)
        write_state(tmp_path, Told("id", 1, state=COMPLETE_COMMIT, partitions={}))
        with pytest.raises(ChecksumError):
            transactions(tmp_path, data="all", on_damage="raise")
        answer = transactions(tmp_path, data="all")
        each = only(answer)
        assert (each.state, each.producer_id, each.abort_command) == ("open", 5, None)
        assert str(each.reason).startswith("the checksum of its first batch is wrong")
        (finding,) = answer.findings
        assert finding.path == str(path)
        assert finding.message.endswith("so its header is ignored")
        assert transactions(tmp_path, data="hanging", on_damage="skip").open == ()


class TestBounds:
    def test_so_many_that_ended_are_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(data, "_A_BLOCK", 2)
        made = [step for each in range(9) for step in (Step(each % 2), Step(each % 2, kind=COMMIT))]
        ProducerLog(made).write(tmp_path / "a-0")
        ProducerLog(made).write(tmp_path / "b-0")
        answer = transactions(tmp_path, data="all", most_ended=12)
        assert [(each.topic, each.first_offset) for each in answer.ended()] == [
            *[("a", offset) for offset in range(0, 18, 2)],
            *[("b", offset) for offset in (12, 14, 16)],
        ]
        assert answer.dropped == 6
        assert answer.notes[-1].startswith("6 committed and aborted transactions are left out")
        assert len(answer.data_table()) == 12

    def test_none_are_kept_where_only_open_ones_are_wanted(self, tmp_path: Path) -> None:
        made = (Step(1), Step(1, kind=COMMIT))
        answer = transactions(written(tmp_path, *made), data="open")
        assert (list(answer.data()), answer.dropped) == ([], 0)

    def test_too_many_open_at_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(producer_runs, "MOST_OPEN", 2)
        written(tmp_path, Step(1), Step(2), Step(3))
        with pytest.raises(LimitExceededError, match="too many transactions are open at once"):
            transactions(tmp_path, data="open")
        assert len(transactions(tmp_path, data="open", producer_ids=[1, 3]).open) == 2


class TestFilters:
    def test_by_transactional_id(self, tmp_path: Path) -> None:
        write_state(written(tmp_path, Step(1), Step(2), Step(3)), Told("a", 1), Told("b", 2), Told("a", 3))

        def producers(**arguments: Any) -> list[int]:
            return [each.producer_id for each in transactions(tmp_path, data="all", missing="note", **arguments).open]

        assert producers(transactional_ids="a") == [1, 3]
        assert producers(transactional_ids=re.compile("a|z")) == [1, 3]
        assert producers(transactional_ids=["a", "b"], producer_ids=[2, 3]) == [2, 3]
        assert producers(producer_ids=2) == [2]
        assert producers(topics="other") == []
        assert producers(partitions=1) == []

    @pytest.mark.parametrize(
        "arguments", [{"data": "none"}, {"replica": "x"}, {"on_damage": "x"}, {"data": "all", "at_offset": 1}]
    )
    def test_arguments_that_make_no_sense(self, tmp_path: Path, arguments: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"must be one of|with data give at_time"):
            transactions(written(tmp_path, *OPEN), **arguments)

    def test_names_that_are_none(self, tmp_path: Path) -> None:
        with pytest.raises(TypeError, match="must be names"):
            transactions(written(tmp_path, *OPEN), transactional_ids=[b"x"])  # type: ignore[list-item]


def test_rows(tmp_path: Path) -> None:
    answer = transactions(written(tmp_path, Step(1, records=2), producer_id=7), data="all")
    (row,) = answer.data_table().to_pylist()
    assert {
        name: row[name] for name in ("topic", "partition", "state", "producerId", "records", "toldBy", "position")
    } == {
        "topic": "t",
        "partition": 0,
        "state": "hanging",
        "producerId": 1,
        "records": 2,
        "toldBy": "log",
        "position": 0,
    }
    assert row["file"] == str(tmp_path / "t-0" / file_name(0))
    assert row["bytes"] == (tmp_path / "t-0" / file_name(0)).stat().st_size


def test_any_file_system_will_do() -> None:
    source = GOLDEN / "modern" / "04-transactions-3.9.1" / "log-dir"
    local = transactions(source, data="all")
    for other in (
        transactions(str(source), filesystem=pyarrow.fs.LocalFileSystem(), data="all"),
        transactions(source.as_uri(), data="all"),
    ):
        assert other.to_table().equals(local.to_table())
        assert [told(each) for each in other.data()] == [told(each) for each in local.data()]
    assert (
        producers(str(source), filesystem=pyarrow.fs.LocalFileSystem())
        .to_table()
        .drop_columns("path")
        .equals(producers(source).to_table().drop_columns("path"))
    )


def test_replicas_left_out_are_told_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path / name, *OPEN, producer_id=7)
    answer = transactions([tmp_path / "a", tmp_path / "b"], data="open")
    assert sorted(each.name for each in answer.skipped_replicas) == ["__transaction_state-0", "t-0"]
    assert len(answer.open) == 1
